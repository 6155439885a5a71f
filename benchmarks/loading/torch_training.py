"""examples/resnet --data and examples/fashion_mnist in PyTorch: DataLoader and torchvision's transforms, one epoch or some steps.

torch_training.py resnet FOLDER [--depth 18] [--image-size 128] [--batch-size 32] [--steps 20] [--workers 2] [--threads N]
torch_training.py fashion_mnist FOLDER [--batch-size 64] [--workers 2] [--threads N]
torch_training.py make FOLDER     writes FashionMNIST/raw, as torchvision wants it, with random images and labels

Prints the images per second, of resnet after three steps as the example does.
"""

import argparse
import pathlib
import struct
import time

import torch
import torch.nn.functional as F
import torchvision
from torch import nn
from torch.utils.data import DataLoader, Subset
from torchvision.transforms import v2


def make(options):
    folder = pathlib.Path(options.folder) / "FashionMNIST" / "raw"
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    for name, count in ("train", 60_000), ("t10k", 10_000):
        images, labels = torch.randint(0, 256, (count, 28, 28), dtype=torch.uint8), torch.randint(0, 10, (count,), dtype=torch.uint8)
        (folder / f"{name}-images-idx3-ubyte").write_bytes(struct.pack(">4i", 0x803, count, 28, 28) + images.numpy().tobytes())
        (folder / f"{name}-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 0x801, count) + labels.numpy().tobytes())


def loader_of(dataset, options):
    return DataLoader(dataset, batch_size=options.batch_size, shuffle=True, num_workers=options.workers, drop_last=True,
                      persistent_workers=options.workers > 0)


def resnet(options):
    mean, deviation = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
    augment = v2.Compose([v2.RandomResizedCrop(options.image_size, antialias=True), v2.RandomHorizontalFlip(),
                          v2.ToDtype(torch.float32, scale=True), v2.Normalize(mean, deviation)])
    read = lambda path: torchvision.io.read_image(path, torchvision.io.ImageReadMode.RGB)
    dataset = torchvision.datasets.ImageFolder(options.folder, transform=augment, loader=read)
    network = getattr(torchvision.models, f"resnet{options.depth}")(num_classes=len(dataset.classes))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4, fused=True)
    loader = loader_of(dataset, options)
    warmup, done = 3, 0
    while True:
        for images, labels in loader:
            if done == warmup:
                start = time.perf_counter()
            optimizer.zero_grad()
            F.cross_entropy(network(images), labels).backward()
            optimizer.step()
            done += 1
            if done == warmup + options.steps:
                return options.steps * options.batch_size / (time.perf_counter() - start)


def stage(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2))


def fashion_mnist(options):
    transform = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize((0.286,), (0.353,))])
    dataset = torchvision.datasets.FashionMNIST(options.folder, transform=transform)
    loader = loader_of(Subset(dataset, range(len(dataset) - 5000)), options)  # the rest is for validation
    network = nn.Sequential(stage(1, 32), stage(32, 64), nn.Flatten(), nn.Linear(64 * 7 * 7, 128), nn.ReLU(), nn.Dropout(0.3),
                            nn.Linear(128, 10))
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3, fused=True)
    total, correct, seen = torch.zeros((), dtype=torch.float64), torch.zeros((), dtype=torch.int64), 0
    start = time.perf_counter()
    for images, labels in loader:
        optimizer.zero_grad()
        logits = network(images)
        loss = F.cross_entropy(logits, labels)
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            total += loss * len(labels)
            correct += (logits.argmax(1) == labels).sum()
        seen += len(labels)
    return seen / (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", choices=("resnet", "fashion_mnist", "make"))
    parser.add_argument("folder")
    parser.add_argument("--depth", type=int, default=18)
    parser.add_argument("--image-size", type=int, default=128)
    parser.add_argument("--batch-size", type=int)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    options.batch_size = options.batch_size or (32 if options.program == "resnet" else 64)
    torch.set_num_threads(options.threads)
    rate = {"resnet": resnet, "fashion_mnist": fashion_mnist, "make": make}[options.program](options)
    if rate is not None:
        print(f"{rate:.4g} img/s")


main()
