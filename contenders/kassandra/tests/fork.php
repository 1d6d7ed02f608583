<?php
// A connection belongs to the process that opened it.

require __DIR__ . '/check.php';

foreach (['cql', 'thrift'] as $protocol) {
    $port = port($protocol);
    kassandra_connect(hosts($protocol), options());
    kassandra_insert('kass', 'Rows', 'parent', ['title' => 'of the parent']);
    $parents = sockets($port);
    $pid = pcntl_fork();
    if ($pid === 0) {
        $failed = 0;
        check("$protocol: the child has no connection", kassandra_is_connected(), false);
        for ($number = 0; $number < 200; $number++) {
            kassandra_insert('kass', 'Rows', 'child', ['title' => "of the child $number"]);
            $title = kassandra_get_row('kass', 'Rows', 'child')['title'];
            check("$protocol: the child reads its own", $title, "of the child $number");
        }
        check("$protocol: the child has a socket of its own", array_intersect(sockets($port), $parents), []);
        // Without the end of a request: that is the parent's.
        posix_kill(getmypid(), $failed === 0 ? SIGTERM : SIGKILL);
    }
    for ($number = 0; $number < 200; $number++) {
        $title = kassandra_get_row('kass', 'Rows', 'parent')['title'];
        check("$protocol: the parent reads its own", $title, 'of the parent');
    }
    pcntl_waitpid($pid, $status);
    check("$protocol: the child's checks passed", pcntl_wtermsig($status), SIGTERM);
    check("$protocol: the parent's connection is left alone", sockets($port), $parents);
}
done();
