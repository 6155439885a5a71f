#!/usr/bin/env python3
"""Writes LibTorch's functions and the members of Tensor that are functions, from the tables in torch_api/table.

    scripts/torch_functions.py            fails if a generated file is not current, or a name of LibTorch has no row
    scripts/torch_functions.py --write    writes the generated files
    scripts/torch_functions.py --list     writes tests/torch/functions/names.txt from the headers of an installed torch

Generated: torch/core/{tensor_methods,functions}.h and torch/{fft,linalg,special}.h below torch_api/include, and from
each table NAME.txt the definitions, torch_api/core/functions_NAME.cpp. scripts/torch_rows.py says how rows are written.
"""
import argparse
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from torch_rows import Tables  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMES = ROOT / "tests/torch/functions/names.txt"
HEADERS = ROOT / "torch_api/include/torch/core"
SOURCES = ROOT / "torch_api/core"
NOTE = "// Written by scripts/torch_functions.py from torch_api/table.\n// clang-format off\n"

# Functions of at::native, LibTorch's kernels, that programs call. There, names of at are hidden by native's.
NATIVE_NAMESPACE = """namespace at::native {

using at::_upsample_bicubic2d_aa;
using at::_upsample_bilinear2d_aa;
using at::_upsample_nearest_exact1d;
using at::_upsample_nearest_exact2d;
using at::_upsample_nearest_exact3d;
using at::is_nonzero;

}  // namespace at::native
"""


def generated(tables):
    """{file: text} of all generated files."""
    members, functions, files = [], [], {}
    for stem, rows in tables.by_file.items():
        definitions = []
        for row in rows:
            for function, member, definition in row.forms():
                functions += [(row.name, function)] if function else []
                members += [(row.name, member)] if member else []
                definitions.append(definition)
        if definitions:
            files[SOURCES / f"functions_{stem}.cpp"] = (
                f"{NOTE}#include <core/bridge.h>\n\nnamespace at {{\n\n" + "\n\n".join(definitions)
                + "\n\n}  // namespace at\n")
    # In the order of names: moving a row changes no header, which everything includes.
    functions, members = ([text for _, text in sorted(pairs)] for pairs in (functions, members))
    files[HEADERS / "tensor_methods.h"] = f"{NOTE}// Included inside class Tensor.\n" + "\n".join(members) + "\n"
    files[HEADERS / "functions.h"] = (
        f"#pragma once\n\n{NOTE}\n#include <ATen/core/Reduction.h>\n#include <torch/core/tensor.h>\n\n"
        "namespace at {\n\n" + "\n".join(functions)
        + "\n\n}  // namespace at\n\n" + NATIVE_NAMESPACE)
    for space in ("fft", "linalg", "special"):
        rows = [row for rows in tables.by_file.values() for row in rows if row.name.startswith(space + "_")]
        files[HEADERS.parent / f"{space}.h"] = (
            f"#pragma once\n\n{NOTE}\n#include <torch/types.h>\n\nnamespace torch::{space} {{\n\n"
            + "\n".join(row.forwarder() for row in rows) + f"\n\n}}  // namespace torch::{space}\n")
    return files


def check_names(tables):
    """Prints how many of LibTorch's names there are; fails for those without a row, and for rules without a name."""
    there, counts, unknown = tables.names(), {"there": 0, "by hand": 0, "absent": 0}, []
    missing = {}
    for line in NAMES.read_text().splitlines():
        if line.startswith("#"):
            continue
        name, kinds = line.split()
        has = there.get(name, set())
        lacks = set(kinds) - has
        if not lacks:
            counts["there"] += 1
        elif name in tables.core:
            counts["by hand"] += 1
        elif reason := next((why for pattern, why in tables.absent if pattern.fullmatch(name)), None):
            counts["absent"] += 1
            missing.setdefault(reason, []).append(name)
        else:
            unknown.append(f"{name} ({''.join(sorted(lacks))})")
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()), "of LibTorch's functions and members")
    for reason, names in sorted(missing.items(), key=lambda item: -len(item[1])):
        print(f"  {len(names)} absent: {reason}")
    if unknown:
        sys.exit(f"{len(unknown)} names are in no table:\n  " + "\n  ".join(unknown))


def write_names():
    """LibTorch's names, f for functions of ATen, m for members of Tensor."""
    import torch

    include = pathlib.Path(torch.__file__).parent / "include/ATen"
    names = {}
    body = (include / "core/TensorBody.h").read_text()
    for match in re.finditer(r"^  (?:inline )?[\w:<>,& ]+[ &]+(\w+)\([^;{]*\) const[^;{]*;", body, re.M):
        names.setdefault(match[1], set()).add("m")
    for file in (include / "ops").glob("*.h"):
        text = file.read_text()
        if "gen.py from Function.h" in text:
            for name in re.findall(r"^\s*inline [^\n(]*?[ &](\w+)\(", text, re.M):
                names.setdefault(name, set()).add("f")
    lines = [f"{name} {''.join(sorted(kinds))}" for name, kinds in sorted(names.items())
             if "_symint" not in name and not name.startswith("_") and name != "operator"]
    NAMES.write_text(
        "# Written by scripts/torch_functions.py --list: the functions of ATen (f) and the members of Tensor (m) of\n"
        f"# LibTorch {torch.__version__.split('+')[0]}, but names that begin with an underscore, and NAME_symint,\n"
        "# which differ in the types of arguments.\n" + "\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the generated files")
    parser.add_argument("--list", action="store_true", help="write the list of names from the installed torch")
    arguments = parser.parse_args()
    if arguments.list:
        write_names()
    tables = Tables()
    files = generated(tables)
    stale = [file for file, text in files.items() if not file.exists() or file.read_text() != text]
    for file in SOURCES.glob("functions_*.cpp"):
        if file not in files:
            stale.append(file)
            if arguments.write:
                file.unlink()
    if arguments.write:
        for file in stale:
            if file in files:
                file.write_text(files[file])
    elif stale:
        sys.exit("not current, run scripts/torch_functions.py --write:\n  " + "\n  ".join(map(str, stale)))
    check_names(tables)


if __name__ == "__main__":
    main()
