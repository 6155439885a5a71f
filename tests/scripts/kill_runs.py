#!/usr/bin/env python3
"""Kills ranks of a run at random moments under scripts/launch --max-restarts, and counts what became of its samples.

  kill_runs.py LAUNCHER RUN_CAMPAIGN [--kills N] [--ranks A,B,…] [--seed N]

Numbers of ranks must divide 8, the batch of all ranks: else the end of an epoch is padded. The run saves in the background every seven steps. A rank is killed with SIGKILL, stopped with SIGSTOP, or asked to end with
SIGTERM; then the job starts again, with the next number of ranks after each SIGTERM. In the end each sample must have been
delivered once per epoch by steps that counted, and the folder must hold complete states only. Fails otherwise, or if an
attempt hangs for a minute.
"""

import argparse
import collections
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

SAMPLES = 960
BATCH = 8  # of a step, over all ranks
MOST_IN_A_ROW = 6  # failures, after which the job ends and starts again: the launcher's pause doubles with each


def children(process):
    """The ranks of a launcher, in the order of their starts."""
    try:
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except FileNotFoundError:
        return []


def steps(folder):
    """The last step that a rank has begun to note."""
    last = 0
    for name in os.listdir(folder):
        if name.startswith("delivered."):
            with open(os.path.join(folder, name)) as file:
                last = max([last] + [int(line.split(" ", 1)[0]) for line in file])
    return last


def count(folder, epochs):
    """Times that each sample was delivered by steps that were not repeated later. Attempts are told apart by their first step."""
    by_rank = {}
    for name in os.listdir(folder):
        if not name.startswith("delivered."):
            continue
        by_step = by_rank[int(name.split(".")[1])] = {}
        with open(os.path.join(folder, name)) as file:
            for line in file:
                step, *ids = [int(word) for word in line.split()]
                for later in [s for s in by_step if s >= step]:  # an attempt that resumed before them
                    del by_step[later]
                by_step[step] = ids
    times = collections.Counter()
    for rank, by_step in by_rank.items():
        for step, ids in by_step.items():
            # What is left of a rank that was not there when the step was repeated does not count: ranks have equal shares.
            if rank == 0 or rank < BATCH // len(by_rank[0][step]):
                times.update(ids)
    lost = sum(1 for sample in range(SAMPLES) if times[sample] < epochs)
    twice = sum(1 for sample in range(SAMPLES) if times[sample] > epochs)
    return lost, twice


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("launcher")
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--ranks", default="2", help="numbers of ranks, in turn after each SIGTERM")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    sizes = [int(word) for word in options.ranks.split(",")]
    if any(8 % size for size in sizes):
        parser.error("--ranks: numbers that divide 8")
    kinds = collections.Counter()
    recoveries = []
    with tempfile.TemporaryDirectory(prefix="minima-kill-runs-") as folder:
        done, size, epochs = 0, 0, 5 + 2 * options.kills // 3
        log = open(os.path.join(folder, "log"), "w+")
        while True:
            job = subprocess.Popen([options.launcher, "-n", str(sizes[size % len(sizes)]), "--max-restarts", "1000", "--pause", "0.05",
                                    "--timeout", "2", options.program, folder, str(epochs)], stdout=log, stderr=log)
            killed_at, in_a_row = None, 0
            while job.poll() is None:
                before = steps(folder)
                begun = time.monotonic()
                while job.poll() is None and steps(folder) == before:
                    time.sleep(0.01)
                    if time.monotonic() - begun > 60:
                        job.kill()
                        log.seek(0)
                        sys.exit("kill_runs: no step for a minute\n" + log.read()[-3000:])
                if killed_at is not None:
                    recoveries.append(time.monotonic() - killed_at)
                    killed_at = None
                if done == options.kills:
                    job.wait(600)
                    break
                time.sleep(draw.uniform(0, 0.15))
                kind = draw.choices([signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM], [6, 1, 3])[0]
                ranks = children(job)
                if not ranks:  # the job has ended, or its ranks have, and it starts them again
                    continue
                if in_a_row == MOST_IN_A_ROW:
                    kind = signal.SIGTERM
                in_a_row += 1
                if len(ranks) == 1 and kind == signal.SIGSTOP:
                    kind = signal.SIGKILL  # no other rank would miss it
                done += 1
                kinds[kind.name] += 1
                killed_at = time.monotonic()
                if kind == signal.SIGTERM:
                    job.send_signal(kind)
                    job.wait(60)
                    size += 1
                    break
                try:
                    os.kill(draw.choice(ranks), kind)
                except ProcessLookupError:
                    pass
            if job.returncode == 0:
                break
            if job.returncode != 75:
                log.seek(0)
                sys.exit(f"kill_runs: the job ended with {job.returncode}\n" + log.read()[-3000:])
        lost, twice = count(folder, epochs)
        left = [n for n in os.listdir(os.path.join(folder, "run")) if not re.fullmatch(r"step-\d+(\.\d+)?|latest|progress", n)]
        recoveries.sort()
        median = recoveries[len(recoveries) // 2] if recoveries else 0
        print(f"{done} faults ({', '.join(f'{n} {k}' for k, n in sorted(kinds.items()))}), {epochs} epochs of {SAMPLES} samples, "
              f"ranks {options.ranks}: {lost} lost, {twice} twice, left behind {left}; recovery median {median:.1f} s, "
              f"longest {max(recoveries, default=0):.1f} s")
        return 0 if not lost and not twice and not left and done == options.kills else 1


if __name__ == "__main__":
    sys.exit(main())
