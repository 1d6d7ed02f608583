<?php
// What CQL alone has: types, and tables that change.

require __DIR__ . '/check.php';
require __DIR__ . '/raw.php';

kassandra_connect(hosts('cql'), options());
$key = crc32(PHP_SAPI . getmypid()) >> 1;

$row = [
    'U u' => 'é "quoted"', 'a' => 'ascii', 'b' => PHP_INT_MIN, 'c' => "\0\xff", 'd' => true, 'e' => -1,
    'g' => -0.1, 'h' => 0.5, 'i' => '::1', 'j' => -2, 'k' => [3, 1, 2], 'l' => ['x' => 1, 'y' => -2],
    'm' => ['p', 'q'], 'n' => 32767, 'o' => 1, 'p' => 1700000000123,
    'q' => '13814000-1dd2-11b2-8080-808080808080', 'r' => -128, 's' => '00112233-4455-6677-8899-aabbccddeeff',
    't' => -129,
];
kassandra_insert('kass', 'types', $key, $row);
$read = kassandra_get_row('kass', 'types', $key);
ksort($read);
check('a type that was not written', $read['f'], null);
unset($read['f']);
check('values of all types', $read, $row);
// With other eyes: Cassandra's own JSON.
$json = cql_row(server('cql'), "kass.types WHERE key = $key");
check('blob', $json['c'], '0x00ff');
check('date', $json['e'], '1969-12-31');
check('double', $json['g'], -0.1);
check('time', $json['o'], '00:00:00.000000001');
check('timestamp', $json['p'], '2023-11-14 22:13:20.123Z');
check('uuid', $json['s'], $row['s']);
check('varint', $json['t'], -129);
check('smallint', $json['n'], 32767);
check('map', $json['l'], $row['l']);

kassandra_insert('kass', 'types', $key, ['a' => null, 'j' => '77', 'g' => 3]);
$read = kassandra_get_row('kass', 'types', $key);
check('null removes', $read['a'], null);
check('a number as text', $read['j'], 77);
check('an int as double', $read['g'], 3.0);
foreach (['j' => '7x', 'd' => 1, 's' => 'no', 'i' => 'localhost', 'k' => 'no', 'r' => [1]] as $name => $value) {
    fails('invalid', 'was expected', fn () => kassandra_insert('kass', 'types', $key, [$name => $value]));
}
fails('invalid', '16 bits', fn () => kassandra_insert('kass', 'types', $key, ['n' => 32768]));
fails('unsupported', 'decimal', fn () => kassandra_insert('kass', 'types', $key, ['f' => '1.5']));
cql(server('cql'), "UPDATE kass.types SET f = 1.5 WHERE key = $key");
fails('unsupported', 'decimal', fn () => kassandra_get_row('kass', 'types', $key));
fails('invalid', '', fn () => kassandra_insert('kass', 'types', $key, ['nowhere' => 1]));
fails('invalid', 'name of a column', fn () => kassandra_insert('kass', 'types', $key, ["\xff" => 1]));
fails('invalid', 'expected', fn () => kassandra_get_row('kass', 'types', 'no number'));
fails('unsupported', 'partition key', fn () => kassandra_get_row('kass', 'pairs', 1));
fails('invalid', 'clustering column', fn () => kassandra_get_row('kass', 'Wide', 'a'));
fails('invalid', 'clustering column', fn () => kassandra_get_columns('kass', 'Rows', 'a', 1));
fails('invalid', 'clustering column', fn () => kassandra_get_super_column('kass', 'Rows', 'a', 'b'));
fails('invalid', 'case-sensitive', fn () => kassandra_get_row('kass', 'rows', 'a'));

// Numbers as names; stored with the greatest first, and read with the greatest first.
$rows = [3 => ['a' => 1, 'b' => 2], 10 => ['a' => 3, 'b' => null], -4 => ['a' => 5, 'b' => 6]];
kassandra_insert('kass', 'numbers', "\0\xfe$key", $rows);
$newest = kassandra_get_columns('kass', 'numbers', "\0\xfe$key", 9);
check('by number', array_keys($newest), [10, 3, -4]);
check('columns of a clustered row', $newest[10], ['a' => 3, 'b' => null]);
check('one of them', kassandra_get_super_column('kass', 'numbers', "\0\xfe$key", -4), ['a' => 5, 'b' => 6]);

// A table that changes under a prepared statement. Only one test may change it.
if (isset($_GET['change'])) {
    $address = server('cql');
    kassandra_insert('kass', 'changing', 'k', ['a' => 'x']);
    check('before', kassandra_get_row('kass', 'changing', 'k'), ['a' => 'x']);
    cql($address, 'ALTER TABLE kass.changing ADD b int');
    check('a new column is read', kassandra_get_row('kass', 'changing', 'k'), ['a' => 'x', 'b' => null]);
    kassandra_insert('kass', 'changing', 'k', ['b' => 5]);
    check('and written', kassandra_get_row('kass', 'changing', 'k')['b'], 5);
    cql($address, 'ALTER TABLE kass.changing DROP a');
    check('a dropped column is gone', kassandra_get_row('kass', 'changing', 'k'), ['b' => 5]);
    cql($address, 'DROP TABLE kass.changing');
    fails('invalid', '', fn () => kassandra_get_row('kass', 'changing', 'k'));
    cql($address, 'CREATE TABLE kass.changing (id int PRIMARY KEY, c text)');
    kassandra_insert('kass', 'changing', 1, ['c' => 'y']);
    check('another table of the same name', kassandra_get_row('kass', 'changing', 1), ['c' => 'y']);
}

done();
