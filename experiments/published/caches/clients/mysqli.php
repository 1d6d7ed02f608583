<?php
// mysqli with statements that hold their values.

require_once __DIR__ . '/../sql.php';

return function (array $at): array {
    $database = mysqli_at($at);
    return [
        'set' => fn (string $key, string $value) => $database->query(sprintf(MYSQL['set'], "'$key'", $value)),
        'get' => fn (string $key) => $database->query(sprintf(MYSQL['get'], "'$key'"))->fetch_row()[0] ?? false,
        'incr' => function (string $key) use ($database) {
            $database->query(sprintf(MYSQL['incr'], "'$key'"));
            return $database->affected_rows === 1 ? $database->insert_id : false;
        },
    ];
};
