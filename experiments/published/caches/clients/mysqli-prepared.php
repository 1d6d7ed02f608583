<?php
// mysqli with statements that are prepared once.

require_once __DIR__ . '/../sql.php';

return function (array $at): array {
    $database = mysqli_at($at);
    $set = $database->prepare(sprintf(MYSQL['set'], '?', '?'));
    $get = $database->prepare(sprintf(MYSQL['get'], '?'));
    $incr = $database->prepare(sprintf(MYSQL['incr'], '?'));
    return [
        // Without it the connection would end here: a statement does not hold it.
        'connection' => $database,
        'set' => fn (string $key, string $value) => $set->execute([$key, $value]),
        'get' => function (string $key) use ($get) {
            $get->execute([$key]);
            return $get->get_result()->fetch_row()[0] ?? false;
        },
        'incr' => function (string $key) use ($incr) {
            $incr->execute([$key]);
            return $incr->affected_rows === 1 ? $incr->insert_id : false;
        },
    ];
};
