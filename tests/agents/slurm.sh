# Starts a Slurm of four nodes in the directory $1 and runs the rest of the arguments in it. It runs
# in network and process namespaces of its own, so that no port is taken and all ends with it.
set -e
home=$1
shift
ip link set lo up
# glibc returns no IPv4 address of a name where only 127.0.0.1 is configured.
ip addr add 10.77.0.1/24 dev lo
mkdir -p "$home"/{munge,spool/n1,spool/n2,spool/n3,spool/n4,state}
chmod 700 "$home/munge"
mungekey -c -f -k "$home/munge/key"
chmod 400 "$home/munge/key"
# Every user of the socket must reach it.
chmod 755 "$home/munge"
host=$(hostname -s)
{
    cat <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=26817
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket=$home/munge/socket
StateSaveLocation=$home/state
SlurmdSpoolDir=$home/spool/%n
SlurmctldPidFile=$home/ctld.pid
SlurmdPidFile=$home/slurmd-%n.pid
SlurmctldLogFile=$home/ctld.log
SlurmdLogFile=$home/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
SlurmdTimeout=60
SrunPortRange=27000-27100
CONF
    for node in 1 2 3 4; do
        echo "NodeName=n$node NodeHostname=$host NodeAddr=127.0.0.$node Port=2682$node CPUs=2 \
RealMemory=256 State=UNKNOWN"
    done
    echo "PartitionName=p Nodes=n[1-4] Default=YES State=UP"
} >"$home/slurm.conf"
export SLURM_CONF=$home/slurm.conf
munged -F --key-file="$home/munge/key" --socket="$home/munge/socket" \
    --pid-file="$home/munge/pid" --log-file="$home/munge/log" \
    --seed-file="$home/munge/seed" --num-threads=2 >"$home/munged.out" 2>&1 &
for _ in $(seq 300); do
    [ ! -S "$home/munge/socket" ] || break
    sleep 0.1
done
slurmctld -D -c -f "$SLURM_CONF" >"$home/ctld.out" 2>&1 &
for node in 1 2 3 4; do
    slurmd -D -N "n$node" -f "$SLURM_CONF" >"$home/slurmd-$node.out" 2>&1 &
done
for _ in $(seq 300); do
    [ "$(sinfo -h -t idle -o %D 2>/dev/null)" != 4 ] || break
    sleep 0.1
done
"$@"
