#!/usr/bin/env python3
"""run_onnxruntime.py FOLDER [THREADS] [ITERATIONS]: times the models that onnx_models has written, and compares their outputs."""

import pathlib
import sys
import time

import numpy as np
import onnxruntime

threads = int(sys.argv[2]) if len(sys.argv) > 2 else 2
iterations = int(sys.argv[3]) if len(sys.argv) > 3 else 20

for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    if not (folder / "model.onnx").exists():
        continue
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
    feed = {session.get_inputs()[0].name: np.load(folder / "input.npy")}
    output = session.run(None, feed)[0]
    session.run(None, feed)
    times = []
    for _ in range(iterations):
        start = time.perf_counter()
        session.run(None, feed)
        times.append(1e3 * (time.perf_counter() - start))
    wanted = np.load(folder / "output.npy")
    difference = np.abs(output - wanted).max() / np.abs(wanted).max()
    print(f"{folder.name:16} onnxruntime {onnxruntime.__version__:7} {sorted(times)[iterations // 2]:8.1f} ms   "
          f"largest difference {difference:.1e}")
