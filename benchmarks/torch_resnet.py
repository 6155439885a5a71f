"""The ResNet-50 rows of resnet_bench.cpp in PyTorch, in Google Benchmark's JSON, for compare.py.

torch_resnet.py [--device cuda] [--batch 256] [--size 224] [--steps 30] [--dtype bf16] [--compile] > peer-resnet.json
"""

import argparse
import json

import torch
import torch.nn.functional as F
from torch import nn

from torch_steps import arguments, row, seconds_per_step


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        outputs = 4 * width
        self.conv1, self.bn1 = nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        return F.relu(self.bn3(self.conv3(y)) + (x if self.downsample is None else self.downsample(x)))


def resnet50():
    stages, inputs = [], 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            stages.append(Bottleneck(inputs, width, stride if block == 0 else 1))
            inputs = 4 * width
    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    return nn.Sequential(*stem, *stages, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000))


def measure(options, dtype):
    device = torch.device(options.device)
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = True
    network = resnet50().to(device, memory_format=torch.channels_last)
    forward = torch.compile(network) if options.compile else network
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    scaler = torch.amp.GradScaler(options.device, enabled=dtype == torch.float16)
    x = torch.randn(options.batch, 3, options.size, options.size, device=device).to(memory_format=torch.channels_last)
    target = torch.randint(0, 1000, (options.batch,), device=device)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(options.device, dtype):
            loss = F.cross_entropy(forward(x), target)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    return seconds_per_step(step, options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--size", type=int, default=224)
    arguments(parser)
    parser.add_argument("--dtype", choices=("bf16", "fp16"), help="one of the two rows")
    options = parser.parse_args()
    rows = []
    for name, dtype in (("bf16", torch.bfloat16), ("fp16", torch.float16)):
        if (dtype == torch.float16 and options.device == "cpu") or options.dtype not in (None, name):
            continue
        seconds = measure(options, dtype)
        rows.append(row(f"{options.device}_table/resnet50_step_{name}/batch:{options.batch}", seconds, options.batch))
    print(json.dumps({"benchmarks": rows}, indent=2))


main()
