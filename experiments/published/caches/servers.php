<?php
// Starts memcached, Redis, MariaDB and PostgreSQL, runs a command, and ends them again:
//
//   php servers.php tiebreak compare programs.toml
//
// They listen on free ports of 127.0.0.1, and their data is in memory, in a folder of /dev/shm that
// is removed at the end. It is the command's TMPDIR: run.php finds its addresses there.

const PATIENCE = 30;

$command = array_slice($argv, 1) or exit("usage: php servers.php COMMAND...\n");
$folder = '/dev/shm/tiebreak-caches-' . getmypid();
$servers = [];
$postgres = glob('/usr/lib/postgresql/*/bin');
putenv('PATH=' . implode(':', [getenv('PATH'), '/usr/sbin', ...array_slice($postgres, -1)]));
umask(0022);
mkdir($folder) or exit("$folder cannot be made\n");
register_shutdown_function('clean_up');
// Signals end the command, and then this script ends as it always does.
pcntl_async_signals(true);
foreach ([SIGINT, SIGTERM, SIGHUP] as $signal) {
    pcntl_signal($signal, function (int $signal) {
        isset($GLOBALS['running']) ? proc_terminate($GLOBALS['running'], $signal) : exit(128 + $signal);
    });
}

/** Starts a program with its output in a log. As root: as this user, where one is given. */
function start(string $name, array $command, ?string $user = null)
{
    $as = [];
    if ($user !== null && posix_geteuid() === 0) {
        $known = posix_getpwnam($user) or exit("there is no user $user: README.md names the packages\n");
        $as = ['--reuid', $user, '--regid', (string) $known['gid'], '--init-groups'];
    }
    $log = ['file', log_of($name), 'a'];
    // Should this script be killed, the system ends what it started.
    $command = ['setpriv', ...$as, '--pdeathsig', 'KILL', ...$command];
    return proc_open($command, [['file', '/dev/null', 'r'], $log, $log], $pipes, $GLOBALS['folder']);
}

function log_of(string $name): string
{
    return "{$GLOBALS['folder']}/$name.log";
}

/** Ends the script with what the log of a program says. */
function fail(string $what, string $name): never
{
    fwrite(STDERR, "$what: is its package installed? README.md names it. Its log:\n" . file_get_contents(log_of($name)));
    exit(1);
}

/** Runs a program to its end. */
function run(string $name, array $command, string $user): void
{
    proc_close(start($name, $command, $user)) === 0 or fail("{$command[0]} failed", $name);
}

/** Starts a server, which $is_ready tells of. */
function serve(string $name, array $command, callable $is_ready, ?string $user = null, int $stop = SIGTERM): void
{
    $process = start($name, $command, $user);
    $GLOBALS['servers'][] = [$process, $stop];
    $gives_up = time() + PATIENCE;
    while (!$is_ready()) {
        proc_get_status($process)['running'] or fail("{$command[0]} ended", $name);
        time() < $gives_up or fail("{$command[0]} was not ready after " . PATIENCE . ' s', $name);
        usleep(50_000);
    }
}

/** A folder of this user's. */
function folder_of(string $name, string $user): string
{
    $path = "{$GLOBALS['folder']}/$name";
    mkdir($path, 0700);
    posix_geteuid() !== 0 || chown($path, $user);
    return $path;
}

function clean_up(): void
{
    foreach ($GLOBALS['servers'] as [$process, $stop]) {
        proc_terminate($process, $stop);
    }
    $gives_up = time() + PATIENCE;
    foreach ($GLOBALS['servers'] as [$process]) {
        while (proc_get_status($process)['running']) {
            time() < $gives_up or proc_terminate($process, SIGKILL);
            usleep(20_000);
        }
    }
    passthru('rm -rf ' . escapeshellarg($GLOBALS['folder']));
}

/** Free ports, all different. */
function free_ports(int $count): array
{
    $sockets = array_map(fn () => stream_socket_server('tcp://127.0.0.1:0'), range(1, $count));
    return array_map(fn ($socket) => (int) explode(':', stream_socket_get_name($socket, false))[1], $sockets);
}

function listens(int $port): callable
{
    return fn () => (bool) @fsockopen('127.0.0.1', $port);
}

[$memcached, $redis, $mysql, $pg] = free_ports(4);
serve('memcached', ['memcached', '-l', '127.0.0.1', '-p', "$memcached", '-U', '0', '-m', '1024'], listens($memcached), 'nobody');
serve('redis', ['redis-server', '--bind', '127.0.0.1', '--port', "$redis", '--dir', $folder, '--save', '', '--appendonly', 'no'], listens($redis));

$data = folder_of('mariadb', 'mysql');
file_put_contents("$folder/init.sql", <<<'SQL'
    CREATE DATABASE tiebreak;
    CREATE USER tiebreak@'127.0.0.1';
    GRANT ALL ON tiebreak.* TO tiebreak@'127.0.0.1';

    SQL);
run('mariadb', ['mariadb-install-db', '--no-defaults', "--datadir=$data/data", "--tmpdir=$data", '--skip-test-db',
    '--auth-root-authentication-method=normal', '--skip-name-resolve'], 'mysql');
serve('mariadb', ['mariadbd', '--no-defaults', "--datadir=$data/data", "--socket=$data/socket", "--pid-file=$data/pid",
    "--tmpdir=$data", "--port=$mysql", '--bind-address=127.0.0.1', '--skip-name-resolve',
    "--init-file=$folder/init.sql", '--max-heap-table-size=1G'], listens($mysql), 'mysql');

$data = folder_of('postgres', 'postgres');
run('postgres', ['initdb', '-D', "$data/data", '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync'], 'postgres');
$is_ready = fn () => proc_close(start('pg_isready', ['pg_isready', '-h', '127.0.0.1', '-p', "$pg"])) === 0;
serve('postgres', ['postgres', '-D', "$data/data", '-p', "$pg", '-c', 'listen_addresses=127.0.0.1',
    '-c', "unix_socket_directories=$data", '-c', 'fsync=off', '-c', 'synchronous_commit=off',
    '-c', 'full_page_writes=off'], $is_ready, 'postgres', SIGINT);

file_put_contents("$folder/addresses.json", json_encode([
    'memcached' => "memcached://127.0.0.1:$memcached",
    'redis' => "redis://127.0.0.1:$redis",
    'mysql' => "mysql://tiebreak@127.0.0.1:$mysql/tiebreak",
    'postgres' => "postgres://postgres@127.0.0.1:$pg/postgres",
    'files' => "file://$folder/files",
]));
putenv("TMPDIR=$folder");
$running = proc_open($command, [STDIN, STDOUT, STDERR], $pipes) or exit(127);
do {
    usleep(50_000);
    $status = proc_get_status($running);
} while ($status['running']);
exit($status['signaled'] ? 128 + $status['termsig'] : $status['exitcode']);
