#!/usr/bin/env python3
"""Lists which names of PyTorch and torchvision minima has: docs/coverage.md.

    scripts/torch_coverage.py            fails if the page is not current, or a name is neither there nor explained
    scripts/torch_coverage.py --write    writes the page
    scripts/torch_coverage.py --list     writes tests/docs/torch/names.txt from the installed torch and torchvision

Only --list needs them. Of what users asked for, tests/docs/torch/asked.txt, at most 5% may be missing.
tests/docs/torch/rules.txt says which names of theirs are none of the API's (`internal`), what
others are called here (`= name`), and why the rest is missing (`- reason`); the first rule that matches decides. A name
that a public header declares and a test uses needs no rule.
"""
import argparse
import importlib
import inspect
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMES = ROOT / "tests/docs/torch/names.txt"
RULES = ROOT / "tests/docs/torch/rules.txt"
ASKED = ROOT / "tests/docs/torch/asked.txt"
PAGE = ROOT / "docs/coverage.md"

# Module, what of it counts, and the folders of headers that declare the same here.
LAYERS = "tensor ops autograd io amp nn models optim data distributed distributions train".split()
OPERATORS = ["tensor", "ops", "autograd", "io", "amp", "nn"]
MODULES = [
    ("torch", "functions", OPERATORS),
    ("torch.nn.functional", "functions", OPERATORS),
    ("torch.special", "functions", OPERATORS),
    ("torch.linalg", "functions", OPERATORS),
    ("torch.fft", "functions", OPERATORS),
    ("torch.autograd.functional", "functions", OPERATORS),
    ("torch.nn", "classes", ["nn"]),
    ("torch.nn.init", "functions", ["nn/init"]),
    ("torch.nn.utils", "functions", ["nn", "optim/gradient", "ops"]),
    ("torch.nn.utils.parametrizations", "functions", ["nn/parametrize"]),
    ("torch.nn.utils.prune", "functions", ["nn/parametrize"]),
    ("torch.nn.utils.rnn", "functions", ["ops"]),
    ("torch.optim", "classes", ["optim"]),
    ("torch.optim.lr_scheduler", "classes", ["optim"]),
    ("torch.distributions", "classes", ["distributions"]),
    ("torch.utils.data", "classes", ["data"]),
    ("torchvision.transforms", "classes", ["data"]),
    ("torchvision.ops", "functions", OPERATORS + ["nn", "models"]),
    ("torchvision.datasets", "classes", ["data"]),
    ("torchvision.utils", "functions", ["io"]),
]


def write_list():
    versions = [f"{name} {importlib.import_module(name).__version__.split('+')[0]}" for name in ("torch", "torchvision")]
    lines = ["# " + ", ".join(versions) + ": written by scripts/torch_coverage.py --list"]
    for module_name, kind, _ in MODULES:
        module = importlib.import_module(module_name)
        names = []
        for name in sorted(set(getattr(module, "__all__", dir(module)))):
            thing = getattr(module, name, None)
            if name.startswith("_") or thing is None or inspect.ismodule(thing):
                continue
            if inspect.isclass(thing) if kind == "classes" else callable(thing) and not inspect.isclass(thing):
                names.append(name)
        lines += [f"[{module_name}]"] + textwrap.wrap(" ".join(names), 118)
    NAMES.write_text("\n".join(lines) + "\n")


def read_names():
    """(module, name) for each name in the list."""
    module = ""
    for line in NAMES.read_text().splitlines():
        if line.startswith("["):
            module = line.strip("[]")
        elif not line.startswith("#"):
            for name in line.split():
                yield module, name


def declared_in(folder):
    """The names that the headers below a folder declare at the beginning of a line; those of kernels' loops are internal."""
    names = set()
    for header in (ROOT / folder).rglob("*.h"):
        if "loops" in header.parts:
            continue
        text = header.read_text()
        names |= set(re.findall(r"^(?:class|struct|enum class) (?:MINIMA_API )?(\w+)", text, re.M))
        names |= set(re.findall(r"^using (\w+) =", text, re.M))
        names |= set(re.findall(r"^(?:MINIMA_API |inline |requires |template|[\w:]+<?[\w:, ]*>?[ &]+)[^\n;{}]*?\b(\w+)\(", text, re.M))
    return names


def used_by_tests():
    """Every identifier in the tests' sources."""
    files = [file for ending in ("cpp", "h", "cu") for file in (ROOT / "tests").rglob(f"*.{ending}")]
    return set().union(*(re.findall(r"\w+", file.read_text()) for file in files))


def read_rules():
    rules = []
    for number, line in enumerate(RULES.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = re.fullmatch(r"(\S+) +(internal|= .+|- .+)", line)
        if not match:
            sys.exit(f"{RULES}:{number}: expected `PATTERN internal`, `PATTERN = NAME` or `PATTERN - REASON`")
        rules.append((re.compile(match[1].replace(".", r"\.").replace("*", r"\w*")), match[2]))
    return rules


def check_names(file, texts):
    """Every identifier that stands for another name here is in a header."""
    words = set()
    for folder in LAYERS:
        for header in (ROOT / folder).rglob("*.h"):
            words |= set(re.findall(r"\w+", header.read_text()))
    for text in texts:
        for code in re.findall(r"`([^`]+)`", text):
            for word in re.findall(r"[A-Za-z_]\w{2,}", code):
                if word not in words:
                    sys.exit(f"{file}: no header has `{word}` of `{code}`")


def check_asked():
    """What users asked for is declared, has another name, or is missing for a reason: at most 5%."""
    declared = set().union(*(declared_in(folder) for folder in LAYERS))
    operators = set(re.findall(r"operator[^\w\s(]+", " ".join(
        header.read_text() for folder in LAYERS for header in (ROOT / folder).rglob("*.h"))))
    there, missing, undeclared = [], [], []
    for line in ASKED.read_text().splitlines():
        match = re.fullmatch(r"(\S+) ([=-] .+)", line)
        if match:
            (there if match[2].startswith("=") else missing).append(match[1])
            if match[2].startswith("="):
                check_names(ASKED, [match[2]])
        elif not line.startswith("#"):
            for name in line.split():
                (there if name in declared | operators else undeclared).append(name)
    if undeclared:
        sys.exit(f"{ASKED}: no header declares " + ", ".join(undeclared))
    if len(missing) > 0.05 * (len(there) + len(missing)):
        sys.exit(f"{ASKED}: {len(missing)} of {len(there) + len(missing)} names are missing: " + ", ".join(missing))
    return len(there), len(missing)


def classify():
    """{module: {"same": [...], "other": [(name, ours)], "missing": [(name, reason)]}}, and the names without a rule."""
    rules, tested, cache, unknown = read_rules(), used_by_tests(), {}, []
    check_names(RULES, [text for _, text in rules])
    table = {module: {"same": [], "other": [], "missing": []} for module, _, _ in MODULES}
    folders = {module: folders for module, _, folders in MODULES}
    for module, name in read_names():
        full = f"{module}.{name}"
        rule = next((text for pattern, text in rules if pattern.fullmatch(full)), "")
        if rule == "internal":
            continue
        for folder in folders[module]:
            if folder not in cache:
                cache[folder] = declared_in(folder) if (ROOT / folder).exists() else set()
        if name in tested and any(name in cache[folder] for folder in folders[module]):
            table[module]["same"].append(name)
        elif rule.startswith("= "):
            table[module]["other"].append((name, rule[2:]))
        elif rule.startswith("- "):
            table[module]["missing"].append((name, rule[2:]))
        else:
            unknown.append(full)
    return table, unknown


def percent(part, whole):
    return f"{100 * part / whole:.0f}%" if whole else ""


def text_of(table):
    version = NAMES.read_text().splitlines()[0].split(":")[0].lstrip("# ")
    lines = [
        "# Coverage of PyTorch",
        "",
        f"The public functions and classes of {version} against the headers here: what has the",
        "same name, is declared and used by a test; what has another, and what is missing, is listed below.",
        "`scripts/torch_coverage.py --write` writes this page; a test fails when it is not current. In-place forms do not count,",
        "nor does what `tests/docs/torch/rules.txt` calls internal. Idioms: [from-libtorch.md](from-libtorch.md).",
        "",
        "| module | names | same name | other name | missing |",
        "| --- | --- | --- | --- | --- |",
    ]
    sums = [0, 0, 0]
    for module, groups in table.items():
        counts = [len(groups[key]) for key in ("same", "other", "missing")]
        sums = [a + b for a, b in zip(sums, counts)]
        lines.append(f"| `{module}` | {sum(counts)} | {counts[0]} | {counts[1]} | {counts[2]} |")
    lines.append(f"| all | {sum(sums)} | {sums[0]} | {sums[1]} | {sums[2]} ({percent(sums[2], sum(sums))}) |")
    lines += ["", "## Other names"]
    for module, groups in table.items():
        if groups["other"]:
            lines += ["", f"### {module}", "", "| PyTorch | minima |", "| --- | --- |"]
            lines += [f"| `{name}` | {ours} |" for name, ours in groups["other"]]
    lines += ["", "## Missing names"]
    reasons = {}
    for module, groups in table.items():
        for name, reason in groups["missing"]:
            reasons.setdefault(reason, []).append(name)
    for reason in sorted(reasons, key=str.lower):
        lines += ["", f"### {reason[0].upper() + reason[1:] if reason[0].isalpha() else reason}", ""]
        lines += textwrap.wrap(", ".join(f"`{name}`" for name in sorted(set(reasons[reason]))), 118)
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the table")
    parser.add_argument("--list", action="store_true", help="write the list of names from the installed torch")
    arguments = parser.parse_args()
    if arguments.list:
        write_list()
    there, missing = check_asked()
    print(f"{there + missing} names of {ASKED.name}: {there} there, {missing} missing")
    table, unknown = classify()
    if unknown:
        sys.exit("neither declared here and used by a test nor in rules.txt:\n  " + "\n  ".join(unknown))
    if arguments.write:
        PAGE.write_text(text_of(table))
    elif not PAGE.exists() or PAGE.read_text() != text_of(table):
        sys.exit(f"{PAGE} is not current: run scripts/torch_coverage.py --write")


if __name__ == "__main__":
    main()
