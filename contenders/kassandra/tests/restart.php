<?php
// Goes on when its servers were started again: a line on standard input says that they were.

require __DIR__ . '/check.php';

$title = function (string $protocol): string {
    kassandra_connect(hosts($protocol), options());
    kassandra_insert('kass', 'Rows', 'restart', ['title' => 'there']);
    return kassandra_get_row('kass', 'Rows', 'restart')['title'];
};
foreach (['cql', 'thrift'] as $protocol) {
    check("$protocol: before", $title($protocol), 'there');
}
echo "ready\n";
fgets(STDIN);
// The last one that was used is the one that is chosen.
check('its connection is gone', kassandra_is_connected(), false);
check('thrift: the next call connects', kassandra_get_row('kass', 'Rows', 'restart')['title'], 'there');
check('thrift: connected', kassandra_is_connected());
foreach (['cql', 'thrift'] as $protocol) {
    check("$protocol: after", $title($protocol), 'there');
}
done();
