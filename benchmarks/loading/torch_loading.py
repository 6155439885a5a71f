"""loading.cpp with PyTorch's DataLoader and torchvision: `torch_loading.py memory`, `torch_loading.py jpeg FOLDER`."""
import gzip, sys, time
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


def best_rate(loader, epochs):
    best = processor = 0.0
    for _ in range(epochs):
        start, used, images = time.perf_counter(), time.process_time(), 0
        for x, y in loader:
            images += len(y)
        best = max(best, images / (time.perf_counter() - start))
        processor = max(processor, images / (time.process_time() - used))
    return best, processor


def memory():
    with gzip.open("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz") as f:
        images = torch.from_numpy(np.frombuffer(f.read(), np.uint8, offset=16).reshape(-1, 1, 28, 28).copy())
    data = TensorDataset(images, torch.zeros(len(images), dtype=torch.int64))
    for workers in 0, 1, 2:
        for shuffle in False, True:
            loader = DataLoader(data, batch_size=256, shuffle=shuffle, num_workers=workers, persistent_workers=workers > 0)
            rate, processor = best_rate(loader, 3)
            own = f"; {processor:.0f} images per second of processor time" if workers == 0 else ""
            print(f"memory, {workers} workers, {'shuffled' if shuffle else 'in order'}: {rate:.0f} images/s{own}", flush=True)


def jpeg(folder):
    import torchvision
    from torchvision.transforms import v2

    crop = v2.Compose([v2.RandomResizedCrop(160, antialias=True), v2.RandomHorizontalFlip()])
    read = lambda path: torchvision.io.read_image(path, torchvision.io.ImageReadMode.RGB)
    data = torchvision.datasets.ImageFolder(folder, transform=crop, loader=read)
    for workers in 0, 1, 2:
        loader = DataLoader(data, batch_size=64, shuffle=True, num_workers=workers, persistent_workers=workers > 0)
        rate, processor = best_rate(loader, 2)
        own = f", {processor:.0f} images per second of processor time" if workers == 0 else ""
        print(f"jpeg, {workers} workers, whole decoding: {rate:.0f} images/s{own}", flush=True)


memory() if sys.argv[1] == "memory" else jpeg(sys.argv[2])
