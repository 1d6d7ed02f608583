<?php
// The article's script: sets md5(i) to crc32(i) and gets all of it back, one operation at a time.
//
//   php run.php cache CLIENT SERVER [KEYS]
//   php run.php incr CLIENT SERVER [KEYS]      as many increments of 100 counters in place of that
//
// CLIENT: a file of clients/, or `usual`, which is USUAL's for the server, and whose files are removed
// at the end. SERVER: an address. KEYS: by default the variable KEYS. What a second brought goes to
// standard error; a reply that is wrong or missing ends the script with status 1.

const USUAL = ['memcached' => 'memcached', 'redis' => 'redis', 'mysql' => 'mysqli', 'postgres' => 'pdo', 'file' => 'files'];
const COUNTERS = 100;

function fail(string $why): never
{
    fwrite(STDERR, "$why\n");
    exit(1);
}

function needs(string $extension, string $package): void
{
    extension_loaded($extension) or fail("PHP's extension $extension is missing: apt-get install $package");
}

/** Does this for every number below $count, and tells how many there were in a second. */
function timed(string $what, int $count, callable $each): void
{
    $began = hrtime(true);
    for ($i = 0; $i < $count; $i++) {
        $each($i);
    }
    $seconds = (hrtime(true) - $began) / 1e9;
    fprintf(STDERR, "%s: %.3f s\n%s/s: %.0f\n", $what, $seconds, $what, $count / $seconds);
}

/** Sets and gets all keys. Returns how many operations that were. */
function cache(array $client, int $keys): int
{
    timed('sets', $keys, function (int $i) use ($client) {
        $client['set'](md5((string) $i), (string) crc32((string) $i)) or fail("key $i could not be set");
    });
    timed('gets', $keys, function (int $i) use ($client) {
        [$was, $is] = [(string) crc32((string) $i), $client['get'](md5((string) $i))];
        (string) $is === $was or fail("key $i was set to $was, and is " . var_export($is, true));
    });
    return 2 * $keys;
}

/** Increments counters that begin at 0. Returns how many operations that were. */
function incr(array $client, int $times): int
{
    isset($client['incr']) or fail('this client has no increment');
    for ($i = 0; $i < COUNTERS; $i++) {
        $client['set'](md5("counter $i"), '0') or fail("counter $i could not be set");
    }
    timed('incr', $times, function (int $i) use ($client) {
        [$counter, $due] = [$i % COUNTERS, intdiv($i, COUNTERS) + 1];
        $is = $client['incr'](md5("counter $counter"));
        (int) $is === $due or fail("counter $counter should be $due, and is " . var_export($is, true));
    });
    return $times;
}

set_exception_handler(fn (Throwable $error) => fail($error->getMessage()));
[, $what, $client, $server, $keys] = $argv + ['', '', '', '', getenv('KEYS')];
in_array($what, ['cache', 'incr'], true) && (int) $keys > 0
    or fail('usage: php run.php cache|incr CLIENT SERVER KEYS');
$at = parse_url($server) ?: [];
isset($at['scheme']) or fail("`$server` is no address, such as memcached://127.0.0.1:11211");
if ($client === 'usual') {
    $client = USUAL[$at['scheme']] ?? '';
    if ($client === 'files') {
        // A directory beside the one that is named, which has files of its own.
        $at['path'] .= '-once';
        register_shutdown_function(fn () => passthru('rm -rf ' . escapeshellarg($at['path'])));
    }
}
$file = __DIR__ . "/clients/$client.php";
preg_match('/^[a-z-]+$/', $client) && is_file($file) or fail("there is no client `$client`");
$operations = $what((require $file)($at), (int) $keys);
echo "all replies were right\noperations $operations\n";
