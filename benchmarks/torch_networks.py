"""The rows of networks_bench.cpp in PyTorch, in Google Benchmark's JSON, for compare.py.

torch_networks.py [--threads 2] [--seconds 5] [--compile] [--channels-last] > peer-networks.json
"""

import argparse
import json
import time

import torch
import torch.nn.functional as F
from torch import nn


class BasicBlock(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inputs, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width)
        self.downsample = None
        if stride != 1 or inputs != width:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, width, 1, stride, bias=False), nn.BatchNorm2d(width))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + (x if self.downsample is None else self.downsample(x)))


def resnet18():
    stages, inputs = [], 64
    for width, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        stages += [BasicBlock(inputs, width, stride), BasicBlock(width, width, 1)]
        inputs = width
    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    return nn.Sequential(*stem, *stages, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        n, t, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(n, t, 3 * self.heads, d // self.heads).transpose(1, 2).chunk(3, 1)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(n, t, d))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, vocabulary=96, context=128, width=128, depth=4, heads=4):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(0.02 * torch.randn(context, width))
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(width)

    def forward(self, text):
        return F.linear(self.norm(self.blocks(self.tokens(text) + self.positions)), self.tokens.weight)


def measure(network, optimizer, x, target, options):
    forward = torch.compile(network) if options.compile else network

    def step():
        optimizer.zero_grad()
        F.cross_entropy(forward(x).flatten(0, -2), target.flatten()).backward()
        optimizer.step()

    for _ in range(3):
        step()
    best, best_processor, end = float("inf"), float("inf"), time.perf_counter() + options.seconds
    while time.perf_counter() < end:
        start, processor = time.perf_counter(), time.process_time()
        step()
        best = min(best, time.perf_counter() - start)
        best_processor = min(best_processor, time.process_time() - processor)
    return best, best_processor


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--channels-last", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    images = resnet18()
    x = torch.randn(8, 3, 128, 128)
    if options.channels_last:
        images, x = images.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    sgd = torch.optim.SGD(images.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    gpt = Gpt()
    adamw = torch.optim.AdamW(gpt.parameters(), lr=1e-3)
    text, following = torch.randint(0, 96, (16, 128)), torch.randint(0, 96, (16, 128))
    rows = []
    for name, batch, work in (("resnet18", 8, (images, sgd, x, torch.randint(0, 1000, (8,)))), ("small_gpt2", 16, (gpt, adamw, text, following))):
        wall, processor = measure(*work, options)
        rows.append({"name": f"cpu_networks/{name}_step/batch:{batch}", "real_time": 1e3 * wall, "cpu_time": 1e3 * processor,
                     "time_unit": "ms", "run_type": "iteration"})
    print(json.dumps({"benchmarks": rows}, indent=2))


main()
