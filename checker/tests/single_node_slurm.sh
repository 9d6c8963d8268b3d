#!/usr/bin/env bash
# single_node_slurm.sh FOLDER COMMAND...: runs the command beside a Slurm of its own, of this machine with four processors and two
# GPUs, which it need not have, and ends it. The folder gets its state and its logs. Exit status: that of the command; 77 where Slurm
# is not installed.
set -euo pipefail
folder=$1
shift
PATH=$PATH:/usr/sbin:/sbin
for program in slurmctld slurmd sbatch munged; do
  if ! command -v "$program" >/dev/null; then
    printf 'Skipped: %s is not installed (Debian: slurmctld slurmd slurm-client munge).\n' "$program"
    exit 77
  fi
done
rm -rf "$folder"
mkdir -p "$folder"/{state,spool,log}
chmod 700 "$folder"
folder=$(cd "$folder" && pwd)

# Ports, a key and a socket of its own: another Slurm on this machine notices nothing. The path of a socket is short.
read -r controller_port node_port < <(python3 -c 'import socket
held = [socket.socket() for _ in range(2)]
for one in held: one.bind(("", 0))
print(*(one.getsockname()[1] for one in held))')
sockets=$(mktemp -d)
chmod 755 "$sockets"
node=$(hostname -s)
user=$(id -un)
cat >"$folder/slurm.conf" <<CONF
ClusterName=streamlings
SlurmctldHost=$node(localhost)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$sockets/munge
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=50000,batch_sched_delay=0
# Commands wait so long for the controller, which starts beside the first of them.
MessageTimeout=60
GresTypes=gpu
SlurmdParameters=config_overrides
NodeName=$node NodeAddr=localhost CPUs=4 Gres=gpu:fake:2 State=UNKNOWN
PartitionName=grade Nodes=$node Default=YES MaxTime=INFINITE State=UP
CONF
printf "NodeName=$node Name=gpu Type=fake File=/dev/%s\n" null zero >"$folder/gres.conf"
printf 'CgroupPlugin=cgroup/v1\n' >"$folder/cgroup.conf"
head -c 128 /dev/urandom >"$folder/munge.key"
chmod 600 "$folder/munge.key"
export SLURM_CONF=$folder/slurm.conf

daemons=()
end() {
  scancel --quiet --user "$user" &>/dev/null || true
  if ((${#daemons[@]} > 0)); then kill "${daemons[@]}" 2>/dev/null || true; fi
  wait
  munged --stop --socket="$sockets/munge" &>/dev/null || true
  rm -rf "$sockets"
}
trap end EXIT

munged --force --key-file="$folder/munge.key" --socket="$sockets/munge" --pid-file="$folder/munge.pid" --log-file="$folder/log/munge" \
  --seed-file="$folder/munge.seed" 2>"$folder/log/munged"
slurmctld -D &>"$folder/log/controller" &
daemons+=($!)
slurmd -D &>"$folder/log/node" &
daemons+=($!)
"$@"
