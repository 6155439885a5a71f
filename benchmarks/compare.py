"""Compares minima's benchmark results with a peer's, or with another build's, in one Markdown table per group of rows.

compare.py [--processor-time] PEER FOLDER: reads FOLDER/minima-*.json and FOLDER/peer-*.json, written by Google Benchmark,
and takes the best run of every row that both have. A ratio above 1 means that minima is faster. If minima's rows report
their cost, the table shows the machine's minimum time for it as a share of the measured time.

compare.py PEER FILE: the rows of minima and of that program, such as "PyTorch compiled", in the figures.json of
scripts/gpu_check.sh.
"""

import glob
import json
import math
import sys

NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def best(pattern, clock, program=None):
    """{row: (nanoseconds, minimum nanoseconds)}; the minimum is 0 if unknown."""
    rows = {}
    for path in sorted(glob.glob(pattern)):
        with open(path) as file:
            for row in json.load(file)["benchmarks"]:
                if row.get("error_occurred") or row.get("run_type") == "aggregate" or row.get("program") != program:
                    continue
                if row["time_unit"] not in NANOSECONDS:
                    continue
                name = row["name"].removesuffix("/real_time")
                time = row[clock] * NANOSECONDS[row["time_unit"]]
                rows[name] = min((time, 1e9 * row.get("roof_seconds", 0)), rows.get(name, (math.inf, 0)))
    return rows


def text(nanoseconds):
    for unit in ("ns", "us", "ms", "s"):
        if nanoseconds < 1000 * NANOSECONDS[unit]:
            return f"{nanoseconds / NANOSECONDS[unit]:.3g} {unit.replace('us', 'µs')}"
    return f"{nanoseconds / 1e9:.3g} s"


def main():
    arguments = sys.argv[1:]
    clock = "real_time"
    if arguments[0] == "--processor-time":
        clock = "cpu_time"
        del arguments[0]
    peer, folder = arguments
    if folder.endswith(".json"):
        ours, theirs = best(folder, clock, "minima"), best(folder, clock, peer)
    else:
        ours, theirs = best(f"{folder}/minima-*.json", clock), best(f"{folder}/peer-*.json", clock)
    both = [name for name in ours if name in theirs]
    if not both:
        sys.exit("the results have no row in common")
    for group in dict.fromkeys(name.split("/")[0] for name in both):
        rows = [name for name in both if name.split("/")[0] == group]
        has_share = any(ours[name][1] for name in rows)
        print(f"| {group} | minima | {peer} | ratio |" + (" of roof |" if has_share else ""))
        print("| --- | ---: | ---: | ---: |" + (" ---: |" if has_share else ""))
        ratios = []
        for name in rows:
            time, least = ours[name]
            ratios.append(theirs[name][0] / time)
            share = f" {100 * least / time:.0f}% |" if least else " |" if has_share else ""
            print(f"| {name.removeprefix(group + '/')} | {text(time)} | {text(theirs[name][0])} | {ratios[-1]:.2f} |{share}")
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        slow = sum(ratio < 0.6 for ratio in ratios)
        print(f"\ngeometric mean of {len(ratios)} rows: {mean:.2f}; below 0.6: {slow}\n")


main()
