#!/usr/bin/env python3
"""Compares train::goodput's prediction with a run whose failures come in accelerated time.

  goodput_runs.py LAUNCHER PROGRAM [--seconds S] [--between M] [--steps N] [--seed S]

PROGRAM is run_campaign, of two ranks, whose steps take 20 ms and more. The job is killed at random moments, independently of each
other, and starts again a tenth of a second later. The measured share is that of the steps that counted, each as long as one without
failures. Prints it beside the prediction from the measured duration of steps and recoveries and the number of failures, and fails
if they differ by more than a tenth.
"""

import argparse
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

from kill_runs import steps

STEP = 0.02  # seconds that a step sleeps


def last_step(folder):
    """The step that rank 0 has noted last, which falls back when a run resumes."""
    with open(os.path.join(folder, "delivered.0"), "rb") as file:
        file.seek(max(0, os.path.getsize(file.name) - 400))
        lines = file.read().split(b"\n")
    return int(lines[-2].split(b" ", 1)[0]) if len(lines) > 1 and lines[-2] else 0


def goodput(save, interval, between, recovery, durable):
    """train::goodput."""
    return interval / (between * math.exp((recovery + durable) / between) * math.expm1((interval + save) / between))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("launcher")
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--between", type=float, default=10, help="mean seconds between failures")
    parser.add_argument("--steps", type=int, default=100, help="between two saves")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    command = [options.launcher, "-n", "2", "--max-restarts", "100000", "--pause", "0.1", "--timeout", "2", options.program]
    with tempfile.TemporaryDirectory(prefix="minima-goodput-runs-") as folder, open(os.path.join(folder, "log"), "w") as log:

        def begin():
            return subprocess.Popen(command + [folder, "1000000", str(STEP), str(options.steps)], stdout=log, stderr=log)

        job = begin()
        while steps(folder) < 5:
            time.sleep(0.01)
        began, first = time.monotonic(), steps(folder)
        time.sleep(5)  # without failures
        step = (time.monotonic() - began) / (last_step(folder) - first)

        delivered = os.path.join(folder, "delivered.0")
        recoveries, failures, killed, noted = [], 0, None, 0
        began, first = time.monotonic(), last_step(folder)
        failure = began + draw.expovariate(1 / options.between)
        while (now := time.monotonic()) < began + options.seconds:
            if now >= failure:
                job.kill()  # the ranks die with the launcher
                job.wait()
                time.sleep(0.1)
                noted = os.path.getsize(delivered)
                job = begin()
                failures, killed = failures + 1, now
                failure += draw.expovariate(1 / options.between)
            elif killed and os.path.getsize(delivered) > noted:
                recoveries.append(now - killed)
                killed = None
            time.sleep(0.005)
        useful, wall = (last_step(folder) - first) * step, time.monotonic() - began
        job.kill()
        job.wait()
    between, recovery = wall / failures, statistics.mean(recoveries)
    predicted, measured = goodput(0, options.steps * step, between, recovery, 0), useful / wall
    print(f"{failures} failures in {wall:.0f} s, {1000 * step:.1f} ms a step, {options.steps} steps between saves, recovery {recovery:.2f} s: "
          f"goodput measured {measured:.3f}, predicted {predicted:.3f}")
    return 0 if abs(measured - predicted) <= 0.1 * predicted else 1


if __name__ == "__main__":
    sys.exit(main())
