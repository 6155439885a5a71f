#!/usr/bin/env bash
# Runs a program as two ranks on each of two hosts: network namespaces, between which a link has a limited bandwidth in
# each direction. Needs root.
#   benchmarks/distributed/two_hosts.sh 800mbit PROGRAM [ARGUMENT…]
set -euo pipefail

rate=${1:?the bandwidth, such as 800mbit}
shift
name=minima-$$
hosts=("$name-0" "$name-1")
clean() { for host in "${hosts[@]}"; do ip netns del "$host" 2>/dev/null || true; done; }
trap clean EXIT
for host in "${hosts[@]}"; do
  ip netns add "$host"
  ip -n "$host" link set lo up
done
ip link add name eth-m netns "${hosts[0]}" type veth peer name eth-m netns "${hosts[1]}"
for i in 0 1; do
  ip -n "${hosts[$i]}" addr add "10.99.77.$((i + 1))/24" dev eth-m
  ip -n "${hosts[$i]}" link set eth-m up
  # Larger than a segment that the kernel passes on as a whole, and no losses: what is too fast waits.
  tc -n "${hosts[$i]}" qdisc add dev eth-m root tbf rate "$rate" burst 256kb limit 64mb
done
MINIMA_DISTRIBUTED_SECRET=$(openssl rand -hex 32)
export MINIMA_DISTRIBUTED_SECRET MINIMA_SOCKET_IFNAME=eth-m
start() { ip netns exec "${hosts[$1]}" "$(dirname "$0")/../../scripts/launch" -n 2 --nodes 2 --node-rank "$1" --address 10.99.77.1 --port 29500 --token "$name" "${@:2}"; }
start 1 "$@" &
start 0 "$@"
wait
