<?php
// Loads the rows of the experiment, starts Apache's prefork with mod_php, and becomes it.
//
//   php -d extension=libkassandra.so apache.php CLIENT CONNECTIONS CACHES FOLDER PORT CASSANDRA
//
// CLIENT: interpreted, accelerated or kassandra. CONNECTIONS: persistent or fresh. CACHES: on or
// off (opcache and APCu). FOLDER: where its files go. CASSANDRA: such as thrift://127.0.0.1:9160.

[, $client, $connections, $caches, $folder, $port, $cassandra] = $argv;
require __DIR__ . '/load.php';
load($cassandra);

$library = __DIR__ . '/../../../target/kassandra/release/libkassandra.so';
$extensions = [
    'interpreted' => [],
    'accelerated' => ['extension=thrift_protocol.so'],
    'kassandra' => ["extension=$library"],
][$client] ?? exit("there is no client `$client`\n");
$on = (int) ($caches === 'on');
$settings = [...$extensions, "opcache.enable=$on", "apc.enabled=$on", 'error_reporting=E_ALL & ~E_DEPRECATED', 'display_errors=0'];
is_dir("$folder/php") || mkdir("$folder/php");
file_put_contents("$folder/php/php.ini", implode("\n", $settings) . "\n");
// Children run as another user where this is root.
chmod("$folder/php/php.ini", 0644);
$pages = __DIR__ . '/pages';
file_put_contents("$folder/apache.conf", <<<E
ServerRoot /usr/lib/apache2
ServerName 127.0.0.1
PidFile "$folder/apache.pid"
DefaultRuntimeDir "$folder"
Mutex posixsem
Listen 127.0.0.1:$port
ListenBacklog 1024
ErrorLog /dev/stderr
LoadModule mpm_prefork_module modules/mod_mpm_prefork.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule env_module modules/mod_env.so
LoadModule php_module modules/libphp8.2.so
PHPINIDir "$folder/php"
User www-data
Group www-data
# As many processes as connections in the experiment, and none that ends for being idle.
StartServers 10
ServerLimit 10
MaxRequestWorkers 10
MinSpareServers 10
MaxSpareServers 10
KeepAlive On
KeepAliveTimeout 75
MaxKeepAliveRequests 0
SetEnv CLIENT $client
SetEnv CONNECTIONS $connections
SetEnv CASSANDRA $cassandra
SetEnv GENERATED "$folder/gen-php"
DocumentRoot "$pages"
<Directory "$pages">
    Require all granted
    SetHandler application/x-httpd-php
</Directory>
E);
$apache = trim(shell_exec('PATH=$PATH:/usr/sbin command -v apache2') ?? '');
pcntl_exec($apache, ['-DFOREGROUND', '-f', "$folder/apache.conf"]);
exit("apache2 cannot be started: apt-get install apache2 libapache2-mod-php8.2\n");
