"""shard_step.cpp with PyTorch's FSDP2 over Gloo: torch_shard_step.py [RANKS [LAYERS [WIDTH [STEPS]]]]"""

import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as processes
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def layers(count, width):
    return torch.nn.Sequential(*[torch.nn.Linear(width, width) for _ in range(count)])


def elements(net):
    local = [getattr(parameter, "to_local", lambda p=parameter: p)() for parameter in net.parameters()]
    return sum(part.numel() for part in local)


def run(rank, ranks, count, width, steps):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29517", rank=rank, world_size=ranks)
    mesh = init_device_mesh("cpu", (ranks,))
    net, whole = layers(count, width), layers(max(1, count // ranks), width)
    for layer in net:
        fully_shard(layer, mesh=mesh)
    fully_shard(net, mesh=mesh)
    x = torch.full((1, width), 1e-3)
    if rank == 0:
        print(f"{ranks} ranks, {count} layers of {width}, medians of {steps} steps, torch {torch.__version__}")
        print("| AdamW | clips | shards | whole tensors | ratio |\n| --- | --- | ---: | ---: | ---: |")
    for name, kind in (("fused", {"fused": True}), ("foreach", {"foreach": True})):
        for clips in (False, True):
            both = [(net, torch.optim.AdamW(net.parameters(), lr=1e-6, **kind), []),
                    (whole, torch.optim.AdamW(whole.parameters(), lr=1e-6, **kind), [])]
            for model, optimizer, _ in both:
                optimizer.zero_grad()
                model(x).sum().backward()
            for step in range(steps + 3):  # the first ones allocate
                for model, optimizer, times in both if step % 2 else reversed(both):
                    dist.barrier()
                    start = time.process_time()
                    if clips:
                        torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
                    optimizer.step()
                    if step > 2:
                        times.append(time.process_time() - start)
            shards, tensors = (1e3 * statistics.median(times) / elements(model) * 2**20 for model, _, times in both)
            if rank == 0:
                clip = "yes" if clips else "no"
                print(f"| {name} | {clip} | {shards:.3f} ms per Mi | {tensors:.3f} ms per Mi | {shards / tensors:.3f} |",
                      flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    given = [int(text) for text in sys.argv[1:]]
    ranks, *rest = given + [2, 16, 1024, 40][len(given):]
    processes.spawn(run, (ranks, *rest), nprocs=ranks)
