<?php
// The native client.

function connect(): void
{
    kassandra_connect(getenv('CASSANDRA'), ['persistent' => getenv('CONNECTIONS') === 'persistent']);
}

function row(string $family, string $key): array
{
    return kassandra_get_row('Blog', $family, $key);
}

function super_column(string $family, string $key, string $name): array
{
    return kassandra_get_super_column('Blog', $family, $key, $name);
}
