<?php
// What CQL and Thrift have in common: the same calls give the same arrays.

require __DIR__ . '/check.php';

// Several of these tests run at once, each on rows of its own.
$me = PHP_SAPI . getmypid();

foreach (['cql', 'thrift'] as $protocol) {
    check("$protocol: not connected at first", kassandra_is_connected(), false);
    $opened = kassandra_connect(hosts($protocol), options());
    check("$protocol: connected", kassandra_is_connected());
    check("$protocol: opened once", kassandra_connect(hosts($protocol), options()), false);

    // A row.
    $row = ['author' => 'Zoë', 'title' => "two\nlines"];
    check("$protocol: insert", kassandra_insert('kass', 'Rows', $me, $row), null);
    $read = kassandra_get_row('kass', 'Rows', $me);
    ksort($read);
    check("$protocol: row", $read, $row);
    kassandra_insert('kass', 'Rows', $me, ['title' => 'new'], 'quorum');
    $read = kassandra_get_row('kass', 'Rows', $me, 'ALL');
    check("$protocol: the last write wins", $read['title'], 'new');
    check("$protocol: and leaves the others", $read['author'], 'Zoë');
    for ($number = 0; $number < 50; $number++) {
        kassandra_insert('kass', 'Rows', $me, ['title' => "at once $number"]);
    }
    check("$protocol: in order", kassandra_get_row('kass', 'Rows', $me)['title'], 'at once 49');
    fails('not_found', 'no such row', fn () => kassandra_get_row('kass', 'Rows', "$me nobody"));

    // Super columns.
    $posts = ['a' => ['body' => 'B', 'title' => 'A'], 'b' => ['body' => 'D', 'title' => 'C']];
    kassandra_insert('kass', 'Posts', $me, $posts);
    $post = kassandra_get_super_column('kass', 'Posts', $me, 'b');
    ksort($post);
    check("$protocol: super column", $post, $posts['b']);
    $newest = kassandra_get_columns('kass', 'Posts', $me, 10);
    check("$protocol: newest super columns", array_keys($newest), ['b', 'a']);
    ksort($newest['a']);
    check("$protocol: whole", $newest['a'], $posts['a']);
    fails('not_found', 'no such', fn () => kassandra_get_super_column('kass', 'Posts', $me, 'c'));

    // Many columns of one row.
    $wide = [];
    for ($number = 100; $number < 300; $number++) {
        $wide["c$number"] = str_repeat('x', $number);
    }
    kassandra_insert('kass', 'Wide', $me, $wide);
    $newest = kassandra_get_columns('kass', 'Wide', $me, 3);
    check("$protocol: newest", array_keys($newest), ['c299', 'c298', 'c297']);
    check("$protocol: values", $newest['c298'], str_repeat('x', 298));
    check("$protocol: all", kassandra_get_columns('kass', 'Wide', $me, 1000), array_reverse($wide, true));
    check("$protocol: none", kassandra_get_columns('kass', 'Wide', "$me nobody", 3), []);
    $large = str_repeat("\0\1\2\3", 100000);
    kassandra_insert('kass', 'Wide', "$me large", ['1' => strtr($large, "\0", 'x')]);
    $large = kassandra_get_columns('kass', 'Wide', "$me large", 1);
    check("$protocol: names that are numbers, and large values", strlen($large[1] ?? ''), 400000);

    // Errors.
    fails('unavailable', 'unavailable', fn () => kassandra_insert('kass3', 'Rows', $me, ['title' => 'x'], 'quorum'));
    fails('unavailable', 'unavailable', fn () => kassandra_get_row('kass3', 'Rows', $me, 'three'));
    fails('invalid', '', fn () => kassandra_get_row('nowhere', 'Rows', $me));
    fails('invalid', '', fn () => kassandra_get_row('kass', 'nowhere', $me));
    fails('invalid', 'consistency', fn () => kassandra_get_row('kass', 'Rows', $me, 'most'));
    fails('invalid', 'newest', fn () => kassandra_get_columns('kass', 'Rows', $me, 0));
    fails('invalid', 'no column', fn () => kassandra_insert('kass', 'Rows', $me, []));
    fails('invalid', '', fn () => kassandra_insert('kass', 'Rows', $me, ['title' => 1.5]));
    fails('invalid', 'objects', fn () => kassandra_insert('kass', 'Rows', $me, ['title' => new stdClass()]));
    fails('invalid', '', fn () => kassandra_insert('kass', 'Rows', '', ['title' => 'x']));
    $deep = 'x';
    for ($depth = 0; $depth < 100; $depth++) {
        $deep = [$deep];
    }
    fails('invalid', 'deep', fn () => kassandra_insert('kass', 'Rows', $me, ['title' => $deep]));
    check("$protocol: the same connection after all errors", kassandra_connect(hosts($protocol), options()), false);
    check("$protocol: one socket", count(sockets(port($protocol))), 1);

    // A reply that is larger than allowed costs the connection, and the next call has another.
    kassandra_connect(hosts($protocol), options(['max_reply' => 4096, 'persistent' => false]));
    fails('too_large', 'max_reply', fn () => kassandra_get_columns('kass', 'Wide', $me, 1000));
    check("$protocol: closed", kassandra_is_connected(), false);
    check("$protocol: opened again", count(kassandra_get_columns('kass', 'Wide', $me, 2)), 2);

    kassandra_disconnect();
    check("$protocol: disconnected", kassandra_is_connected(), false);
    fails('connection', 'kassandra_connect', fn () => kassandra_get_row('kass', 'Rows', $me));
    kassandra_connect(hosts($protocol), options());
    kassandra_disconnect();
    check("$protocol: no socket is left", sockets(port($protocol)), []);
}
done();
