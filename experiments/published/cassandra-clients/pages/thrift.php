<?php
// php-thrift and the code that Thrift's compiler made. TBinaryProtocol is interpreted;
// TBinaryProtocolAccelerated calls thrift_protocol.so.

use cassandra\{CassandraClient, ColumnParent, ConsistencyLevel, SlicePredicate, SliceRange};
use Thrift\Protocol\{TBinaryProtocol, TBinaryProtocolAccelerated};
use Thrift\Transport\{TFramedTransport, TSocket};

spl_autoload_register(function (string $class): void {
    $path = str_replace('\\', '/', $class);
    $ours = str_starts_with($path, 'Thrift/');
    require ($ours ? '/usr/lib/php/' . substr($path, 7) : getenv('TEMP') . "/gen-php/$path") . '.php';
});

function connect(): void
{
    global $thrift;
    $address = parse_url(getenv('CASSANDRA'));
    $socket = new TSocket($address['host'], $address['port'], getenv('CONNECTIONS') === 'persistent');
    $socket->setRecvTimeout(5000);
    $transport = new TFramedTransport($socket);
    $is_native = getenv('CLIENT') === 'accelerated';
    $thrift = new CassandraClient(
        $is_native ? new TBinaryProtocolAccelerated($transport) : new TBinaryProtocol($transport)
    );
    $transport->open();
    $thrift->set_keyspace('Blog');
}

function row(string $family, string $key): array
{
    return slice(new ColumnParent(['column_family' => $family]), $key);
}

function super_column(string $family, string $key, string $name): array
{
    return slice(new ColumnParent(['column_family' => $family, 'super_column' => $name]), $key);
}

function slice(ColumnParent $parent, string $key): array
{
    global $thrift;
    $range = new SliceRange(['start' => '', 'finish' => '', 'reversed' => false, 'count' => 100]);
    $all = new SlicePredicate(['slice_range' => $range]);
    $columns = [];
    foreach ($thrift->get_slice($key, $parent, $all, ConsistencyLevel::ONE) as $found) {
        $columns[$found->column->name] = $found->column->value;
    }
    return $columns;
}
