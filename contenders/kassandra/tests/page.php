<?php
// One request of a web page, told as JSON: what the process did, and which sockets it has.

require __DIR__ . '/check.php';

$protocol = $_GET['protocol'];
$before = sockets(port($protocol));
try {
    $opened = kassandra_connect(hosts($protocol), options(['persistent' => $_GET['persistent'] === '1']));
    kassandra_insert('kass', 'Rows', 'page', ['title' => 'of ' . PHP_SAPI]);
    $row = kassandra_get_row('kass', 'Rows', 'page');
    $told = ['opened' => $opened, 'title' => $row['title']];
} catch (KassandraException $error) {
    http_response_code(500);
    $told = ['kind' => $error->kind, 'message' => $error->getMessage()];
}
preg_match('/RssAnon:\s+(\d+)/', file_get_contents('/proc/self/status'), $match);
echo json_encode($told + [
    'pid' => getmypid(),
    'before' => $before,
    'after' => sockets(port($protocol)),
    'memory_kb' => (int) $match[1],
]), "\n";
