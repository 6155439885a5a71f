"""The rows of torch_api/table, and what scripts/torch_functions.py writes of one. A row is

    FLAGS NAME...(ARGUMENTS) -> RESULT = EXPRESSION

FLAGS say what exists: m a member, f a function, i the in-place form NAME_, which writes the result into self, I the
same by minima's own NAME_, r that the result is a view: the memory of the first argument is row-major first, so that strides
are LibTorch's. Functions other than views also have the forms NAME_out and NAME_outf.

ARGUMENTS are written as in LibTorch's native_functions.yaml: `Tensor? weight=None`, `int[] size`. `Tensor! self` is
changed, and the result; `options` is a TensorOptions. RESULT is a Tensor unless it is named.

EXPRESSION is minima's. Arguments have minima's types there (`@size` is LibTorch's, for helpers), unqualified calls are
minima's, `$` is the name without special_, linalg_ or fft_, and `bridge::` is torch_api/core/bridge.h. Without one, it
is the call of the same name with the same arguments.

    alias NAME... = OTHER    has all forms of OTHER under other names
    core NAME...             is written by hand, in torch/core
    absent PATTERN...: WHY   is missing for a reason; `*` stands for any part of a name
"""
import pathlib
import re
import sys

TABLES = pathlib.Path(__file__).resolve().parent.parent / "torch_api/table"

TYPES = {
    "Tensor": "const Tensor&",
    "Tensor!": "Tensor&",
    "Tensor?": "const std::optional<Tensor>&",
    "Tensor[]": "TensorList",
    "Tensor?[]": "ArrayRef<std::optional<Tensor>>",
    "Scalar": "const Scalar&",
    "Scalar?": "const std::optional<Scalar>&",
    "Scalar[]": "ArrayRef<Scalar>",
    "int": "int64_t",
    "int32": "int",
    "int?": "std::optional<int64_t>",
    "int[]": "IntArrayRef",
    "int[]?": "OptionalIntArrayRef",
    "float": "double",
    "float?": "std::optional<double>",
    "float[]": "ArrayRef<double>",
    "float[]?": "std::optional<ArrayRef<double>>",
    "bool": "bool",
    "bool?": "std::optional<bool>",
    "str": "std::string_view",
    "str?": "std::optional<std::string_view>",
    "ScalarType": "ScalarType",
    "ScalarType?": "std::optional<ScalarType>",
    "MemoryFormat": "MemoryFormat",
    "MemoryFormat?": "std::optional<MemoryFormat>",
    "Generator?": "std::optional<Generator>",
    "Device?": "std::optional<Device>",
    "Storage": "Storage",
    "options": "TensorOptions",
}
NATIVE = {"Tensor", "Tensor!", "Tensor?", "Tensor[]", "Scalar", "Scalar?", "int[]", "int[]?", "ScalarType",
          "ScalarType?", "Generator?", "options"}
DEFAULTS = {"None": "std::nullopt", "True": "true", "False": "false", "Mean": "Reduction::Mean", "[]": "{}",
            "contiguous_format": "MemoryFormat::Contiguous", "int64": "kLong"}
RESULTS = {"Tensor": "Tensor", "Tensor!": "Tensor&", "Tensor[]": "std::vector<Tensor>", "bool": "bool",
           "int": "int64_t",
           "float": "double", "Scalar": "Scalar", "ScalarType": "ScalarType", "()": "void",
           "(Tensor, Tensor[])": "std::tuple<Tensor, std::vector<Tensor>>"}
CHECK = "torch::autograd::check_inplace(self);"
NOT_CALLS = {"double", "int64_t", "int", "bool", "return", "if", "std", "sizeof"}
FUNCTION_ONLY = ("special_", "linalg_", "fft_")


class Argument:
    def __init__(self, text):
        match = re.fullmatch(r"([A-Za-z0-9]+\??(?:\[\d*\])?[!?]?) (\w+)(?:=(.+))?", text)
        if not match and text.split("=")[0] != "options":
            raise ValueError(f"no argument: {text}")
        if match:
            kind, self.name, default = match.groups()
            self.kind = re.sub(r"\[\d+\]", "[]", kind)
        else:
            self.kind, self.name, default = "options", "options", text.partition("=")[2] or "[]"
        if self.kind not in TYPES:
            raise ValueError(f"no type of argument: {text}")
        if default and default[0] == "[":
            default = "{" + default[1:-1] + "}"
        elif default and default[0] in "'\"":
            default = '"' + default[1:-1] + '"'
        elif default == "None" and self.kind == "Tensor?":
            default = "{}"
        self.default = DEFAULTS.get(default, default)

    def declared(self, with_default):
        return f"{TYPES[self.kind]} {self.name}" + (f" = {self.default}" if with_default and self.default else "")

    def defined(self, body):
        """Without the name if the body doesn't use it."""
        return f"{TYPES[self.kind]} {self.name}" if re.search(rf"\b{self.name}\b", body) else TYPES[self.kind]

    def used(self):
        return f"bridge::native({self.name})" if self.kind in NATIVE else self.name


class Function:
    """One row, under one name."""

    def __init__(self, flags, name, arguments, result, expression):
        self.flags, self.name, self.arguments, self.result = flags, name, arguments, result
        self.base = re.sub(f"^({'|'.join(FUNCTION_ONLY)})", "", name)
        self.expression = expression.replace("$", self.base)
        if any(flag not in "mfiIr" for flag in flags):
            raise ValueError(f"no flags: {flags}")
        if "m" in flags and not any(argument.name == "self" for argument in arguments):
            raise ValueError(f"{name}: a member has an argument `self`")

    def has_out(self):
        is_new = self.result == "Tensor" or self.tuple_size()
        return "f" in self.flags and "r" not in self.flags and is_new and self.name[0] != "_"

    def tuple_size(self):
        return self.result.count("Tensor") if self.result.startswith("(") and self.result not in RESULTS else 0

    def result_type(self, of="Tensor"):
        if self.tuple_size():
            return f"std::tuple<{', '.join([of] * self.tuple_size())}>"
        return RESULTS[self.result]

    def renamed(self, name):
        """An alias, which calls this function."""
        call = ", ".join(f"@{a.name}" for a in self.arguments)
        flags = self.flags.replace("I", "i")
        if name.startswith(FUNCTION_ONLY):
            flags = flags.replace("m", "").replace("i", "")
        if name.startswith("__"):
            flags = flags.replace("i", "")
        return Function(flags, name, self.arguments, self.result, f"at::{self.name}({call})")

    def body(self, expression):
        """An expression of minima's, in C++."""
        kinds = {argument.name: argument for argument in self.arguments}
        viewed = self.arguments[0].name if "r" in self.flags else None

        def used(name):
            return f"bridge::native(rows_first({name}))" if name == viewed else kinds[name].used()

        def call(match):
            name = match[1]
            return match[0] if name in NOT_CALLS else f"minima::{name}("

        text = re.sub(r"(?<![\w:.@>~])([A-Za-z_]\w*)\(", call, expression)
        text = re.sub(r"(?<![\w:.])(linalg|fft|detail)::", r"minima::\1::", text)
        word = r"(?<![\w:.@>])([A-Za-z_]\w*)\b(?!\(|::)"
        text = re.sub(word, lambda match: used(match[1]) if match[1] in kinds else match[0], text)
        return text.replace("@", "")

    def forms(self):
        """(declaration in namespace at or None, member's declaration or None, definition) of all that there is."""
        default = f"{self.base}({', '.join(a.name for a in self.arguments if a.kind[:12] != 'MemoryFormat')})"
        expression = self.body(self.expression or default)
        options = next((a for a in self.arguments if a.kind == "options"), None)
        if options:
            formats = [a.name for a in self.arguments if a.kind == "MemoryFormat?"]
            expression = f"bridge::made({', '.join([expression, options.name] + formats)})"
        if self.result == "Tensor!" and not re.match(r'bridge::\w+\((?:"\w+", )?@', self.expression):
            body = f"{expression};\nreturn self;"
        elif self.result == "Tensor[]" and "at::" not in expression[:5]:
            body = f"return bridge::list({expression});"
        elif self.tuple_size() and not re.match("at::|bridge::|std::", expression):
            body = f"return bridge::tuple{self.tuple_size()}({expression});"
        elif self.result == "()":
            body = f"{expression};"
        else:
            body = f"return {expression};"
        if self.result == "Tensor!" and not self.name.startswith(("resize_", "set_")):
            body = f"{CHECK}\n{body}"
        yield from self.form(self.name, self.arguments, self.result_type(), body)
        call = ", ".join(a.name for a in self.arguments)
        changed = [self.changed(a) for a in self.arguments]
        if "I" in self.flags:
            body = f"{CHECK}\n{self.body(f'{self.name}_({call})')};\nreturn self;"
            yield from self.form(self.name + "_", changed, "Tensor&", body)
        if "i" in self.flags:
            made = f"at::{self.name}({call})" if "f" in self.flags else self.member_call("self")
            made = f"[&](const Tensor& self) {{ return {made}; }}"
            body = f'{CHECK}\nreturn bridge::change("{self.name}_", self, {made});'
            yield from self.form(self.name + "_", changed, "Tensor&", body)
        if self.has_out():
            count = self.tuple_size() or 1
            outs = ["out"] if count == 1 else [f"out{i}" for i in range(count)]
            result = self.result_type("Tensor&") if count > 1 else "Tensor&"
            written = ", ".join([f"at::{self.name}({call})"] + outs)
            out_arguments = [Argument(f"Tensor! {out}") for out in outs]
            yield self.definition(f"{self.name}_out", out_arguments + self.arguments, result,
                                  f"return bridge::write({written});")
            again = ", ".join(outs + [a.name for a in self.arguments])
            yield self.definition(f"{self.name}_outf", self.arguments + out_arguments, result,
                                  f"return at::{self.name}_out({again});", with_default=False)

    def forwarder(self):
        """The function under its name without prefix, for torch::fft and the like."""
        arguments = ", ".join(a.declared(True) for a in self.arguments)
        call = ", ".join(a.name for a in self.arguments)
        return f"inline {self.result_type()} {self.base}({arguments}) {{ return at::{self.name}({call}); }}"

    @staticmethod
    def changed(argument):
        return argument if argument.name != "self" else Argument("Tensor! self")

    def member_call(self, this):
        return f"{this}.{self.name}({', '.join(a.name for a in self.arguments if a.name != 'self')})"

    @staticmethod
    def definition(name, arguments, result, body, with_default=True):
        head = f"{result} {name}({', '.join(a.defined(body) for a in arguments)})"
        declared = f"{result} {name}({', '.join(a.declared(with_default) for a in arguments)});"
        return (declared, None, f"{head} {{\n{body}\n}}")

    def form(self, name, arguments, result, body):
        if "f" in self.flags:
            yield self.definition(name, arguments, result, body)
        if "m" in self.flags:
            rest = [a for a in arguments if a.name != "self"]
            declared = f"{result} {name}({', '.join(a.declared(True) for a in rest)}) const;"
            changes = any(a.kind == "Tensor!" and a.name == "self" for a in arguments)
            this = "const_cast<Tensor&>(*this)" if changes else "*this"
            if "f" in self.flags:
                call = ", ".join(this if a.name == "self" else a.name for a in arguments)
                text = f"return at::{name}({call});"
            else:
                used = re.search(r"\bself\b", body)
                text = (f"{'' if changes else 'const '}Tensor& self = {this};\n" if used else "") + body
            head = f"{result} Tensor::{name}({', '.join(a.defined(text) for a in rest)}) const"
            yield (None, declared, f"{head} {{\n{text}\n}}")


def split_arguments(text):
    """At the commas outside brackets."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        depth += (character in "[(") - (character in "])")
        if character == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in parts + [text[start:]] if part.strip()]


class Tables:
    def __init__(self):
        self.functions, self.by_file = {}, {}  # name: rows, file: rows
        self.core, self.absent = set(), []
        aliases = []
        for file in sorted(TABLES.glob("*.txt")):
            rows = self.by_file[file.stem] = []
            text = re.sub(r"\n +", " ", file.read_text())
            for line in text.splitlines():
                if line.startswith("alias "):
                    aliases.append((rows, line))
                elif line.strip() and not line.startswith("#"):
                    try:
                        rows += self.read(line)
                    except ValueError as error:
                        sys.exit(f"{file}: {line}\n{error}")
        for rows, line in aliases:
            rows += self.read_alias(line)

    def read(self, line):
        if line.startswith("core "):
            self.core |= set(line.split()[1:])
            return []
        if line.startswith("absent "):
            patterns, _, reason = line[len("absent "):].partition(": ")
            self.absent += [(re.compile(p.replace("*", r"\w*")), reason.strip()) for p in patterns.split()]
            return []
        match = re.fullmatch(r"([mfiIr]+) ([^(]+)\((.*?)\)(?: -> (\([^)]*\)|\S+))?(?: = (.+))?", line)
        if not match:
            raise ValueError("no row")
        flags, names, arguments, result, expression = match.groups()
        parsed = [Argument(a) for a in split_arguments(arguments) if a != "*"]
        changes = any(a.kind == "Tensor!" for a in parsed)
        result = result or ("Tensor!" if changes else "Tensor")
        return self.added([Function(flags, name, parsed, result, expression or "") for name in names.split()])

    def read_alias(self, line):
        names, _, other = line[len("alias "):].partition(" = ")
        if other.strip() not in self.functions:
            sys.exit(f"{line}: no row of that name")
        return self.added([row.renamed(name) for name in names.split() for row in self.functions[other.strip()]])

    def added(self, rows):
        for row in rows:
            self.functions.setdefault(row.name, []).append(row)
        return rows

    def names(self):
        """{name: flags} of what there is."""
        there = {}
        for name, rows in self.functions.items():
            for row in rows:
                flags = set(row.flags) & set("mf")
                there.setdefault(name, set()).update(flags)
                if set(row.flags) & set("iI"):
                    there.setdefault(name + "_", set()).update(flags)
                if row.has_out():
                    there.setdefault(name + "_out", set()).add("f")
                    there.setdefault(name + "_outf", set()).add("f")
        return there
