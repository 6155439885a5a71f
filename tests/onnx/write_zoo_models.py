#!/usr/bin/env python3
"""Writes models of torchvision and transformers with random weights by both of PyTorch's ONNX exporters into a folder:
NAME/model.onnx with an input, the outputs that PyTorch computes and the losses of ten steps of SGD as .npy files. The loss
is log(1 + the mean of the squares) of the first output. A second argument names the models to write, separated by commas. Those
that an exporter cannot write are listed."""

import logging
import pathlib
import sys
import time
import warnings

import numpy as np
import torch
import torchvision
import torchvision.models as vision
import transformers

STEPS, RATE = 10, 0.00003


class First(torch.nn.Module):
    """The first tensor of what a model gives."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        y = self.model(x)
        return y if isinstance(y, torch.Tensor) else y[0]


def image(size):
    return lambda: torch.randn(2, 3, size, size)


def tokens():
    return torch.randint(2, 50, (2, 9))  # without padding, whose gradient ONNX cannot leave out


def language(model, config, **options):
    small = {"vocab_size": 50, "attn_implementation": "eager", **options}
    return lambda: First(getattr(transformers, model)(getattr(transformers, config)(**small))), tokens


BERT = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}


def models():
    of_images = {name: (lambda name=name: getattr(vision, name)(num_classes=10), image(size)) for name, size in {
        "resnet18": 64, "resnet50": 32, "resnext50_32x4d": 32, "regnet_x_400mf": 32,
        "squeezenet1_1": 64, "densenet121": 32, "mobilenet_v2": 32, "mobilenet_v3_small": 64, "efficientnet_b0": 32,
        "mnasnet0_5": 32, "regnet_y_400mf": 32, "convnext_tiny": 32}.items()}
    of_images["vit"] = (lambda: vision.VisionTransformer(32, 8, 2, 2, 16, 24, num_classes=10), image(32))
    return {
        **of_images,
        "bert": language("BertModel", "BertConfig", **BERT),
        "roberta": language("RobertaModel", "RobertaConfig", pad_token_id=1, **BERT),
        "electra": language("ElectraModel", "ElectraConfig", embedding_size=8, **BERT),
        "albert": language("AlbertModel", "AlbertConfig", embedding_size=8, **BERT),
        "distilbert": language("DistilBertModel", "DistilBertConfig", dim=16, n_layers=2, n_heads=2, hidden_dim=24),
        "gpt2": language("GPT2Model", "GPT2Config", n_embd=16, n_layer=2, n_head=2, use_cache=False),
        "gpt_neox": language("GPTNeoXModel", "GPTNeoXConfig", use_cache=False, **BERT),
        "llama": language("LlamaModel", "LlamaConfig", num_key_value_heads=1, use_cache=False, **BERT),
        "qwen2": language("Qwen2Model", "Qwen2Config", num_key_value_heads=1, use_cache=False, **BERT),
        "t5": language("T5EncoderModel", "T5Config", d_model=16, d_kv=8, d_ff=24, num_layers=2, num_heads=2),
    }


def losses(model, x):
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    found = []
    for _ in range(STEPS):
        loss = model(x).square().mean().log1p()
        found.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return np.array(found, dtype=np.float64)


def export(model, x, path, exporter):
    """As training needs it: batch normalisation is not folded into weights."""
    if exporter == "dynamo":
        # Its optimizer puts batch normalisation into weights, but is needed where it removes sequences.
        torch.onnx.export(model, (x,), path, dynamo=True, verbose=False, optimize=not x.is_floating_point())
    else:
        torch.onnx.export(model, (x,), path, dynamo=False, do_constant_folding=False,
                          training=torch.onnx.TrainingMode.PRESERVE)


def write(root, name, make, draw):
    torch.manual_seed(0)
    model, x = make().eval(), draw()
    with torch.no_grad():
        for parameter in model.parameters():  # an exporter makes one of equal ones, which then train together
            parameter.add_(0.005 * torch.randn_like(parameter))
        output = model(x)
    written = []
    for exporter in ("script", "dynamo"):
        folder = root / f"{name}, {exporter}"
        folder.mkdir(parents=True)
        try:
            export(model, x, folder / "model.onnx", exporter)
            np.save(folder / "input.npy", x.numpy())
            np.save(folder / "output.npy", output.numpy())
            written.append(folder)
        except Exception as error:  # of an exporter, which is not what is tested
            print(f"{folder.name}: PyTorch cannot export it: {type(error).__name__}: {str(error)[:150]!r}", flush=True)
    trained = losses(model, x)
    for folder in written:
        np.save(folder / "losses.npy", trained)


def main():
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    transformers.logging.set_verbosity_error()
    wanted = sys.argv[2].split(",") if len(sys.argv) > 2 else None
    print(f"torch {torch.__version__}, torchvision {torchvision.__version__}, "
          f"transformers {transformers.__version__}")
    for name, (make, draw) in models().items():
        if wanted is None or name in wanted:
            start = time.time()
            write(pathlib.Path(sys.argv[1]), name, make, draw)
            print(f"{name}: {time.time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
