<?php
// One row.

require __DIR__ . '/client.php';

phase('connect', fn () => connect());
page(phase('get', fn () => row('Users', 'user7')));
