<?php
// php-memcache, which speaks the protocol itself.

return function (array $at): array {
    needs('memcache', 'php-memcache');
    $memcache = new Memcache();
    $memcache->connect($at['host'], $at['port']) or fail('memcached does not answer');
    return ['set' => $memcache->set(...), 'get' => $memcache->get(...), 'incr' => $memcache->increment(...)];
};
