<?php
// Thousands of requests in one process: memory and descriptors stay what they were.

require __DIR__ . '/check.php';

$count = (int) ($_GET['requests'] ?? 10000);

function memory_kb(): int
{
    preg_match('/RssAnon:\s+(\d+)/', file_get_contents('/proc/self/status'), $match);
    return (int) $match[1];
}

function descriptors(): int
{
    return count(scandir('/proc/self/fd'));
}

/** Reads and writes; and fails in each way that leaves the connection as it is. */
function request(string $protocol, int $number): void
{
    kassandra_connect(hosts($protocol), options());
    kassandra_insert('kass', 'Posts', 'leak', ["p$number" => ['title' => "t$number", 'body' => 'b']]);
    kassandra_get_super_column('kass', 'Posts', 'leak', "p$number");
    kassandra_get_columns('kass', 'Posts', 'leak', 5);
    foreach (['nobody' => 'one', 'x' => 'no level'] as $key => $level) {
        try {
            kassandra_get_row('kass', 'Rows', $key, $level);
            check('it throws', false);
        } catch (KassandraException) {
        }
    }
    if ($number % 100 === 0) {
        kassandra_disconnect();
    }
}

foreach (['cql', 'thrift'] as $protocol) {
    for ($number = 0; $number < $count / 2; $number++) {
        // What is kept for each statement and for each size is kept by then.
        if ($number === intdiv($count, 8)) {
            [$memory, $descriptors] = [memory_kb(), descriptors()];
        }
        request($protocol, $number % 1000);
    }
    $more = memory_kb() - $memory;
    // PHP's allocator takes memory in chunks of 2 MB: one more is no leak.
    check("$protocol: memory, $more kB more than $memory kB", $more < 2560);
    check("$protocol: descriptors", descriptors() <= $descriptors + 1);
}
done();
