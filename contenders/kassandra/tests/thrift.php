<?php
// What Thrift alone has: bytes everywhere.

require __DIR__ . '/check.php';

kassandra_connect(hosts('thrift'), options());
$key = "\0\xff" . PHP_SAPI . getmypid();
$columns = ["\0\1" => 'zero', "\xff\xfe" => "\x80\0", '12' => -34];
kassandra_insert('kass', 'Bytes', $key, $columns);
$read = kassandra_get_row('kass', 'Bytes', $key);
check('bytes as names and values', $read, ["\0\1" => 'zero', 12 => '-34', "\xff\xfe" => "\x80\0"]);
kassandra_insert('kass', 'Posts', $key, ['s' => ['n' => 'v']]);
check('a row of super columns', kassandra_get_row('kass', 'Posts', $key), ['s' => ['n' => 'v']]);

fails('invalid', 'null', fn () => kassandra_insert('kass', 'Bytes', $key, ['a' => null]));
fails('invalid', 'bool', fn () => kassandra_insert('kass', 'Bytes', $key, ['a' => true]));
fails('invalid', '', fn () => kassandra_insert('kass', 'Bytes', $key, ['a' => ['b' => 'c']]));
fails('invalid', '', fn () => kassandra_insert('kass', 'Posts', $key, ['a' => 'b']));
fails('invalid', '', fn () => kassandra_get_super_column('kass', 'Rows', $key, 'a'));
check('another keyspace and back', kassandra_get_row('kass', 'Bytes', $key)[12], '-34');
fails('not_found', '', fn () => kassandra_get_row('kass3', 'Rows', $key, 'one'));
check('back', kassandra_get_row('kass', 'Bytes', $key)[12], '-34');
done();
