"""language_models.cpp with PyTorch and transformers, from the folder that it saves:

torch_language.py train FOLDER BATCH LENGTH STEPS [--compile]
torch_language.py decode FOLDER ROWS float32|bfloat16 PROMPT TOKENS [--compile]     with transformers' StaticCache
"""
import argparse
import resource
import statistics
import time
import warnings

import torch
import torch.nn.functional as F
from transformers import AutoModelForCausalLM, StaticCache
from transformers.utils import logging

logging.disable_progress_bar()
warnings.simplefilter("ignore", FutureWarning)  # new names of arguments that older versions lack


def report(name, what, tokens, warmup, count, step):
    """Times `count` calls after `warmup` others; what the first takes more than the median is the compilation."""
    seconds = []
    for _ in range(warmup + count):
        start = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - start)
    timed = sorted(seconds[warmup:])
    median = statistics.median_high(timed)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    compiled = f" | first call {seconds[0]:.1f} s" if "compile" in name else ""
    print(f"{name} | {what} | {tokens / median:.1f} tokens/s | median {1e3 * median:.1f} ms, {1e3 * timed[0]:.1f} to {1e3 * timed[-1]:.1f}"
          f" | peak {peak} MiB{compiled}", flush=True)


def train(options, net, forward, name):
    vocabulary = net.config.vocab_size
    tokens, targets = (torch.randint(0, vocabulary, (options.batch, options.length)) for _ in range(2))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4, weight_decay=0.01, fused=True)
    net.train()

    def step():
        optimizer.zero_grad()
        logits = forward(input_ids=tokens, use_cache=False).logits
        F.cross_entropy(logits.flatten(0, 1), targets.flatten()).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()

    report(name, f"train batch {options.batch} x {options.length}", options.batch * options.length, 1, options.steps, step)


@torch.inference_mode()
def decode(options, net, forward, name):
    warmup = 3
    net.eval()
    cache = StaticCache(config=net.config, max_cache_len=options.prompt + warmup + options.tokens)
    last = torch.randint(0, net.config.vocab_size, (options.rows, options.prompt))
    position = torch.arange(options.prompt)

    def step(run=forward):
        nonlocal last, position
        logits = run(input_ids=last, past_key_values=cache, cache_position=position, position_ids=position[None], use_cache=True).logits
        last, position = logits[:, -1:].argmax(-1), position[-1:] + 1

    step(net)  # the prompt, not compiled
    rows = "1 row" if options.rows == 1 else f"{options.rows} rows"
    report(name, f"decode {rows} {options.dtype}", options.rows, warmup - 1, options.tokens, step)


def main():
    parser = argparse.ArgumentParser()
    modes = parser.add_subparsers(dest="mode", required=True)
    numbers = {"train": ["batch", "length", "steps"], "decode": ["rows", "dtype", "prompt", "tokens"]}
    for mode, names in numbers.items():
        sub = modes.add_parser(mode)
        sub.add_argument("folder")
        for name in names:
            sub.add_argument(name, type=str if name == "dtype" else int)
        sub.add_argument("--compile", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(1)
    dtype = getattr(torch, getattr(options, "dtype", "float32"))
    net = AutoModelForCausalLM.from_pretrained(options.folder, dtype=dtype)
    forward = torch.compile(net) if options.compile else net
    (train if options.mode == "train" else decode)(options, net, forward, "PyTorch compiled" if options.compile else "PyTorch eager")


main()
