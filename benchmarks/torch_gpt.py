"""Trains examples/gpt's networks in PyTorch as nanoGPT does, from the weights and on the batches that `gpt --dump` writes.

    gpt --model gpt2 --optimizer adamw --depth 3 --steps 100 --tokens-per-step 2048 --dump tokens
    python3 torch_gpt.py tokens --depth 3 --steps 100 --rows 8

    gpt --depth 3 --tokens-per-parameter 0.7 --dump tokens                   # the quick start
    python3 torch_gpt.py tokens --model llama --optimizer muon --depth 3 --steps 294 --rows 16

GPT-2 is written out below; the Llama is transformers', which reads the folder. Tables and vectors, and with adamw all
matrices, are AdamW's (0.9, 0.95), hidden matrices torch.optim.Muon's. Matrices decay; gradients are clipped at 1; rates
warm up and fall by a cosine to a tenth. Validation is over all whole rows. --products float32 computes Muon's iteration
in float32, since PyTorch's products in bfloat16 are slow on CPUs without instructions for them.
"""

import argparse
import math
import time

import numpy
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
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


class Llama(nn.Module):
    def __init__(self, folder):
        super().__init__()
        from transformers import LlamaForCausalLM

        self.net = LlamaForCausalLM.from_pretrained(folder, attn_implementation="sdpa").train()

    def forward(self, x, y):
        return F.cross_entropy(self.net(input_ids=x, use_cache=False).logits.flatten(0, 1), y.flatten())


def optimizers(net, width, uses_muon):
    """Pairs of an optimizer and its peak rate."""
    named = list(net.named_parameters())
    is_table = lambda name: any(part in name for part in ("tokens", "positions", "lm_head"))
    vectors = [p for _, p in named if p.dim() < 2]
    hidden = [p for name, p in named if p.dim() == 2 and uses_muon and not is_table(name)]
    taken = {id(p) for p in vectors + hidden}
    decaying = [p for _, p in named if id(p) not in taken]
    by_width = math.sqrt(256 / width)
    peak = (3e-3 if uses_muon else 1.2e-3) * by_width
    groups = [{"params": decaying, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    pairs = [(torch.optim.AdamW(groups, lr=peak, betas=(0.9, 0.95)), peak)]
    if hidden:
        muon = torch.optim.Muon(hidden, lr=6e-3 * by_width, weight_decay=0.1, adjust_lr_fn="match_rms_adamw")
        pairs.append((muon, 6e-3 * by_width))
    return pairs


def read(path):
    header = numpy.fromfile(path, numpy.int32, 256)
    width = {20240520: numpy.uint16, 20240801: numpy.uint32}[int(header[0])]
    return torch.from_numpy(numpy.fromfile(path, width, offset=1024).astype(numpy.int64))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--model", default="gpt2", choices=["gpt2", "llama"])
    parser.add_argument("--optimizer", default="adamw", choices=["adamw", "muon"])
    parser.add_argument("--products", default="bfloat16", choices=["bfloat16", "float32"])
    for name, value in dict(depth=3, steps=100, rows=8, length=256, vocabulary=2048, threads=0).items():
        parser.add_argument(f"--{name}", type=int, default=value)
    a = parser.parse_args()
    if a.threads:
        torch.set_num_threads(a.threads)
    train, val, starts = (read(f"{a.folder}/{name}.bin") for name in ("train", "val", "starts"))
    if a.products == "float32":
        torch.Tensor.bfloat16 = torch.Tensor.float  # by which torch.optim.Muon converts its matrices
    if a.model == "llama":
        net = Llama(a.folder)
    else:
        net = GPT(a.vocabulary, a.length, a.depth)
        load(net, f"{a.folder}/model.safetensors")
    pairs = optimizers(net, 64 * a.depth, a.optimizer == "muon")
    warmup = min(max(a.steps // 20, 1), 500)
    start = time.process_time()
    for step in range(a.steps):
        done = (step - warmup) / max(a.steps - warmup, 1)
        rate = (step + 1) / warmup if step < warmup else 0.1 + 0.45 * (1 + math.cos(math.pi * done))
        for optimizer, peak in pairs:
            for group in optimizer.param_groups:
                group["lr"] = peak * rate
        begins = starts[step * a.rows : (step + 1) * a.rows].tolist()
        x = torch.stack([train[i : i + a.length] for i in begins])
        y = torch.stack([train[i + 1 : i + 1 + a.length] for i in begins])
        loss = net(x, y)
        for optimizer, _ in pairs:
            optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        for optimizer, _ in pairs:
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
    text = Tokenizer.from_file(f"{a.folder}/tokenizer.json").decode(val.tolist())
    bits = total / rows / math.log(2) * len(val) / len(text.encode())
    print(f"validation loss {total / rows:.4f}, {bits:.4f} bits per byte, after {a.steps} steps, {spent:.0f} s of processor time",
          flush=True)


if __name__ == "__main__":
    main()
