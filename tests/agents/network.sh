# Two agents, each in a network namespace of its own, and a coordinator beside two servers. Once some
# rounds are recorded, the cable of agent 2 is cut, for as many seconds as $2 says, or for good.
#
#   network.sh TIEBREAK SECONDS|for-good
#
# It runs in namespaces of its own, so that no address is taken and all ends with it. Writes the exit
# codes of the three processes into `codes`.
set -e
tiebreak=$1 cut=$2
ip link set lo up
# The coordinator and the servers.
ip addr add 10.99.0.1/32 dev lo
# Names of network namespaces are files in /run.
mount -t tmpfs tmpfs /run
mkdir /run/netns
for agent in 1 2; do
    ip netns add "agent$agent"
    ip link add "to$agent" type veth peer name eth0 netns "agent$agent"
    ip addr add "10.99.$agent.1/24" dev "to$agent"
    ip link set "to$agent" up
    ip -n "agent$agent" link set lo up
    ip -n "agent$agent" addr add "10.99.$agent.2/24" dev eth0
    ip -n "agent$agent" link set eth0 up
    ip -n "agent$agent" route add default via "10.99.$agent.1"
done
cat >nginx.conf <<CONF
daemon off;
worker_processes 1;
error_log $PWD/nginx.log;
pid $PWD/nginx.pid;
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path $PWD/body; proxy_temp_path $PWD/proxy; fastcgi_temp_path $PWD/fastcgi;
    uwsgi_temp_path $PWD/uwsgi; scgi_temp_path $PWD/scgi;
    server { listen 10.99.0.1:8181; listen 10.99.0.1:8182; location / { return 200 "hello"; } }
}
CONF
nginx -c "$PWD/nginx.conf" -p "$PWD" >nginx.out 2>&1 &

export TIEBREAK_COORDINATOR=10.99.0.1:9311 TIEBREAK_TOKEN_FILE=$PWD/token TIEBREAK_SIZE=3
words="compare a=http://10.99.0.1:8181/ b=http://10.99.0.1:8182/ --agents env --out run --quiet
    --json report.json --slice 100ms --round 200ms --warm-up 100ms --pilot 200ms --connections 4
    --timeout 1s --matters 50% --cores 1 --no-cache"
case $cut in
for-good) words="$words --rounds 6000" ;;
*) words="$words --rounds 20" ;;
esac
TIEBREAK_RANK=0 "$tiebreak" $words 2>coordinator.err &
processes=$!
for agent in 1 2; do
    TIEBREAK_RANK=$agent ip netns exec "agent$agent" "$tiebreak" $words 2>"agent-$agent.err" &
    processes="$processes $!"
done
rounds=0
for _ in $(seq 600); do
    [ ! -e run/journal.jsonl ] || rounds=$(grep -c '"phase":"round"' run/journal.jsonl || true)
    [ "$rounds" -lt 4 ] || break
    sleep 0.1
done
[ "$rounds" -ge 4 ]
ip link set to2 down
if [ "$cut" != for-good ]; then
    sleep "$cut"
    ip link set to2 up
fi
for process in $processes; do
    code=0
    wait "$process" || code=$?
    echo "$code"
done >codes
