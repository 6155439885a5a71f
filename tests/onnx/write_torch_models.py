#!/usr/bin/env python3
"""Writes models with random weights by both of PyTorch's ONNX exporters into a folder: NAME/model.onnx, with an input and
the outputs that PyTorch computes as .npy files."""

import logging
import pathlib
import sys
import warnings

import numpy as np
import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 8)
        self.lstm = nn.LSTM(8, 6, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(12, 4)

    def forward(self, tokens):
        return self.gru(self.lstm(self.embedding(tokens))[0])[0]


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, x):
        return self.layer(x)


class Indexing(nn.Module):
    def forward(self, x):
        y = torch.cat([x.mean(1, keepdim=True), x[:, 1:3], x.roll(1, 1)], 1)
        y = torch.where(y > 0, y, y.exp())
        product = torch.einsum("bij,bkj->bik", y, y).softmax(-1).cumsum(1).clamp(0.1, 0.9).sqrt()
        lower = torch.tril(torch.ones(y.shape[-1], y.shape[-1]))
        return product.topk(3).values, (y @ lower).var(-1).argmax(1)


class Causal(nn.Module):
    def forward(self, x):
        places = torch.arange(x.shape[1])
        return x.masked_fill((places[None, :] > places[:, None])[None], float("-inf")).softmax(-1)


def models():
    image = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.Hardswish(), nn.MaxPool2d(2),
                          nn.Conv2d(8, 8, 3, 1, 1, groups=4), nn.GroupNorm(2, 8), nn.SiLU(),
                          nn.Upsample(scale_factor=2, mode="bilinear"), nn.ConvTranspose2d(8, 4, 2, 2), nn.PixelShuffle(2),
                          nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(4, 5))
    perceptron = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 2), nn.LogSoftmax(-1))
    return {
        "image": (image, torch.randn(2, 3, 16, 16)),
        "perceptron": (perceptron, torch.randn(3, 8)),
        "transformer": (Encoder(), torch.randn(2, 5, 8)),
        "recurrent": (Recurrent(), torch.randint(0, 10, (2, 5))),
        "indexing": (Indexing(), torch.randn(2, 4, 6)),
        "causal": (Causal(), torch.randn(2, 5, 5)),
    }


def main():
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.manual_seed(0)
    for name, (model, x) in models().items():
        model.eval()
        outputs = model(x)
        for exporter in ("script", "dynamo"):
            folder = pathlib.Path(sys.argv[1]) / f"{name}, {exporter}"
            folder.mkdir(parents=True)
            torch.onnx.export(model, (x,), folder / "model.onnx", dynamo=exporter == "dynamo", verbose=False)
            np.save(folder / "input.npy", x.numpy())
            for i, output in enumerate(outputs if isinstance(outputs, tuple) else (outputs,)):
                np.save(folder / f"output_{i}.npy", output.detach().numpy())


if __name__ == "__main__":
    main()
