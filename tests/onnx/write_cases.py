#!/usr/bin/env python3
"""Writes the test cases of operators of the installed onnx package into a folder, as onnx's own repository lays them
out: CASE/model.onnx and CASE/test_data_set_0/{input,output}_0.pb. Adds the package's networks for images, whose weights
are equal numbers. Prints the package's version and the cases' number."""

import pathlib
import sys
import warnings

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases


def write_value(path, value, kind):
    """A tensor, or a sequence or optional value, which the reader knows from the model."""
    if kind.HasField("sequence_type"):
        value = numpy_helper.from_list(value)
    elif kind.HasField("optional_type"):
        value = numpy_helper.from_optional(value)
    elif not isinstance(value, onnx.TensorProto):
        value = numpy_helper.from_array(value)
    path.write_bytes(value.SerializeToString())


def write_case(folder, case):
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    graph = case.model.graph
    for number, (inputs, outputs) in enumerate(case.data_sets):
        values = folder / f"test_data_set_{number}"
        values.mkdir()
        for name, given, declared in (("input", inputs, graph.input), ("output", outputs, graph.output)):
            for i, value in enumerate(given):
                write_value(values / f"{name}_{i}.pb", value, declared[i].type)


def write_network(folder, path):
    """A network and its recorded output for the numbers from 0 to 1 that onnx's own runner feeds it."""
    values = folder / "test_data_set_0"
    values.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(path.read_bytes())
    graph = onnx.load(path).graph
    weights = {value.name for value in graph.initializer}
    inputs = [value for value in graph.input if value.name not in weights]
    for i, value in enumerate(inputs):
        shape = [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim]
        numbers = (np.arange(np.prod(shape)).reshape(shape) / np.prod(shape)).astype(np.float32)
        (values / f"input_{i}.pb").write_bytes(numpy_helper.from_array(numbers).SerializeToString())
    (values / "output_0.pb").write_bytes(path.with_name(f"{path.stem}_output_0.pb").read_bytes())


def main():
    target = pathlib.Path(sys.argv[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # cases divide by zero and overflow on purpose
        cases = collect_testcases(None)
        for case in cases:
            write_case(target / case.name, case)
    networks = sorted((pathlib.Path(onnx.__file__).parent / "backend/test/data/light").glob("*.onnx"))
    for path in networks:
        write_network(target / f"test_{path.stem}", path)
    print(f"onnx {onnx.__version__}: {len(cases)} cases, {len(networks)} networks")


if __name__ == "__main__":
    main()
