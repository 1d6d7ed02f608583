<?php
// One super column.

require __DIR__ . '/client.php';

phase('connect', fn () => connect());
page(phase('get', fn () => super_column('Posts', 'user7', 'post1')));
