<?php
// php-memcached, which is libmemcached.

return function (array $at): array {
    needs('memcached', 'php8.2-memcached');
    $memcached = new Memcached();
    $memcached->addServer($at['host'], $at['port']);
    return ['set' => $memcached->set(...), 'get' => $memcached->get(...), 'incr' => $memcached->increment(...)];
};
