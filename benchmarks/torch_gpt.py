"""Trains examples/gpt's GPT-2 in PyTorch as nanoGPT does, from the weights and on the batches that `gpt --dump` writes.

    gpt --model gpt2 --optimizer adamw --depth 3 --steps 100 --tokens-per-step 2048 --dump tokens
    python3 torch_gpt.py tokens --depth 3 --steps 100 --rows 8

AdamW (0.9, 0.95) with decay for matrices, clipping at 1, warm-up and cosine to a tenth; validation over all whole rows.
"""

import argparse
import math
import time

import numpy
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (y.view(b, t, self.heads, c // self.heads).transpose(1, 2) for y in self.attn(self.ln_1(x)).split(c, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, c))
        return x + self.down(F.gelu(self.up(self.ln_2(x)), approximate="tanh"))


class GPT(nn.Module):
    def __init__(self, vocabulary, length, depth):
        super().__init__()
        width = 64 * depth
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, depth) for _ in range(depth))
        self.norm = nn.LayerNorm(width)

    def forward(self, x, y):
        h = self.tokens(x) + self.positions(torch.arange(x.size(1)))
        for block in self.blocks:
            h = block(h)
        return F.cross_entropy((self.norm(h) @ self.tokens.weight.T).flatten(0, 1), y.flatten())


def load(net, path):
    """The state of transformers' GPT2LMHeadModel, whose Conv1D weights are [in, out]."""
    names = {"tokens": "wte", "positions": "wpe", "norm": "ln_f", "attn": "attn.c_attn", "out": "attn.c_proj",
             "up": "mlp.c_fc", "down": "mlp.c_proj", "blocks": "h"}
    state = load_file(path)
    with torch.no_grad():
        for name, p in net.named_parameters():
            theirs = ".".join(["transformer", *(names.get(part, part) for part in name.split("."))])
            is_turned = p.dim() == 2 and "blocks" in name
            p.copy_(state[theirs].T if is_turned else state[theirs])


def read(path):
    header = numpy.fromfile(path, numpy.int32, 256)
    width = {20240520: numpy.uint16, 20240801: numpy.uint32}[int(header[0])]
    return torch.from_numpy(numpy.fromfile(path, width, offset=1024).astype(numpy.int64))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    for name, value in dict(depth=3, steps=100, rows=8, length=256, vocabulary=2048, threads=0).items():
        parser.add_argument(f"--{name}", type=int, default=value)
    a = parser.parse_args()
    if a.threads:
        torch.set_num_threads(a.threads)
    train, val, starts = (read(f"{a.folder}/{name}.bin") for name in ("train", "val", "starts"))
    net = GPT(a.vocabulary, a.length, a.depth)
    load(net, f"{a.folder}/model.safetensors")
    peak = 1.2e-3 * math.sqrt(256 / (64 * a.depth))
    matrices, vectors = ([p for p in net.parameters() if (p.dim() == 2) == is_matrix] for is_matrix in (True, False))
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}],
                                  lr=peak, betas=(0.9, 0.95))
    warmup = min(max(a.steps // 20, 1), 500)
    start = time.process_time()
    for step in range(a.steps):
        done = (step - warmup) / max(a.steps - warmup, 1)
        rate = (step + 1) / warmup if step < warmup else 0.1 + 0.45 * (1 + math.cos(math.pi * done))
        for group in optimizer.param_groups:
            group["lr"] = peak * rate
        begins = starts[step * a.rows : (step + 1) * a.rows].tolist()
        x = torch.stack([train[i : i + a.length] for i in begins])
        y = torch.stack([train[i + 1 : i + 1 + a.length] for i in begins])
        loss = net(x, y)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        if (step + 1) % 10 == 0:
            print(f"step {step + 1}  loss {loss.item():.4f}", flush=True)
    spent = time.process_time() - start
    total, rows = 0.0, (len(val) - 1) // a.length
    with torch.no_grad():
        for first in range(0, rows, a.rows):
            n = min(a.rows, rows - first)
            part = val[first * a.length : (first + n) * a.length + 1]
            total += n * net(part[:-1].view(n, -1), part[1:].view(n, -1)).item()
    print(f"validation loss {total / rows:.4f} after {a.steps} steps, {spent:.0f} s of processor time", flush=True)


if __name__ == "__main__":
    main()
