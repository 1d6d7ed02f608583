<?php
// The rows that the pages read: made by hand and by kassandra, for every client the same.

require __DIR__ . '/../../../contenders/kassandra/tests/raw.php';

/** Makes the tables if they are not there, and writes the rows. */
function load(string $cassandra): void
{
    [$protocol, $address] = explode('://', $cassandra);
    try {
        kassandra_connect($cassandra, ['timeout' => 60]);
        kassandra_get_columns('Blog', 'Posts', 'user0', 1);
    } catch (KassandraException $error) {
        if ($error->kind !== 'invalid') {
            throw $error;
        }
        $protocol === 'cql' ? make_in_cql($address) : make_in_thrift($address);
    }
    $text = fn (int $bytes, string $seed) => substr(str_repeat(md5($seed), 8), 0, $bytes);
    for ($user = 0; $user < 100; $user++) {
        $row = [];
        foreach (['name', 'mail', 'city', 'about', 'notes'] as $column) {
            $row[$column] = $text(86, "$user $column");
        }
        insert('Users', "user$user", $row);
        insert('Profiles', "user$user", $row);
        insert('Posts', "user$user", ['post0' => $row, 'post1' => $row]);
    }
}

/** Writes a row. A Cassandra that has just started may take longer than it allows itself. */
function insert(string $family, string $key, array $columns): void
{
    for ($try = 1; ; $try++) {
        try {
            kassandra_insert('Blog', $family, $key, $columns);
            return;
        } catch (KassandraException $error) {
            if ($error->kind !== 'timeout' || $try === 10) {
                throw $error;
            }
        }
    }
}

function make_in_thrift(string $address): void
{
    $families = ['Users' => ['Standard', 'UTF8Type'], 'Profiles' => ['Standard', 'UTF8Type'], 'Posts' => ['Super', 'UTF8Type']];
    thrift_keyspace($address, 'Blog', 1, $families);
}

function make_in_cql(string $address): void
{
    $columns = 'name text, mail text, city text, about text, notes text';
    foreach ([
        "CREATE KEYSPACE \"Blog\" WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
        "CREATE TABLE \"Blog\".\"Users\" (key text PRIMARY KEY, $columns)",
        "CREATE TABLE \"Blog\".\"Profiles\" (key text PRIMARY KEY, $columns)",
        "CREATE TABLE \"Blog\".\"Posts\" (key text, post text, $columns, PRIMARY KEY (key, post))",
    ] as $statement) {
        cql($address, $statement);
    }
}
