<?php
// php-memcached, which is libmemcached.

return function (array $at): array {
    needs('memcached', 'php-memcached');
    $memcached = new Memcached();
    $memcached->addServer($at['host'], $at['port']);
    return ['set' => $memcached->set(...), 'get' => $memcached->get(...), 'incr' => $memcached->increment(...)];
};
