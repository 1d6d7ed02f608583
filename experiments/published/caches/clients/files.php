<?php
// A file for each key in two levels of folders and under flock, as PEAR's Cache_Lite keeps them,
// without its checksums and its reading back.

return function (array $at): array {
    $folder = fn (string $key) => "{$at['path']}/{$key[0]}/{$key[1]}";
    return [
        'set' => function (string $key, string $value) use ($folder): bool {
            $folder = $folder($key);
            is_dir($folder) || mkdir($folder, 0700, true);
            $file = fopen("$folder/$key", 'wb') or fail("$folder/$key cannot be written");
            $written = flock($file, LOCK_EX) && fwrite($file, $value) === strlen($value);
            return fclose($file) && $written;
        },
        'get' => function (string $key) use ($folder): string|false {
            $path = "{$folder($key)}/$key";
            if (!is_file($path)) {
                return false;
            }
            $file = fopen($path, 'rb') or fail("$path cannot be read");
            $value = flock($file, LOCK_SH) ? stream_get_contents($file) : false;
            fclose($file);
            return $value;
        },
    ];
};
