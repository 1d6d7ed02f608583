#!/bin/sh
# Becomes a server with PHP, in the version that `php` has: `php.sh fpm ARGUMENTS...` is php-fpm, and
# `php.sh apache ARGUMENTS...` is Apache, which finds the file of mod_php in PHP_MODULE.
set -e
version=$(php -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
server=$1
shift
case $server in
fpm) exec "php-fpm$version" "$@" ;;
apache)
    export PHP_MODULE="modules/libphp$version.so"
    exec apache2 -DFOREGROUND "$@"
    ;;
esac
echo "php.sh: there is no server \`$server\`" >&2
exit 2
