#!/bin/sh
# Runs a command that finds a tmpfs of this size at /dev/shm/tiebreak-caches-small:
#
#   sh tmpfs.sh 64m tiebreak compare tmpfs.toml
#
# Only the command sees it, and it is gone when the command ends.
set -eu
[ $# -ge 2 ] || { echo "usage: sh tmpfs.sh SIZE COMMAND..." >&2; exit 2; }
size=$1
shift
directory=/dev/shm/tiebreak-caches-small
# A user who is not root may mount in a namespace of his own.
namespaces=--mount
[ "$(id -u)" = 0 ] || namespaces="--user --map-root-user --mount"
mkdir -p "$directory"
status=0
# shellcheck disable=SC2016,SC2086
unshare $namespaces sh -c '
    mount -t tmpfs -o "size=$0,mode=700" tmpfs "$1" && shift && exec "$@"' \
    "$size" "$directory" "$@" || status=$?
rmdir "$directory"
exit "$status"
