"""networks list | table.py RESULTS: the table of compare.sh's results as Markdown, a dtype after the other.

A cell has the best of all runs' medians in ms, in brackets the least step. The last column divides the best peer's median by
minima's: above 1, minima is faster.
"""

import json
import math
import sys

PEERS = {"eager": "PyTorch eager", "channels_last": "channels_last", "compiled": "torch.compile", "onnxruntime": "onnxruntime"}


def ms(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def main():
    best = {}
    with open(sys.argv[1]) as file:
        for line in filter(str.strip, file):
            run = json.loads(line)
            old = best.get(key := (run["dtype"], run["row"], run["program"]))
            best[key] = run if old is None else {**min(old, run, key=lambda r: r["median_ms"]), "least_ms": min(old["least_ms"], run["least_ms"])}
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
            cells = [f"{ms(run['median_ms'])} ({ms(run['least_ms'])})" if (run := runs.get(p)) else "" for p in ("minima", *peers)]
            medians = [runs[peer]["median_ms"] for peer in peers if peer in runs]
            ratio = min(medians) / runs["minima"]["median_ms"] if medians else math.nan
            ratios.append(ratio)
            print(f"| {labels[row]} | {' | '.join(cells)} | **{ratio:.2f}** |")
        print(f"\ngeometric mean of {len(ratios)} rows: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}\n")


main()
