#!/usr/bin/env python3
"""Prepares pages and headers for Doxygen: prepare.py CHECKOUT OUT HEADER…

Pages: README.md, CHANGELOG.md, CONTRIBUTING.md, docs/*.md and simulated/README.md. Headings get the anchors that GitHub gives
them, links between pages become links between their HTML files, links to headers references to their page in the API; links to
other files of the checkout, which are not part of the site, become plain text. Headers: comments are escaped, since they are
written as text, and their indented lines become code.
"""

import pathlib
import re
import shutil
import sys

checkout, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
headers = sys.argv[3:]
pages = [
    checkout / "README.md", *sorted((checkout / "docs").glob("*.md")), checkout / "simulated" / "README.md",
    checkout / "CONTRIBUTING.md", checkout / "CHANGELOG.md"
]

NAMESPACES = {
    "minima": "Tensors, operators, gradients, saving and training.",
    "minima::nn": "Modules, layers and losses.",
    "minima::nn::init": "Initialisers of parameters.",
    "minima::optim": "Optimizers, schedules, clipping and averaging.",
    "minima::optim::schedules": "Learning rate schedules as functions of the step.",
    "minima::amp": "Mixed precision: autocast and loss scaling.",
    "minima::data": "Datasets, samplers, transforms and the loader.",
    "minima::distributed": "Process groups, collectives and data parallelism.",
    "minima::train": "Progress and memory budgets of a training.",
    "minima::cuda": "Devices, and tuning of what runs on them.",
    "minima::cudnn": "What cuDNN may do.",
    "minima::pointwise": "What authors of pointwise operators need.",
    "dlpack": "The structures of DLPack, by which libraries share tensors.",
}


def label_of(page):
    if page == checkout / "README.md":
        return "mainpage"
    return (page.parent if page.name == "README.md" else page).stem.lower()  # a folder's page has the folder's name


def html_of(page):
    return "index.html" if page == checkout / "README.md" else label_of(page) + ".html"


def slug(heading):
    return re.sub(r"[`.,:!?()'\"/&+*]", "", heading.strip().lower()).replace(" ", "-")


def outside_code(text, change):
    """Applies `change` to what is not in backticks."""
    parts = re.split(r"(`[^`\n]+`)", text)
    return "".join(part if part.startswith("`") else change(part) for part in parts)


class Page:
    def __init__(self, path):
        self.path = path

    def target(self, link):
        """What a link becomes: the address within the site, a reference to a header, or None if the site does not have it."""
        path, _, anchor = link.partition("#")
        file = (self.path.parent / path).resolve() if path else self.path
        if file in pages:
            return html_of(file) + (f"#{label_of(file)}-{anchor}" if anchor else "")
        relative = file.relative_to(checkout).as_posix()
        if relative in headers:
            return "@ref minima/" + relative
        if file.suffix in (".svg", ".png", ".yaml"):
            shutil.copy(file, out / "files" / file.name)
            return file.name
        return None

    def link(self, match):
        text, link = match["text"], match["link"]
        if re.match(r"[a-z]+:", link):
            return match[0]
        target = self.target(link)
        if target is None:
            return text if "`" in text else f"`{text}`"
        if match["image"]:
            return f'<img src="{target}" alt="{text}">'
        if target.startswith("@ref"):
            return f'{target} "{text.replace("`", "")}"'
        return f"[{text}]({target})"

    def line(self, text):
        heading = re.match(r"(#+) (.*)", text)
        if heading:
            title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[2])
            anchor = label_of(self.path) if heading[1] == "#" else f"{label_of(self.path)}-{slug(title)}"
            api = f"\n\nAPI: @ref minima/{title}\n" if title in headers else ""
            return f"{heading[1]} {title} {{#{anchor}}}{api}"
        text = outside_code(text, lambda part: re.sub(r"([\\@])", r"\\\1", part))
        text = re.sub(r"(?P<image>!?)\[(?P<text>(?:[^][`]|`[^`]*`)*)\]\((?P<link>[^() ]+)\)", self.link, text)
        return re.sub(r'<img src="([^"]*/[^"]+)"', lambda image: f'<img src="{self.target(image[1])}"', text)

    def write(self):
        lines, is_code = [], False
        # A link may be broken over two lines.
        text = re.sub(r"(\[[^][\n]*)\n([^][\n]*\]\([^()\s]+\))", r"\1 \2", self.path.read_text())
        for line in text.splitlines():
            if line.startswith("```"):
                is_code = not is_code
            lines.append(line if is_code or line.startswith("```") else self.line(line))
        (out / (label_of(self.path) + ".md")).write_text("\n".join(lines) + "\n")


def escaped(text):
    return re.sub(r"([\\@#%*$])", r"\\\1", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def prepare_header(name):
    lines = [f"/// @file minima/{name}", ""]
    in_code = in_list = False

    def end_code(indent):
        nonlocal in_code
        if in_code:
            lines.append(f"{indent}/// @endcode")
        in_code = False

    indent, private_indent = "", None
    for line in (checkout / name).read_text().splitlines():
        if re.match(r" *private:", line):
            private_indent = line.index("private") - 1
        elif private_indent is not None and re.match(" " * private_indent + "( public:| protected:|})", line):
            private_indent = None
        if private_indent is not None:
            line = line.replace("///", "//")
        comment = re.match(r"(\s*)/// ?(\s*)(.*)$", line)
        if not comment or comment[3].startswith("<"):
            end_code(indent)
            in_list = False
            before, mark, text = line.partition("///< ")
            options = re.match(r"struct (\w+)Options( |$)", line)
            if options and not (lines and lines[-1].startswith("///")):
                lines.append(f"/// Options of {options[1]}.")  # their fields have the comments
            lines.append(before + mark + outside_code(text, escaped) if mark else line)
            continue
        indent, extra, text = comment.groups()
        if text.startswith("- "):
            in_list = True
        elif not extra:
            in_list = in_list and bool(text)
        is_example = len(extra) >= 2 and not in_list and bool(text)
        if is_example and not in_code:
            lines.append(f"{indent}/// @code{{.cpp}}")
        elif not is_example and text:
            end_code(indent)
        in_code = in_code or is_example
        if in_code:
            lines.append(f"{indent}/// {extra}{text}")
        else:
            lines.append(f"{indent}/// {extra}{outside_code(text, escaped)}")
    file = out / "minima" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n")


shutil.rmtree(out, ignore_errors=True)
(out / "files").mkdir(parents=True)
for page in pages:
    Page(page).write()
for name in headers:
    prepare_header(name)
(out / "namespaces.dox").write_text("".join(f"/// @namespace {name}\n/// {text}\n\n" for name, text in NAMESPACES.items()))
