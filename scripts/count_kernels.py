#!/usr/bin/env python3
"""Counts what minima's kernels do and writes simulated/machine/kernel_counts.inc, from which predictions are made.

usage: scripts/count_kernels.py [BUILD] [--check]    BUILD: a build with CUDA and tests (build/ci)

Runs minima-count-kernels of the build: small training steps under the PTX interpreter. Then ptxas compiles the same
PTX for sm_90, as the driver does on Hopper, and nvdisasm (PyPI: nvidia-cuda-nvdisasm) reads the machine code. --check
compares the interpreter's counts with the file instead, without ptxas: exit code 1 and the rows that differ.
"""

import os
import shutil
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "sass"))
from machine_code import keys, loads_in_sass, resources, run  # noqa: E402

FILE = os.path.join(ROOT, "simulated", "machine", "kernel_counts.inc")
HEADER = '''R"counts(
# Made by scripts/count_kernels.py: what each instance of a kernel does in the largest of its launches in small steps of
# minima-dryrun's networks, with bfloat16, float16 and float32. Rows without <> are for instances that were not counted:
# the fewest bytes in flight and the most work of those that were. Columns: kernel_counts.h.
#
# KEY LOAD_BYTES LOADS_IN_FLIGHT SECTORS REGISTERS SHARED_BYTES READ WRITTEN ISSUE_SLOTS THREAD_BYTES
'''


def short(number):
    return f"{number:.3g}" if number < 1000 else f"{number:.0f}"


def committed():
    """The interpreter's columns by key."""
    with open(FILE) as file:
        rows = [line.split() for line in file if not line.startswith(("#", "R\"", ")"))]
    return {r[0]: [float(r[i]) for i in (3, 6, 7, 8, 9)] for r in rows if r}


def interpret(build, folder):
    """By key: the interpreter's columns and the mangled name."""
    program = os.path.join(build, "simulated", "dryrun", "minima-count-kernels")
    lines = run(program, os.path.join(build, "libminima.a"), *([folder] if folder else [])).splitlines()
    return {w[0]: ([float(x) for x in w[1:6]], w[6]) for w in map(str.split, lines)}


def check(build):
    known, differ = committed(), []
    for key, (values, _) in interpret(build, None).items():
        row = known.get(key)
        if row is None or any(abs(a - b) > 0.05 * max(a, b) + 1e-6 for a, b in zip(values, row)):
            differ.append(f"{key}: counted {values}, committed {row}")
    sys.exit("\n".join(differ + ["scripts/count_kernels.py counts them anew"]) if differ else 0)


def assumed(rows):
    """For other instances of the kernels."""
    kernels = {}
    for key, row in rows.items():
        kernels.setdefault(key.split("<")[0], []).append(row)
    result = {}
    for kernel, of_it in kernels.items():
        slowest = min(of_it, key=lambda r: r[0] * r[1])
        worst = [max(column) for column in zip(*of_it)]
        result[kernel] = [*slowest[:2], worst[2], *worst[3:]]
    return result


def main():
    words = [w for w in sys.argv[1:] if w != "--check"]
    build = words[0] if words else os.path.join(ROOT, "build", "ci")
    if "--check" in sys.argv:
        check(build)
    nvdisasm, ptxas = shutil.which("nvdisasm"), shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
    if not nvdisasm:
        sys.exit("no nvdisasm: pip install nvidia-cuda-nvdisasm")
    with tempfile.TemporaryDirectory() as folder:
        counted = interpret(build, folder)
        used, loads = {}, {}
        for name in sorted(os.listdir(folder)):
            ptx, cubin = os.path.join(folder, name), os.path.join(folder, name + ".cubin")
            used |= resources(run(ptxas, "-arch=sm_90", "-v", "-o", cubin, ptx))
            loads |= loads_in_sass(run(nvdisasm, "-c", cubin))
    rows = {}
    for key, ((sectors, read, written, slots, thread_bytes), symbol) in counted.items():
        assert keys([symbol])[symbol] == key, f"{symbol} is {key} here and {keys([symbol])[symbol]} there"
        batch, of_it = loads[symbol], used[symbol]
        rows[key] = [batch.bytes or 4, max(batch.in_flight, 1), sectors, of_it.registers, of_it.shared, read, written,
                     slots, thread_bytes]
    for kernel, row in assumed(rows).items():
        rows.setdefault(kernel, row)
    with open(FILE, "w") as file:
        file.write(HEADER)
        for key in sorted(rows):
            file.write(f"{key} {' '.join(map(short, rows[key]))}\n")
        file.write(')counts"\n')


if __name__ == "__main__":
    main()
