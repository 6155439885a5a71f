"""The GPT-2 rows of gpt2_bench.cpp in PyTorch, in Google Benchmark's JSON, for compare.py.

torch_gpt2.py [--device cuda] [--batch 64] [--context 1024] [--depth 12] [--steps 30] [--compile] > peer-gpt2.json
"""

import argparse
import json

import torch
import torch.nn.functional as F
from torch import nn

from torch_steps import arguments, row, seconds_per_step

VOCABULARY, WIDTH, HEADS = 50304, 768, 12


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        n, t, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(n, t, 3 * HEADS, d // HEADS).transpose(1, 2).chunk(3, 1)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(n, t, d))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, context, depth):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Parameter(0.02 * torch.randn(context, WIDTH))
        self.blocks = nn.Sequential(*[Block() for _ in range(depth)])
        self.norm = nn.LayerNorm(WIDTH)
        nn.init.normal_(self.tokens.weight, 0, 0.02)

    def forward(self, text, following):
        logits = F.linear(self.norm(self.blocks(self.tokens(text) + self.positions)), self.tokens.weight)
        return F.cross_entropy(logits.flatten(0, 1), following.flatten())


def zipf_tokens(batch, context, device):
    """Tokens of which number k has a probability in proportion to 1 / (k + 1)."""
    rank = torch.exp(torch.rand(batch, context) * torch.log(torch.tensor(50257.0)))
    return (rank.long() - 1).clamp(0, 50256).to(device)


def measure(options):
    device = torch.device(options.device)
    torch.manual_seed(1)
    network = Gpt(options.context, options.depth).to(device)
    forward = torch.compile(network) if options.compile else network
    optimizer = torch.optim.AdamW(network.parameters(), lr=6e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=device.type == "cuda")
    text, following = (zipf_tokens(options.batch, options.context, device) for _ in range(2))

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(options.device, torch.bfloat16):
            loss = forward(text, following)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()

    return seconds_per_step(step, options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--context", type=int, default=1024)
    parser.add_argument("--depth", type=int, default=12)
    arguments(parser)
    options = parser.parse_args()
    seconds = measure(options)
    name = f"{options.device}_table/gpt2_124m_step_bf16/batch:{options.batch}"
    print(json.dumps({"benchmarks": [row(name, seconds, options.batch * options.context)]}, indent=2))


main()
