<?php
// PDO as it comes: its driver of PostgreSQL prepares statements in the server, and that of MySQL
// writes the values into them.

require_once __DIR__ . '/../sql.php';

return function (array $at): array {
    $is_mysql = $at['scheme'] === 'mysql';
    $is_mysql ? needs('pdo_mysql', 'php-mysql') : needs('pdo_pgsql', 'php-pgsql');
    [$driver, $sql] = $is_mysql ? ['mysql', MYSQL] : ['pgsql', POSTGRES];
    $name = ltrim($at['path'], '/');
    $database = new PDO("$driver:host={$at['host']};port={$at['port']};dbname=$name", $at['user']);
    $database->exec($sql['create']);
    $set = $database->prepare(sprintf($sql['set'], '?', '?'));
    $get = $database->prepare(sprintf($sql['get'], '?'));
    $incr = $database->prepare(sprintf($sql['incr'], '?'));
    return [
        'set' => fn (string $key, string $value) => $set->execute([$key, $value]),
        'get' => fn (string $key) => $get->execute([$key]) ? $get->fetchColumn() : false,
        'incr' => function (string $key) use ($database, $incr, $is_mysql) {
            $incr->execute([$key]);
            return match (true) {
                $incr->rowCount() !== 1 => false,
                $is_mysql => $database->lastInsertId(),
                default => $incr->fetchColumn(),
            };
        },
    ];
};
