"""The rows of networks.cpp in PyTorch, torchvision and transformers.

torch_networks.py ROW float32|bfloat16 [STEPS [SECONDS]] [--as eager|channels_last|compiled|onnxruntime] [--threads N]

Prints a line of JSON as networks.cpp does, with the seconds of the first call, which compiles, as `first_s`. channels_last is
for networks of convolutions, onnxruntime for inference in float32, compiled with the default options of torch.compile.
"""

import argparse
import json
import math
import resource
import statistics
import time
import warnings

import torch
import torch.nn.functional as F
from torch import nn

warnings.simplefilter("ignore")


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        n, t, d = x.shape
        q, k, v = (y.view(n, t, self.heads, d // self.heads).transpose(1, 2) for y in self.qkv(self.norm1(x)).split(d, 2))
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(n, t, d))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    """GPT-2 as nanoGPT writes it, with tied embeddings."""

    def __init__(self, vocabulary, context, width, depth, heads):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(width)

    def forward(self, text):
        x = self.tokens(text) + self.positions(torch.arange(text.size(1)))
        return F.linear(self.norm(self.blocks(x)), self.tokens.weight)


class LstmLanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.lstm, self.head = nn.Embedding(10_000, 650), nn.LSTM(650, 650, 2), nn.Linear(650, 10_000)

    def forward(self, tokens):
        return self.head(self.lstm(self.embedding(tokens))[0])


def double_conv(inputs, outputs):
    layers = []
    for channels in (inputs, outputs):
        layers += [nn.Conv2d(channels, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(True)]
    return nn.Sequential(*layers)


class UNet(nn.Module):
    """The layers of models/vision/unet.h."""

    def __init__(self, width):
        super().__init__()
        widths = [width << level for level in range(5)]
        self.inc = double_conv(3, width)
        self.down = nn.ModuleList(nn.Sequential(nn.MaxPool2d(2), double_conv(a, b)) for a, b in zip(widths, widths[1:]))
        pairs = list(zip(widths[:0:-1], widths[-2::-1]))
        self.up = nn.ModuleList(nn.ConvTranspose2d(a, b, 2, 2) for a, b in pairs)
        self.conv = nn.ModuleList(double_conv(a, b) for a, b in pairs)
        self.out = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        levels = [self.inc(x)]
        for down in self.down:
            levels.append(down(levels[-1]))
        x = levels.pop()
        for up, conv in zip(self.up, self.conv):
            x = conv(torch.cat([levels.pop(), up(x)], 1))
        return self.out(x)


def mlp():
    layers = []
    for inputs in (64, 512, 512):
        layers += [nn.Linear(inputs, 512), nn.BatchNorm1d(512), nn.ReLU(), nn.Dropout(0.1)]
    return nn.Sequential(*layers, nn.Linear(512, 1))


def vision(name, **options):
    import torchvision

    return getattr(torchvision.models, name)(**options)


def vit_small():
    from torchvision.models import VisionTransformer

    return VisionTransformer(image_size=224, patch_size=16, num_layers=12, num_heads=6, hidden_dim=384, mlp_dim=1536)


def bert():
    from transformers import BertConfig, BertModel

    return BertModel(BertConfig())


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.01, momentum=0.9, weight_decay=1e-4, fused=True)


def adamw(parameters):
    return torch.optim.AdamW(parameters, lr=1e-3, fused=True)


def images(batch, size):
    return lambda: (torch.randn(batch, 3, size, size), torch.randint(0, 1000, (batch,)))


def tokens(vocabulary, *shape):
    return lambda: (torch.randint(0, vocabulary, shape), torch.randint(0, vocabulary, shape))


def of_tokens(logits, targets):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


# network, optimizer (None: inference), input and target, loss
ROWS = {
    "resnet18": (lambda: vision("resnet18"), sgd, images(8, 128), F.cross_entropy),
    "resnet50": (lambda: vision("resnet50"), sgd, images(8, 128), F.cross_entropy),
    "mobilenet_v3": (lambda: vision("mobilenet_v3_large", dropout=0.0), sgd, images(16, 128), F.cross_entropy),
    "unet": (lambda: UNet(32), sgd, lambda: (torch.randn(4, 3, 128, 128), torch.randint(0, 2, (4, 128, 128))), F.cross_entropy),
    "vit_small": (vit_small, sgd, images(4, 224), F.cross_entropy),
    "lstm": (LstmLanguageModel, lambda p: torch.optim.SGD(p, lr=1.0, fused=True), tokens(10_000, 35, 20), of_tokens),
    "gpt_4x128": (lambda: Gpt(96, 128, 128, 4, 4), adamw, tokens(96, 16, 128), of_tokens),
    "gpt_6x384": (lambda: Gpt(2048, 256, 384, 6, 6), adamw, tokens(2048, 4, 256), of_tokens),
    "mlp": (mlp, adamw, lambda: (torch.randn(1024, 64), torch.randn(1024, 1)), F.mse_loss),
    "resnet50_inference_1": (lambda: vision("resnet50"), None, images(1, 224), None),
    "resnet50_inference_32": (lambda: vision("resnet50"), None, images(32, 224), None),
    "bert_inference_1": (bert, None, tokens(30_000, 1, 128), None),
    "bert_inference_32": (bert, None, tokens(30_000, 32, 128), None),
}


def onnxruntime_step(network, x, threads):
    import onnxruntime

    model = torch.onnx.export(network, (x,), dynamo=True, verbose=False).model_proto.SerializeToString()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feed = {session.get_inputs()[0].name: x.numpy()}
    return lambda: session.run(None, feed)


def make_step(options):
    make, optimizer, data, loss = ROWS[options.row]
    network, (x, target) = make(), data()
    if options.program == "channels_last":
        network = network.to(memory_format=torch.channels_last)
        x = x.to(memory_format=torch.channels_last)
    forward = torch.compile(network) if options.program == "compiled" else network
    autocast = torch.autocast("cpu", torch.bfloat16, enabled=options.dtype == "bfloat16")
    if optimizer is None:
        network.eval()
        if options.program == "onnxruntime":
            return onnxruntime_step(network, x, options.threads)

        def infer():
            with torch.inference_mode(), autocast:
                forward(x)

        return infer

    network.train()
    optimizer = optimizer(network.parameters())

    def train():
        optimizer.zero_grad()
        with autocast:
            value = loss(forward(x), target)
        value.backward()
        optimizer.step()

    return train


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("row", choices=ROWS)
    parser.add_argument("dtype", choices=("float32", "bfloat16"))
    parser.add_argument("steps", type=int, nargs="?", default=25)
    parser.add_argument("seconds", type=float, nargs="?", default=math.inf)
    parser.add_argument("--as", dest="program", choices=("eager", "channels_last", "compiled", "onnxruntime"), default="eager")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    step = make_step(options)
    clock = time.process_time if options.threads == 1 else time.perf_counter
    start = time.perf_counter()
    step()
    first = time.perf_counter() - start
    begin = time.perf_counter()
    expected = 0 if options.program == "compiled" else first
    for _ in range(2):
        if time.perf_counter() - begin + expected < options.seconds:
            step()
    times = []
    begin = time.perf_counter()
    while not times or (len(times) < options.steps and time.perf_counter() - begin < options.seconds):
        start = clock()
        step()
        times.append(1e3 * (clock() - start))
    times.sort()
    print(json.dumps({"program": options.program, "row": options.row, "dtype": options.dtype, "median_ms": statistics.median_high(times),
                      "least_ms": times[0], "most_ms": times[-1], "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                      "first_s": first}))


main()
