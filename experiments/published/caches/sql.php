<?php
// The statements of the clients of databases. The table has the keys and values of the script.

const MYSQL = [
    'create' => 'CREATE TABLE IF NOT EXISTS cache (k CHAR(32) CHARACTER SET ascii PRIMARY KEY, v INT UNSIGNED NOT NULL) ENGINE=MEMORY',
    'set' => 'INSERT INTO cache (k, v) VALUES (%s, %s) ON DUPLICATE KEY UPDATE v = VALUES(v)',
    'get' => 'SELECT v FROM cache WHERE k = %s',
    // The reply has the new number, so that it takes no second statement.
    'incr' => 'UPDATE cache SET v = LAST_INSERT_ID(v + 1) WHERE k = %s',
];

const POSTGRES = [
    'create' => 'CREATE TABLE IF NOT EXISTS cache (k VARCHAR(32) PRIMARY KEY, v BIGINT NOT NULL)',
    'set' => 'INSERT INTO cache (k, v) VALUES (%s, %s) ON CONFLICT (k) DO UPDATE SET v = excluded.v',
    'get' => 'SELECT v FROM cache WHERE k = %s',
    'incr' => 'UPDATE cache SET v = v + 1 WHERE k = %s RETURNING v',
];

function mysqli_at(array $at): mysqli
{
    needs('mysqli', 'php-mysql');
    $database = new mysqli($at['host'], $at['user'], '', ltrim($at['path'], '/'), $at['port']);
    $database->query(MYSQL['create']);
    return $database;
}
