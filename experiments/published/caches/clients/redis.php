<?php
// php-redis.

return function (array $at): array {
    needs('redis', 'php-redis');
    $redis = new Redis();
    $redis->connect($at['host'], $at['port']);
    return ['set' => $redis->set(...), 'get' => $redis->get(...), 'incr' => $redis->incr(...)];
};
