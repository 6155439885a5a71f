#!/usr/bin/env python3
"""Compiles hot_kernels.cu for sm_90 and checks what the compiler made of each kernel, without a GPU.

usage: check_sass.py NVCC INCLUDE_DIRECTORY REPOSITORY

Every kernel must fit into registers (no spills), stay under its limit of them, and have at least so many loads of 16
bytes. With nvdisasm (PyPI: nvidia-cuda-nvdisasm) the loads are read from the machine code, and at least so many of any
width must be issued before the first result is used, as many as simulated/machine/kernel_counts.inc says; without it,
loads are read from PTX. PTX for 8.0 is compiled for sm_90, as the driver does with that of default builds.
"""

import collections
import os
import re
import shutil
import sys
import tempfile

from machine_code import keys, loads_in_ptx, loads_in_sass, resources, run

# kernel (part of its mangled name): most registers, fewest loads of 16 bytes, fewest loads in flight
Limits = collections.namedtuple("Limits", "registers wide in_flight")
LIMITS = {
    "layer_norm_packed_kernelINS_8BFloat16": Limits(128, 8, 4),
    "layer_norm_packed_kernelIff": Limits(80, 8, 4),
    "layer_norm_packed_kernelIfNS_8BFloat16": Limits(80, 8, 4),
    "layer_norm_gradient_packed_kernelINS_8BFloat16": Limits(128, 8, 4),
    "layer_norm_gradient_packed_kernelIfNS_8BFloat16": Limits(96, 4, 4),
    "add_chunks_kernelIf": Limits(64, 0, 4),
    "softmax_packed_kernelINS_8BFloat16": Limits(96, 4, 4),
    "softmax_gradient_packed_kernelINS_8BFloat16": Limits(96, 8, 4),
    "cross_entropy_kernelILb1ENS_8BFloat16": Limits(96, 4, 4),
    "reduce_kernelIfNS0_3SumIffEENS0_5TypedIf": Limits(96, 4, 4),
    "reduce_columns_kernelIfNS0_3SumIffEE": Limits(96, 4, 4),
    "channel_moments_kernelINS_8BFloat16E": Limits(64, 4, 4),
    "channel_slopes_kernelILb0ENS_8BFloat16E": Limits(80, 4, 4),
    "channel_slopes_kernelILb1ENS_8BFloat16E": Limits(80, 6, 6),
    "channel_statistics_kernelIf": Limits(64, 0, 8),
    "channel_gradients_kernelIf": Limits(64, 0, 8),
    "normalize_channels_kernelILb0ENS_8BFloat16E": Limits(64, 4, 4),
    "normalize_channels_kernelILb1ENS_8BFloat16E": Limits(64, 4, 4),
    "normalize_channels_gradient_kernelINS_8BFloat16E": Limits(80, 4, 4),
    "run_sums_kernelILi8E": Limits(96, 4, 4),
    "exclusive_sum_kernelIm": Limits(96, 8, 8),
    "cast_list_kernelINS_8BFloat16": Limits(64, 8, 8),
    "scan_parts_kernelIf": Limits(64, 2, 2),
    "max_pool2d_kernelILi8E": Limits(80, 1, 1),
    "max_pool2d_scatter_kernelILi8E": Limits(80, 3, 2),
}


def counts_of_loads(repository):
    """Width and number of the loads in flight that predictions take for granted, by the kernel's key."""
    with open(os.path.join(repository, "simulated", "machine", "kernel_counts.inc")) as file:
        rows = [line.split() for line in file if "<" in line and not line.startswith("#")]
    return {row[0]: (float(row[1]), int(row[2]), int(row[4])) for row in rows}


def main():
    nvcc, include, repository = sys.argv[1:]
    if not os.path.exists(nvcc):
        sys.exit(print("skipped: no nvcc; the CUDA toolkit has it"))
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        ptx, cubin = os.path.join(folder, "hot.ptx"), os.path.join(folder, "hot.cubin")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hot_kernels.cu")
        run(nvcc, "-std=c++20", "-O3", "-arch=compute_80", "--expt-relaxed-constexpr", "--diag-suppress=186", "-D",
            "MINIMA_HAVE_CUDA", "-I", include, "-I", repository, "-ptx", "-o", ptx, source)
        used = resources(run(os.path.join(os.path.dirname(nvcc), "ptxas"), "-arch=sm_90", "-v", "-o", cubin, ptx))
        nvdisasm = shutil.which("nvdisasm")
        with open(ptx) as file:
            text = file.read()
        loads = loads_in_sass(run(nvdisasm, "-c", cubin)) if nvdisasm else loads_in_ptx(text)

    for part, limit in LIMITS.items():
        names = [name for name in used if part in name]
        if len(names) != 1:
            failures.append(f"{part}: {len(names)} kernels in hot_kernels.cu have this name")
            continue
        (registers, spilled, _), (wide, in_flight, _) = used[names[0]], loads[names[0]]
        print(f"{part:50} registers {registers:3}  spilled {spilled}  16-byte loads {wide:2}  in flight {in_flight}")
        if spilled > 0:
            failures.append(f"{part}: {spilled} bytes of registers spilled")
        if registers > limit.registers:
            failures.append(f"{part}: {registers} registers, at most {limit.registers} wanted")
        if wide < limit.wide:
            failures.append(f"{part}: {wide} loads of 16 bytes, at least {limit.wide} wanted")
        if in_flight is not None and in_flight < limit.in_flight:
            failures.append(f"{part}: {in_flight} loads in flight, at least {limit.in_flight} wanted")
    committed = counts_of_loads(repository)
    for symbol, key in keys(used).items():
        if key not in committed:
            continue
        of_it = loads[symbol]  # without nvdisasm only the registers are compared
        counted = (float(f"{of_it.bytes:.3g}"), of_it.in_flight) if of_it.in_flight else committed[key][:2]
        found = (*counted, used[symbol].registers)
        if committed[key] != found:
            failures.append(f"{key}: bytes of a load, loads in flight and registers are {found}, and {committed[key]} in "
                            "simulated/machine/kernel_counts.inc; scripts/count_kernels.py counts them anew")
    entry = next(part for part in text.split(".entry ")[1:] if "scatter_add_kernel" in part.split("(")[0])
    if not re.search(r"st\.global.*?(membar|fence)\S*sys.*?st\.volatile", entry, re.DOTALL):
        failures.append("scatter_add: no fence between a fault's numbers and its flag")
    sys.exit("\n".join(failures) or 0)


main()
