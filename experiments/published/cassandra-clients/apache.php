<?php
// Loads the rows of the experiment, writes PHP's settings, and becomes Apache (apache.conf).
//
//   php -d extension=libkassandra.so apache.php
//
// Variables of the environment: CLIENT (interpreted, accelerated or kassandra), CACHES (on or off:
// opcache and APCu), LIBRARY (the extension), CASSANDRA (such as thrift://127.0.0.1:9160), TEMP
// (where files go), and those that apache.conf and the pages read.

require __DIR__ . '/load.php';
load(getenv('CASSANDRA'));

$client = getenv('CLIENT');
$extensions = [
    'interpreted' => [],
    'accelerated' => ['extension=thrift_protocol.so'],
    'kassandra' => ['extension=' . getenv('LIBRARY')],
][$client] ?? exit("there is no client `$client`\n");
$on = (int) (getenv('CACHES') === 'on');
$settings = [...$extensions, "opcache.enable=$on", "apc.enabled=$on", 'error_reporting=E_ALL & ~E_DEPRECATED', 'display_errors=0'];
$directory = getenv('TEMP');
is_dir("$directory/php") || mkdir("$directory/php");
file_put_contents("$directory/php/php.ini", implode("\n", $settings) . "\n");
// Children run as another user where this is root.
chmod("$directory/php/php.ini", 0644);
// The module of the same PHP, for which the extension was built.
putenv('PHP_MODULE=modules/libphp' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . '.so');
$apache = trim(shell_exec('PATH=$PATH:/usr/sbin command -v apache2') ?? '');
pcntl_exec($apache, ['-DFOREGROUND', '-f', __DIR__ . '/apache.conf']);
exit("apache2 cannot be started: apt-get install apache2-bin\n");
