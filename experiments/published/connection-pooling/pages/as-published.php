<?php
// What the published page did: it connects, has its query parsed, never executes it, closes,
// and sends nothing. The variables of the environment are those of page.php.

$host = getenv('CONNECTIONS') === 'persistent' ? 'p:127.0.0.1' : '127.0.0.1';
$link = mysqli_connect($host, 'root', '', '', (int) getenv('DATABASE_PORT'));
mysqli_prepare($link, 'SELECT 1');
mysqli_close($link);
