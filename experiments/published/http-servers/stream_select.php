<?php
// A page from memory on PHP's stream_select(): one process, one loop, persistent
// connections and pipelining.
//
//   php stream_select.php PORT FILE
declare(strict_types=1);

[, $port, $file] = $argv;
$page = file_get_contents($file);
$ok = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: " . strlen($page) . "\r\n\r\n$page";
$none = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
$context = stream_context_create(['socket' => ['backlog' => 1024, 'tcp_nodelay' => true]]);
$listener = stream_socket_server("tcp://127.0.0.1:$port", $code, $why,
    STREAM_SERVER_BIND | STREAM_SERVER_LISTEN, $context);
if (!$listener) {
    fwrite(STDERR, "$why\n");
    exit(1);
}
stream_set_blocking($listener, false);
$clients = $read = $write = $last = [];

while (true) {
    $readable = [$listener, ...$clients];
    $writable = array_intersect_key($clients, array_filter($write, 'strlen'));
    $except = null;
    if (!stream_select($readable, $writable, $except, null)) {
        continue;
    }
    foreach ($writable as $client) {
        send($client);
    }
    foreach ($readable as $client) {
        if ($client === $listener) {
            accept($listener);
        } elseif (isset($clients[(int) $client])) {
            receive($client, $ok, $none);
        }
    }
}

function accept($listener): void
{
    global $clients, $read, $write;
    while ($client = @stream_socket_accept($listener, 0)) {
        stream_set_blocking($client, false);
        $id = (int) $client;
        $clients[$id] = $client;
        $read[$id] = $write[$id] = '';
    }
}

function receive($client, string $ok, string $none): void
{
    global $read, $write, $last;
    $id = (int) $client;
    $bytes = fread($client, 65536);
    if ($bytes === false || $bytes === '') {
        forget($client);
        return;
    }
    $read[$id] .= $bytes;
    while (($end = strpos($read[$id], "\r\n\r\n")) !== false) {
        $head = substr($read[$id], 0, $end + 2);
        $write[$id] .= str_starts_with($head, 'GET / ') ? $ok : $none;
        $read[$id] = substr($read[$id], $end + 4);
        $last[$id] = is_last($head);
    }
    send($client);
}

// Whether the client waits for the end of the connection: with HTTP/1.0 always, since no
// reply here says that it may go on.
function is_last(string $head): bool
{
    return str_contains(strtok($head, "\r"), 'HTTP/1.0')
        || preg_match('/\r\nConnection: *close/i', $head) === 1;
}

function send($client): void
{
    global $write, $last;
    $id = (int) $client;
    if (!isset($write[$id])) {
        return;
    }
    if ($write[$id] !== '') {
        $sent = @fwrite($client, $write[$id]);
        $write[$id] = $sent ? substr($write[$id], $sent) : $write[$id];
    }
    if ($write[$id] === '' && ($last[$id] ?? false)) {
        forget($client);
    }
}

function forget($client): void
{
    global $clients, $read, $write, $last;
    $id = (int) $client;
    unset($clients[$id], $read[$id], $write[$id], $last[$id]);
    fclose($client);
}
