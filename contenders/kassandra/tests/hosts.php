<?php
// Hosts, options, timeouts, servers that are none.

require __DIR__ . '/check.php';

$connect = fn (string $hosts, array $options = []) => fn () => kassandra_connect($hosts, $options);
fails('invalid', 'cql:// or thrift://', $connect('127.0.0.1'));
fails('invalid', 'no host', $connect('cql://'));
fails('invalid', 'options user and password', $connect('cql://me:CANARY@127.0.0.1'));
fails('invalid', 'unknown option', $connect('cql://a', ['timeuot' => 1]));
fails('invalid', 'seconds', $connect('cql://a', ['timeout' => 0]));
fails('invalid', 'seconds', $connect('cql://a', ['connect_timeout' => NAN]));
fails('invalid', 'true or false', $connect('cql://a', ['persistent' => 1]));
fails('invalid', 'bytes', $connect('cql://a', ['max_reply' => PHP_INT_MAX]));
fails('invalid', 'go together', $connect('cql://a', ['user' => 'x']));

// A server that accepts (the system does it) and says nothing.
$mute = stream_socket_server('tcp://127.0.0.1:0');
$name = stream_socket_get_name($mute, false);
fails('timeout', 'within 0.2 s', $connect("cql://$name", ['timeout' => 0.2]));
kassandra_connect("thrift://$name", ['timeout' => 0.2]);
fails('timeout', 'within 0.2 s', fn () => kassandra_get_row('a', 'b', 'c'));
check('closed after a timeout', kassandra_is_connected(), false);
fclose($mute);

// Nobody listens: the first host is none, the second answers, whichever is tried first.
fails('connection', 'refused', $connect("cql://$name"));
foreach (['cql', 'thrift'] as $protocol) {
    $real = server($protocol);
    foreach (["$name,$real", "$real,$name"] as $list) {
        kassandra_connect("$protocol://$list", options());
        fails('not_found', '', fn () => kassandra_get_row('kass', 'Rows', 'nobody'));
        kassandra_disconnect();
    }
    fails('connection', $name, $connect("$protocol://$name,$name"));
}

// The wrong protocol at the right port.
foreach (['thrift' => 'cql', 'cql' => 'thrift'] as $wrong => $right) {
    $kind = 'none';
    try {
        kassandra_connect("$wrong://" . server($right), ['timeout' => 1]);
        kassandra_get_row('kass', 'Rows', 'x');
    } catch (KassandraException $error) {
        $kind = $error->kind;
    }
    $expected = ['unsupported', 'timeout', 'connection', 'protocol', 'too_large'];
    check("$wrong at the port of $right: $kind", in_array($kind, $expected, true));
}

// Connections of many settings are not kept for ever. Those that are kept would stay in the
// process of a web server.
if (PHP_SAPI === 'cli') {
    for ($number = 1; $number <= 40; $number++) {
        kassandra_connect(hosts('thrift'), options(['timeout' => 20 + $number / 10]));
    }
    check('as many as are kept', count(sockets(port('thrift'))), 16);
}
done();
