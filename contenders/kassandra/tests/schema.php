<?php
// Makes the tables of the tests, in both servers. Once per server.

require __DIR__ . '/check.php';
require __DIR__ . '/raw.php';

$replicas = fn (int $count) => "WITH replication = {'class': 'SimpleStrategy', 'replication_factor': $count}";
$statements = [
    "CREATE KEYSPACE kass {$replicas(1)}",
    "CREATE KEYSPACE kass3 {$replicas(3)}",
    'CREATE TABLE kass."Rows" (key text PRIMARY KEY, title text, author text)',
    'CREATE TABLE kass."Posts" (key text, name text, title text, body text, PRIMARY KEY (key, name))',
    'CREATE TABLE kass."Wide" (key text, name text, value text, PRIMARY KEY (key, name))',
    'CREATE TABLE kass3."Rows" (key text PRIMARY KEY, title text)',
    'CREATE TABLE kass.types (key int PRIMARY KEY, a ascii, b bigint, c blob, d boolean, e date, f decimal,
        g double, h float, i inet, j int, k list<int>, l map<text, bigint>, m set<text>, n smallint, o time,
        p timestamp, q timeuuid, r tinyint, s uuid, t varint, "U u" text)',
    'CREATE TABLE kass.changing (key text PRIMARY KEY, a text)',
    'CREATE TABLE kass.numbers (key blob, at bigint, a int, b int, PRIMARY KEY (key, at))
        WITH CLUSTERING ORDER BY (at DESC)',
    'CREATE TABLE kass.pairs (a int, b int, c int, PRIMARY KEY ((a, b)))',
];
foreach ($statements as $statement) {
    cql(server('cql'), $statement);
}
$families = [
    'Rows' => ['Standard', 'UTF8Type'],
    'Posts' => ['Super', 'UTF8Type'],
    'Wide' => ['Standard', 'UTF8Type'],
    'Bytes' => ['Standard', 'BytesType'],
];
thrift_keyspace(server('thrift'), 'kass', 1, $families);
thrift_keyspace(server('thrift'), 'kass3', 3, ['Rows' => ['Standard', 'UTF8Type']]);
done();
