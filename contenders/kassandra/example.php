<?php
// A page of a blog: its newest posts. Needs a table of this name:
//
//   CREATE TABLE blog."Posts" (key text, name text, title text, body text, PRIMARY KEY (key, name));
//
// On the command line: php -d extension=…/libkassandra.so example.php cql://127.0.0.1:9042

$hosts = PHP_SAPI === 'cli' ? $argv[1] ?? 'cql://127.0.0.1' : 'cql://127.0.0.1';
try {
    kassandra_connect($hosts, ['timeout' => 2]);
    kassandra_insert('blog', 'Posts', 'alice', [
        date('c') => ['title' => 'Hello', 'body' => 'Written by process ' . getmypid()],
    ]);
    foreach (kassandra_get_columns('blog', 'Posts', 'alice', 10) as $time => $post) {
        echo htmlspecialchars("$time {$post['title']}: {$post['body']}"), "\n";
    }
} catch (KassandraException $error) {
    http_response_code($error->kind === 'invalid' ? 500 : 503);
    echo htmlspecialchars("$error->kind: {$error->getMessage()}"), "\n";
}
