<?php
// Servers that ask for a password.

require __DIR__ . '/check.php';

foreach (['cql', 'thrift'] as $protocol) {
    kassandra_connect(hosts($protocol), options());
    kassandra_insert('kass', 'Rows', 'login', ['title' => 'mine']);
    check("$protocol: with the password", kassandra_get_row('kass', 'Rows', 'login')['title'], 'mine');
    kassandra_disconnect();
    $wrong = ['user' => $_GET['user'], 'password' => 'CANARY', 'timeout' => 20];
    try {
        kassandra_connect(hosts($protocol), $wrong);
        check("$protocol: a wrong password is refused", false);
    } catch (KassandraException $error) {
        check("$protocol: a wrong password", $error->kind, 'authentication');
        check("$protocol: is not told", str_contains("$error", 'CANARY'), false);
    }
}
fails('authentication', 'asks for a user', fn () => kassandra_connect(hosts('cql')));
kassandra_connect(hosts('thrift'));
fails('invalid', 'logged in', fn () => kassandra_get_row('kass', 'Rows', 'login'));
done();
