#!/usr/bin/env python3
"""Writes the test cases of operators of the installed onnx package into a folder, as onnx's own repository lays them
out: CASE/model.onnx and CASE/test_data_set_0/{input,output}_0.pb. Prints the package's version and the cases' number."""

import pathlib
import sys
import warnings

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


def main():
    target = pathlib.Path(sys.argv[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # cases divide by zero and overflow on purpose
        cases = collect_testcases(None)
        for case in cases:
            write_case(target / case.name, case)
    print(f"onnx {onnx.__version__}: {len(cases)} cases")


if __name__ == "__main__":
    main()
