<?php
// A file for each key in two levels of directories and under flock, as PEAR's Cache_Lite keeps them,
// without its checksums and its reading back.

return function (array $at): array {
    $directory = fn (string $key) => "{$at['path']}/{$key[0]}/{$key[1]}";
    return [
        'set' => function (string $key, string $value) use ($directory): bool {
            $directory = $directory($key);
            is_dir($directory) || mkdir($directory, 0700, true);
            $file = fopen("$directory/$key", 'wb') or fail("$directory/$key cannot be written");
            $written = flock($file, LOCK_EX) && fwrite($file, $value) === strlen($value);
            return fclose($file) && $written;
        },
        'get' => function (string $key) use ($directory): string|false {
            $path = "{$directory($key)}/$key";
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
