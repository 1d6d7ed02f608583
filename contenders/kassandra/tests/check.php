<?php
// What the tests share: each line that they print says what was checked. Runs on the command
// line (php cql.php 'cql=127.0.0.1:9042&thrift=127.0.0.1:9160') and in web servers, with the
// same text as query.

if (PHP_SAPI === 'cli') {
    parse_str($argv[1] ?? '', $_GET);
} else {
    header('Content-Type: text/plain');
}

$failed = 0;
$passed = 0;

/** The hosts of this protocol, as kassandra_connect wants them. */
function hosts(string $protocol): string
{
    return "$protocol://" . server($protocol);
}

/** Address and port of the server of this protocol. */
function server(string $protocol): string
{
    return $_GET[$protocol] ?? throw new Exception("no address for $protocol was given");
}

/** Options of kassandra_connect: a login if one was given, and these. */
function options(array $more = []): array
{
    $login = isset($_GET['user']) ? ['user' => $_GET['user'], 'password' => $_GET['password']] : [];
    // Servers of tests are slow when they start.
    return $more + $login + ['timeout' => 20];
}

function check(string $what, mixed $actual, mixed $expected = true): void
{
    global $failed, $passed;
    if ($actual === $expected) {
        $passed++;
        return;
    }
    $failed++;
    echo "FAILED: $what: ", var_export($actual, true), ' instead of ', var_export($expected, true), "\n";
}

/** The call must throw a KassandraException of this kind, and its message hold this text. */
function fails(string $kind, string $text, callable $call): void
{
    try {
        $call();
        check("$kind: $text: it throws", false);
    } catch (KassandraException $error) {
        check("$kind: $text: kind", $error->kind, $kind);
        check("$kind: code", $error->getCode(), constant('KassandraException::' . strtoupper($kind)));
        check("$kind: `$text` in `{$error->getMessage()}`", str_contains($error->getMessage(), $text));
        check("$kind: line", $error->getLine() > 0 && $error->getTrace() !== []);
    }
}

/** Prints the sum, without which a test has not ended. */
function done(): void
{
    global $failed, $passed;
    echo "$passed passed, $failed failed\n";
    exit($failed === 0 ? 0 : 1);
}

/** Inodes of the TCP sockets of this process that are connected to this port. */
function sockets(int $port): array
{
    $inodes = [];
    // Line by line: the machine may have thousands of connections, and what is searched for is memory
    // that grows.
    $table = fopen('/proc/self/net/tcp', 'r');
    fgets($table);
    while (($line = fgets($table)) !== false) {
        $fields = preg_split('/\s+/', trim($line));
        // 01: connected.
        if (hexdec(substr($fields[2], -4)) === $port && $fields[3] === '01') {
            $inodes[] = $fields[9];
        }
    }
    fclose($table);
    $ours = [];
    foreach (glob('/proc/self/fd/*') as $descriptor) {
        $target = @readlink($descriptor);
        if ($target !== false && preg_match('/^socket:\[(\d+)\]$/', $target, $match)) {
            $ours[] = $match[1];
        }
    }
    return array_values(array_intersect($inodes, $ours));
}

/** The port of the server of this protocol. */
function port(string $protocol): int
{
    return (int) substr(strrchr(server($protocol), ':'), 1);
}
