<?php
// Starts the Cassandra of a recipe of tiebreak, and becomes it.
//
//   php cassandra.php RECIPE DIRECTORY SOFTWARE PORT STORAGE-PORT
//
// RECIPE is a file such as protocols/thrift/recipes/common/1.2.toml. Its files are written to DIRECTORY.

[, $recipe, $directory, $software, $port, $storage] = $argv;
$text = file_get_contents($recipe) or exit("$recipe cannot be read\n");
preg_match('/periodic = """\n(.*?)"""/s', $text, $sync);
preg_match_all('/^"([^"]+)" = """\n(.*?)"""/ms', strstr($text, "\n[files]\n"), $files, PREG_SET_ORDER);
$heap = str_contains($recipe, '1.2') ? '256M' : '512M';
$values = [
    '{choice.commitlog_sync}' => $sync[1], '{choice.heap}' => $heap, '{temp}' => $directory,
    '{process}' => 'cassandra', '{software}' => $software, '{host}' => '127.0.0.1',
    '{port}' => $port, '{storage.port}' => $storage,
];
foreach ($files as [, $name, $content]) {
    $path = "$directory/" . strtr($name, $values);
    is_dir(dirname($path)) || mkdir(dirname($path), 0700, true);
    file_put_contents($path, strtr($content, $values)) !== false or exit("$path cannot be written\n");
}
$java = trim(shell_exec('command -v java') ?? '');
pcntl_exec($java, [
    '-Dcassandra.initial_token=0', "@$directory/cassandra/java.options",
    'org.apache.cassandra.service.CassandraDaemon',
]);
exit("java cannot be started: apt-get install default-jre-headless\n");
