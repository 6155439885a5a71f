"""Prints minima's and a peer's benchmark results side by side, as a Markdown table.

compare.py PEER FOLDER: reads FOLDER/minima-*.json and FOLDER/libtorch-*.json, written by Google Benchmark, and takes the
best run of every row that both have. A ratio above 1 means that minima is faster.
"""

import glob
import json
import math
import sys

NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def best(pattern):
    rows = {}
    for path in sorted(glob.glob(pattern)):
        with open(path) as file:
            for row in json.load(file)["benchmarks"]:
                if row.get("error_occurred") or row.get("run_type") == "aggregate":
                    continue
                name = row["name"].removesuffix("/real_time")
                time = row["real_time"] * NANOSECONDS[row["time_unit"]]
                rows[name] = min(time, rows.get(name, math.inf))
    return rows


def text(nanoseconds):
    for unit in ("ns", "us", "ms", "s"):
        if nanoseconds < 1000 * NANOSECONDS[unit]:
            return f"{nanoseconds / NANOSECONDS[unit]:.3g} {unit.replace('us', 'µs')}"
    return f"{nanoseconds / 1e9:.3g} s"


def main():
    peer, folder = sys.argv[1:]
    ours, theirs = best(f"{folder}/minima-*.json"), best(f"{folder}/libtorch-*.json")
    print(f"| row | minima | {peer} | ratio |\n| --- | ---: | ---: | ---: |")
    ratios = []
    for name in ours:
        if name in theirs:
            ratios.append(theirs[name] / ours[name])
            print(f"| {name} | {text(ours[name])} | {text(theirs[name])} | {ratios[-1]:.2f} |")
    if not ratios:
        sys.exit("no row is in both results")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\ngeometric mean of {len(ratios)} rows: {mean:.2f}")


main()
