"""networks list | table.py RESULTS: the table of compare.sh's results as Markdown, a dtype after the other.

A cell has the best of all runs' medians in ms, in brackets the least step; of torch.compile also the seconds of the first
step, which compiles; "> 50 s" if no step was timed in so many seconds. The last column divides the best peer's median by
minima's: above 1, minima is faster.
"""

import json
import math
import sys

PEERS = {"eager": "PyTorch eager", "channels_last": "channels_last", "compiled": "torch.compile", "onnxruntime": "onnxruntime"}


def ms(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def cell(run):
    if run is None:
        return ""
    if "over_s" in run:
        return f"> {run['over_s']} s"
    text = f"{ms(run['median_ms'])} ({ms(run['least_ms'])})"
    return f"{text}, first {run['first_s']:.0f} s" if run["program"] == "compiled" else text


def better(old, run):
    if "over_s" in run:
        return old
    if "over_s" in old:
        return run
    result = {**min(old, run, key=lambda r: r["median_ms"]), "least_ms": min(old["least_ms"], run["least_ms"])}
    if "first_s" in old:
        result["first_s"] = max(old["first_s"], run["first_s"])  # later rounds find what the first has compiled
    return result


def main():
    best = {}
    with open(sys.argv[1]) as file:
        for line in filter(str.strip, file):
            run = json.loads(line)
            key = run["dtype"], run["row"], run["program"]
            best[key] = better(best[key], run) if key in best else run
    labels = dict(line.rstrip("\n").split("\t") for line in sys.stdin)
    for dtype in ("float32", "bfloat16"):
        rows = [row for row in labels if (dtype, row, "minima") in best]
        peers = [peer for peer in PEERS if any((dtype, row, peer) in best for row in rows)]
        if not rows or not peers:
            continue
        print(f"| {dtype}, ms | minima | " + " | ".join(PEERS[peer] for peer in peers) + " | best / minima |")
        print("| --- |" + " ---: |" * (len(peers) + 2))
        ratios = []
        for row in rows:
            runs = {program: best[dtype, row, program] for program in ("minima", *peers) if (dtype, row, program) in best}
            medians = [run["median_ms"] for peer, run in runs.items() if peer != "minima" and "over_s" not in run]
            ratio = min(medians) / runs["minima"]["median_ms"] if medians else None
            ratios += [ratio] if ratio else []
            cells = [labels[row], *(cell(runs.get(program)) for program in ("minima", *peers)), f"**{ratio:.2f}**" if ratio else ""]
            print(f"| {' | '.join(cells)} |")
        if not ratios:
            continue
        print(f"\ngeometric mean of {len(ratios)} rows: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}\n")


main()
