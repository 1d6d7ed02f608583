<?php
// Both protocols by hand, for what kassandra does not do (schemas), and to see what it wrote
// with other eyes.

/** Sends a CQL statement by itself. Returns the body of the reply. */
function cql(string $address, string $statement): string
{
    $socket = stream_socket_client("tcp://$address", $number, $text, 5);
    stream_set_timeout($socket, 60);
    cql_ask($socket, 0x01, "\0\1\0\x0bCQL_VERSION\0\x053.0.0");
    $body = cql_ask($socket, 0x07, pack('N', strlen($statement)) . "$statement\0\1\0");
    fclose($socket);
    return $body;
}

function cql_ask($socket, int $opcode, string $body): string
{
    fwrite($socket, pack('CCnCN', 4, 0, 0, $opcode, strlen($body)) . $body);
    $header = unpack('Cversion/Cflags/nstream/Copcode/Nlength', stream_get_contents($socket, 9));
    $body = stream_get_contents($socket, $header['length']);
    if ($header['opcode'] === 0) {
        throw new Exception('CQL: ' . substr($body, 6));
    }
    return $body;
}

/** The first row of a table as an array, by SELECT JSON: its reply has one text. */
function cql_row(string $address, string $rest): array
{
    $body = cql($address, "SELECT JSON * FROM $rest");
    $start = strpos($body, '{');
    return json_decode(substr($body, $start, strrpos($body, '}') - $start + 1), true);
}

/** Calls a method of Thrift with fields that are encoded already. Returns the reply. */
function thrift(string $address, string $method, string $fields): string
{
    $socket = stream_socket_client("tcp://$address", $number, $text, 5);
    stream_set_timeout($socket, 60);
    $message = "\x80\1\0\1" . thrift_text($method) . pack('N', 1) . "$fields\0";
    fwrite($socket, thrift_text($message));
    $length = unpack('N', stream_get_contents($socket, 4))[1];
    $reply = stream_get_contents($socket, $length);
    fclose($socket);
    // After the name and the number of the call: field 0 is the result.
    $result = substr($reply, 12 + strlen($method), 3);
    if ($reply[3] !== "\2" || substr($result, 1, 2) !== "\0\0" && $result[0] !== "\0") {
        throw new Exception("Thrift: $method: " . addcslashes($reply, "\0..\37\177..\377"));
    }
    return $reply;
}

function thrift_text(string $text): string
{
    return pack('N', strlen($text)) . $text;
}

/** A field that is a string. */
function thrift_field(int $id, string $text): string
{
    return pack('Cn', 11, $id) . thrift_text($text);
}

/** A keyspace and its column families: name => [type, comparator]. */
function thrift_keyspace(string $address, string $name, int $replicas, array $families): void
{
    $all = '';
    foreach ($families as $family => [$type, $comparator]) {
        $all .= thrift_field(1, $name) . thrift_field(2, $family) . thrift_field(3, $type)
            . thrift_field(5, $comparator) . ($type === 'Super' ? thrift_field(6, 'UTF8Type') : '') . "\0";
    }
    $options = pack('CnCCN', 13, 3, 11, 11, 1) . thrift_text('replication_factor') . thrift_text("$replicas");
    $strategy = 'org.apache.cassandra.locator.SimpleStrategy';
    $definition = thrift_field(1, $name) . thrift_field(2, $strategy) . $options
        . pack('CnCN', 15, 5, 12, count($families)) . $all . "\0";
    thrift($address, 'system_add_keyspace', pack('Cn', 12, 1) . $definition);
}
