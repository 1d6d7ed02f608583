<?php
// What the pages share: the client that Apache's settings name, and the times that they report.

require __DIR__ . '/' . (getenv('CLIENT') === 'kassandra' ? 'kassandra.php' : 'thrift.php');

/** Milliseconds of each phase, in order. */
$phases = [];

/** Does one phase, and notes how long it took. */
function phase(string $name, callable $work): mixed
{
    global $phases;
    $start = hrtime(true);
    $result = $work();
    $phases[$name] = (hrtime(true) - $start) / 1e6;
    return $result;
}

/** Sends the page: the columns as a list. The times are in the header Server-Timing. */
function page(array $columns): void
{
    global $phases;
    ksort($columns);
    $times = [];
    foreach ($phases as $name => $milliseconds) {
        $times[] = sprintf('%s;dur=%.3f', $name, $milliseconds);
    }
    header('Server-Timing: ' . implode(', ', $times));
    echo "<html><body>\n";
    foreach ($columns as $name => $value) {
        echo '<p>', htmlspecialchars("$name: $value"), "</p>\n";
    }
    echo "</body></html>\n";
}

/** The same reply for every client where something failed. */
set_exception_handler(function (Throwable $error): void {
    http_response_code(500);
    error_log($error);
    echo "it failed\n";
});
