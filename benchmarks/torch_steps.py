"""Times training steps for torch_gpt2.py and torch_resnet.py, and makes rows of Google Benchmark's JSON of them."""
import time

import torch


def arguments(parser):
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--compile", action="store_true")


def seconds_per_step(step, options):
    """The mean of options.steps steps after up to ten that are not counted, with the device idle at both ends."""
    def run(steps):
        start = time.perf_counter()
        for _ in range(steps):
            step()
        if options.device != "cpu":
            torch.cuda.synchronize()
        return time.perf_counter() - start

    run(min(10, options.steps))
    return run(options.steps) / options.steps


def row(name, seconds, items):
    return {"name": name, "real_time": 1e3 * seconds, "time_unit": "ms", "run_type": "iteration", "items_per_second": items / seconds}
