<?php
// Ends well if both servers let the user in.

require __DIR__ . '/check.php';

try {
    foreach (['cql', 'thrift'] as $protocol) {
        kassandra_connect(hosts($protocol), options(['persistent' => false]));
    }
} catch (KassandraException $error) {
    echo $error->getMessage(), "\n";
    exit(1);
}
