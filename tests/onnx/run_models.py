#!/usr/bin/env python3
"""Checks models with onnx.checker, runs them in onnxruntime and compares the outputs with those in the folder. Prints a
table: the model, the largest difference relative to the largest output, for the example and for other sizes. Fails if a
model is invalid, does not run, or differs by more than 1e-5."""

import pathlib
import sys

import numpy as np
import onnx
import onnxruntime

LIMIT = 1e-5


def load_all(folder, kind):
    return [np.load(path) for path in sorted(folder.glob(f"{kind}_*.npy"))]


def difference(got, wanted):
    if got.shape != wanted.shape:
        raise ValueError(f"shape {got.shape}, expected {wanted.shape}")
    if got.size == 0:
        return 0.0
    scale = max(float(np.abs(wanted.astype(np.float64)).max()), 1e-6)
    return float(np.abs(got.astype(np.float64) - wanted.astype(np.float64)).max()) / scale


def run(case):
    if (case / "error.txt").exists():
        return "not written: " + (case / "error.txt").read_text().replace("\n", " ")
    model = onnx.load(case / "model.onnx")
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(str(case / "model.onnx"), providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()]
    results = []
    for folder in ("example", "other sizes"):
        if not (case / folder).exists():
            results.append(None)
            continue
        outputs = session.run(None, dict(zip(names, load_all(case / folder, "input"))))
        results.append(max(map(difference, outputs, load_all(case / folder, "output"))))
    return results


def main():
    failures = 0
    print(f"onnx {onnx.__version__}, onnxruntime {onnxruntime.__version__}")
    print("| model | example | other sizes |\n|---|---|---|")
    for case in sorted(path for path in pathlib.Path(sys.argv[1]).iterdir() if path.is_dir()):
        name = (case / "name.txt").read_text()
        try:
            result = run(case)
        except Exception as error:  # of a checker or runtime: named in the table
            result = f"{type(error).__name__}: {error}".replace("\n", " ")[:300]
        if isinstance(result, str):
            failures += 1
            print(f"| {name} | {result} | |")
            continue
        failures += any(value is not None and not value <= LIMIT for value in result)
        print(f"| {name} | " + " | ".join("" if value is None else f"{value:.1e}" for value in result) + " |")
    print(f"{failures} failures")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
