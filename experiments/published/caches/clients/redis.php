<?php
// php-redis.

return function (array $at): array {
    needs('redis', 'php8.2-redis');
    $redis = new Redis();
    $redis->connect($at['host'], $at['port']);
    return ['set' => $redis->set(...), 'get' => $redis->get(...), 'incr' => $redis->incr(...)];
};
