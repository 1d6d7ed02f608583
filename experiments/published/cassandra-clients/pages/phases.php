<?php
// Each step by itself: a first read, the same again, another column family, a super column.

require __DIR__ . '/client.php';

phase('connect', fn () => connect());
phase('first-get', fn () => row('Users', 'user7'));
phase('second-get', fn () => row('Users', 'user8'));
phase('new-column-family', fn () => row('Profiles', 'user7'));
page(phase('first-super-column', fn () => super_column('Posts', 'user7', 'post1')));
