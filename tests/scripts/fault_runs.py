#!/usr/bin/env python3
"""Injects faults into a small run under --max-restarts, and counts samples, hangs and recovery times.

  fault_runs.py LAUNCHER PROGRAM [--faults N] [--ranks 2,3,1] [--seed S]

PROGRAM is run_campaign, as in kill_runs.py. In turn, at random moments and on random ranks:

  kill          SIGKILL of a rank other than 0
  kill store    SIGKILL of rank 0, which has the store
  stop          SIGSTOP for good
  pause         SIGSTOP for half a second, which must cost no restart
  cut           one TCP connection of a rank is shut down while both sides live; some the job can do without
  wrong secret  a process with another secret tries to join; it must fail, and the job go on
  slow link     all TCP connections of a rank send at most 20 kB/s for a second, which must cost no restart
  half-open     connections to the store that say nothing; the job must go on
  end           SIGTERM to the launcher: exit code 75, and the job is started with the next number of ranks

In the end each sample must have been delivered once per epoch by steps that counted. Fails otherwise, if no step follows a fault for a
minute, and if a fault that the job must survive cost a restart.
"""

import argparse
import collections
import ctypes
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

from kill_runs import BATCH, SAMPLES, children, count, steps

HARMLESS = {"pause", "slow link", "wrong secret", "half-open"}
KINDS = ["kill", "kill store", "stop", "pause", "cut", "slow link", "wrong secret", "half-open", "end"]
MOST_IN_A_ROW = 3  # failures, after which the job ends and starts again: the launcher's pause doubles with each


def variables(rank):
    with open(f"/proc/{rank}/environ", "rb") as file:
        return dict(entry.split("=", 1) for entry in file.read().decode().split("\0") if "=" in entry)


def connections(rank):
    """The descriptors of a process that are established TCP connections."""
    with open(f"/proc/{rank}/net/tcp") as file:
        established = {line.split()[9] for line in file.readlines()[1:] if line.split()[3] == "01"}
    found = []
    for name in os.listdir(f"/proc/{rank}/fd"):
        try:
            target = os.readlink(f"/proc/{rank}/fd/{name}")
        except OSError:
            continue
        match = re.fullmatch(r"socket:\[(\d+)\]", target)
        if match and match[1] in established:
            found.append(int(name))
    return found


def links(rank, descriptors):
    """The connections of another process, shared with it; those that it has closed by now are left out."""
    process = os.pidfd_open(rank)
    libc = ctypes.CDLL(None, use_errno=True)
    copies = [libc.syscall(438, process, descriptor, 0) for descriptor in descriptors]  # pidfd_getfd
    os.close(process)
    return [socket.socket(fileno=copy) for copy in copies if copy >= 0]


def cut(rank, draw):
    """Shuts down a connection of another process. False if it has none."""
    found = connections(rank)
    shared = links(rank, [draw.choice(found)]) if found else []
    for link in shared:
        with link:
            link.shutdown(socket.SHUT_RDWR)
    return bool(shared)


def slow_down(rank, bytes_per_second, seconds):
    """Slows down all connections of another process for a while. False if it has none."""
    shared = links(rank, connections(rank))
    for rate in [bytes_per_second, -1]:  # -1: no limit
        for link in shared:
            link.setsockopt(socket.SOL_SOCKET, 47, rate)  # SO_MAX_PACING_RATE
        if rate > 0:
            time.sleep(seconds)
    for link in shared:
        link.close()
    return bool(shared)


class Job:
    """The runs of a launcher until all faults are injected."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.draw = random.Random(options.seed)
        self.sizes = [int(word) for word in options.ranks.split(",")]
        self.size, self.in_a_row = 0, 0
        self.turn = []  # kinds that are still to come
        self.recoveries = collections.defaultdict(list)
        self.complaints = []
        self.log = open(os.path.join(folder, "log"), "w+")
        self.silent = []  # half-open connections
        self.epochs = 1000000  # until all faults are injected

    def restarts(self):
        with open(self.log.name) as file:
            return file.read().count("launch: restart ")

    def start(self):
        self.process = subprocess.Popen(
            [self.options.launcher, "-n", str(self.sizes[self.size % len(self.sizes)]), "--max-restarts", "1000", "--pause", "0.05",
             "--timeout", "2", self.options.program, self.folder, str(self.epochs), "0.005"], stdout=self.log, stderr=self.log)
        self.in_a_row = 0

    def wait_for_step(self, before):
        """False if the job has ended."""
        begun = time.monotonic()
        while self.process.poll() is None and steps(self.folder) <= before:
            time.sleep(0.01)
            if time.monotonic() - begun > 60:
                self.process.kill()
                with open(self.log.name) as file:
                    sys.exit("fault_runs: a hang: no step for a minute\n" + file.read()[-3000:])
        return self.process.poll() is None

    def next_kind(self):
        if self.in_a_row == MOST_IN_A_ROW:
            return "end"
        if not self.turn:
            self.turn = KINDS[:]
            self.draw.shuffle(self.turn)
        return self.turn.pop()

    def inject(self, kind, ranks):
        """False if the fault could not be injected."""
        others = ranks[1:] or ranks
        if kind == "kill":
            os.kill(self.draw.choice(others), signal.SIGKILL)
        elif kind == "kill store":
            os.kill(ranks[0], signal.SIGKILL)
        elif kind == "stop" and len(ranks) > 1:  # else no other rank would miss it
            os.kill(self.draw.choice(ranks), signal.SIGSTOP)
        elif kind == "pause":
            rank = self.draw.choice(ranks)
            os.kill(rank, signal.SIGSTOP)
            time.sleep(0.5)
            os.kill(rank, signal.SIGCONT)
        elif kind == "cut" and len(ranks) > 1:
            return cut(self.draw.choice(ranks), self.draw)
        elif kind == "slow link" and len(ranks) > 1:
            return slow_down(self.draw.choice(ranks), 20000, 1)
        elif kind == "wrong secret" and len(ranks) > 1:
            environment = dict(variables(self.draw.choice(others)), MINIMA_DISTRIBUTED_SECRET="another", MINIMA_FAILURE_FILE="")
            with tempfile.TemporaryDirectory() as elsewhere:
                intruder = subprocess.run([self.options.program, elsewhere, "1"], env=environment, capture_output=True, timeout=60)
            if intruder.returncode == 0:
                self.complaints.append("a process with another secret took part")
        elif kind == "half-open" and len(ranks) > 1:
            for _ in range(8):
                self.silent.append(socket.create_connection(("127.0.0.1", int(variables(ranks[0])["MASTER_PORT"])), timeout=2))
        elif kind == "end":
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(60)
            if self.process.returncode != 75:
                self.complaints.append(f"SIGTERM ended the job with {self.process.returncode}")
            self.size += 1
            self.start()
        else:
            return False
        return True

    def run(self):
        done = 0
        self.start()
        while self.wait_for_step(steps(self.folder)) and done < self.options.faults:
            time.sleep(self.draw.uniform(0, 0.15))
            ranks, kind = children(self.process), self.next_kind()
            if self.process.poll() is not None or not ranks:
                break
            before, restarts, began = steps(self.folder), self.restarts(), time.monotonic()
            try:
                if not self.inject(kind, ranks):
                    continue
            except (ProcessLookupError, FileNotFoundError, ConnectionError) as error:  # the rank has just ended
                self.complaints.append(f"{kind}: {error}")
            done += 1
            # The step after the fault may be one that was under way; a failure shows in a restart.
            if not self.wait_for_step(before):
                break
            if kind not in HARMLESS and kind != "end":
                self.in_a_row += 1
                while self.restarts() == restarts and time.monotonic() - began < (8 if kind == "cut" else 20) and self.process.poll() is None:
                    time.sleep(0.01)
                if self.restarts() == restarts:
                    self.complaints.append(f"{kind} cost no restart" if kind != "cut" else "")
                elif not self.wait_for_step(steps(self.folder)):
                    break
            elif self.restarts() != restarts:
                self.complaints.append(f"{kind} cost a restart")
            self.recoveries[kind].append(time.monotonic() - began)
        # Start again to the end of the epoch.
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(60) == 75:
            self.epochs = steps(self.folder) * BATCH // SAMPLES + 1
            self.start()
        code = self.process.wait(600)
        if code != 0:
            with open(self.log.name) as file:
                sys.exit(f"fault_runs: the job ended with {code}\n" + file.read()[-3000:])
        return done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("launcher")
    parser.add_argument("program")
    parser.add_argument("--faults", type=int, default=16)
    parser.add_argument("--ranks", default="2,4,2", help="numbers of ranks, in turn after each end")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="minima-fault-runs-") as folder:
        job = Job(options, folder)
        done = job.run()
        lost, twice = count(folder, job.epochs)
        with open(job.log.name) as file:
            costs = [line for line in file if "saves stopped" in line]
        left = [n for n in os.listdir(os.path.join(folder, "run")) if not re.fullmatch(r"step-\d+(\.\d+)?|latest|progress", n)]
    print("".join(costs), end="")
    print("| fault | injected | median s to the next step | longest |\n| --- | ---: | ---: | ---: |")
    for kind in KINDS:
        if times := sorted(job.recoveries[kind]):
            print(f"| {kind} | {len(times)} | {times[len(times) // 2]:.1f} | {times[-1]:.1f} |")
    complaints = collections.Counter(text for text in job.complaints if text)
    print(f"{done} faults, {job.epochs} epochs of {SAMPLES} samples, ranks {options.ranks}: {lost} lost, {twice} twice, 0 hangs, "
          f"left behind {left}" + "".join(f"; {n} times: {text}" for text, n in complaints.items()))
    return 0 if not lost and not twice and not left and not complaints and done == options.faults else 1


if __name__ == "__main__":
    sys.exit(main())
