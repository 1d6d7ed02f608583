<?php
// Connects to a database, runs `SELECT 1`, fetches its result, closes, and sends what was
// fetched: the same bytes whichever database it was and however it was connected to.
//
// What the launch sets in the environment:
//   DATABASE       mysql, postgresql or oracle
//   CONNECTIONS    fresh or persistent
//   DATABASE_PORT  of MySQL, PostgreSQL or PgBouncer on 127.0.0.1
//   ORACLE         of Oracle: its address, as oracle://USER:PASSWORD@HOST:1521/SERVICE
//   CHARSET        of Oracle, if the client is to name a character set

function from_mysql(bool $is_persistent, int $port): string
{
    $link = mysqli_connect($is_persistent ? 'p:127.0.0.1' : '127.0.0.1', 'root', '', '', $port);
    $fetched = mysqli_fetch_row(mysqli_query($link, 'SELECT 1'))[0];
    mysqli_close($link);
    return $fetched;
}

function from_postgresql(bool $is_persistent, int $port): string
{
    $connect = $is_persistent ? pg_pconnect(...) : pg_connect(...);
    $link = $connect("host=127.0.0.1 port=$port user=postgres dbname=postgres");
    $fetched = pg_fetch_row(pg_query($link, 'SELECT 1'))[0];
    pg_close($link);
    return $fetched;
}

// NOT TESTED: neither an Oracle nor the extension oci8 was at hand.
function from_oracle(bool $is_persistent, string $address, string $charset): string
{
    ['host' => $host, 'port' => $port, 'path' => $service] = $parts = parse_url($address);
    [$user, $password] = array_map(rawurldecode(...), [$parts['user'], $parts['pass']]);
    $connect = $is_persistent ? oci_pconnect(...) : oci_connect(...);
    $link = $connect($user, $password, "//$host:$port$service", $charset);
    $statement = oci_parse($link, 'SELECT 1 FROM dual');
    oci_execute($statement);
    $fetched = oci_fetch_row($statement)[0];
    oci_close($link);
    return $fetched;
}

// Functions that only warn end the page, too.
set_error_handler(fn (int $level, string $text) => throw new ErrorException($text));

try {
    $is_persistent = getenv('CONNECTIONS') === 'persistent';
    $port = (int) getenv('DATABASE_PORT');
    $fetched = match (getenv('DATABASE')) {
        'mysql' => from_mysql($is_persistent, $port),
        'postgresql' => from_postgresql($is_persistent, $port),
        'oracle' => from_oracle($is_persistent, getenv('ORACLE'), (string) getenv('CHARSET')),
    };
    echo "<html><body>fetched: $fetched</body></html>\n";
} catch (Throwable $error) {
    error_log($error->getMessage());
    http_response_code(500);
    echo htmlspecialchars($error->getMessage()), "\n";
}
