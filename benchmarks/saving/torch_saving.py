"""saving.cpp with torch.distributed.checkpoint.async_save and torch.save: torch_saving.py FOLDER [MIB] [--threads N]"""

import argparse
import os
import resource
import shutil
import time

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp


def peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("mib", type=int, nargs="?", default=1024)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.set_grad_enabled(False)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511", RANK="0", WORLD_SIZE="1")
    dist.init_process_group("gloo")  # async_save needs a backend for the CPU
    state = {f"tensor{i}": torch.randn(4 << 20) for i in range(options.mib // 16)}
    a, b = torch.randn(1536, 1536), torch.randn(1536, 1536)

    def step():
        start = time.perf_counter()
        for _ in range(3):
            a @ b
        return time.perf_counter() - start

    for _ in range(5):
        step()
    alone = [step() for _ in range(40)]
    print(f"steps alone: mean {1e3 * sum(alone) / 40:.1f} ms, longest {1e3 * max(alone):.1f} ms", flush=True)

    start = time.perf_counter()
    path = f"{options.folder}/state.pt"
    with open(path, "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    print(f"torch.save and fsync: {time.perf_counter() - start:.2f} s", flush=True)
    os.remove(path)

    before = peak_mib()
    for number in range(3):
        path = f"{options.folder}/dcp-{number}"
        start = time.perf_counter()
        future = dcp.async_save(state, checkpoint_id=path)  # memory that is kept must be pinned, which asks for a GPU
        stop, during = time.perf_counter() - start, []
        while not future.done():
            during.append(step())
        future.result()
        durable = time.perf_counter() - start
        print(f"async_save: stop {stop:.3f} s, durable after {durable:.2f} s; {len(during)} steps during the write: mean "
              f"{1e3 * sum(during) / max(len(during), 1):.1f} ms, longest {1e3 * max(during, default=0):.1f} ms; peak memory "
              f"{peak_mib() - before} MiB for a state of {options.mib}", flush=True)
        shutil.rmtree(path)
    dist.destroy_process_group()


main()
