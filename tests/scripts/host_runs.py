#!/usr/bin/env python3
"""Lets a host come and go in a run under launch --nodes 1:2, and counts samples.

  host_runs.py LAUNCHER PROGRAM [--epochs N] [--seed S]

PROGRAM is run_campaign, as in kill_runs.py, whose steps take 5 ms and more. Two launchers on this machine stand for hosts. The second
one is killed, or in turn asked to end, every few seconds, and starts again later. Fails if a sample was lost or delivered twice in an
epoch, or no host left.
"""

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

from kill_runs import SAMPLES, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("launcher")
    parser.add_argument("program")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    with socket.create_server(("", 0)) as probe:
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="minima-host-runs-") as folder, open(os.path.join(folder, "log"), "w+") as log:

        def host(*flags):
            return subprocess.Popen(
                [options.launcher, "-n", "1", "--nodes", "1:2", "--address", "localhost", "--port", str(port), "--token", "job", *flags,
                 "--timeout", "2", "--max-restarts", "100000", "--pause", "0.05", "--join-wait", "0.5", options.program, folder,
                 str(options.epochs), "0.005"],
                stdout=log, stderr=log, env=dict(os.environ, MINIMA_DISTRIBUTED_SECRET="not a secret, but long enough"))

        first, second, began, left = host("--node-rank", "0"), host(), time.monotonic(), 0
        until = began + 20 * options.epochs
        while first.poll() is None and time.monotonic() < until:
            time.sleep(draw.uniform(1.5, 2.5))
            if first.poll() is not None:
                break
            second.send_signal(signal.SIGKILL if left % 2 == 0 else signal.SIGTERM)
            second.wait()
            left += 1
            time.sleep(draw.uniform(0.5, 1.5))
            second = host()
        if first.poll() is None:
            first.kill()
        second.kill()
        second.wait()
        lost, twice = count(folder, options.epochs)
        log.seek(0)
        text = log.read()
        joins = text.count("another host is there")
        print(f"{options.epochs} epochs of {SAMPLES} samples in {time.monotonic() - began:.0f} s, a host left {left} times and joined a "
              f"running job {joins} times: {lost} lost, {twice} twice")
        if first.wait() != 0 or lost or twice or not left or not joins:
            print(text[-3000:])
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
