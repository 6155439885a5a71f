"""What ptxas and nvdisasm tell of compiled kernels: registers, spills, shared memory, loads."""

import collections
import re
import subprocess
import sys

# Of a kernel: registers of a thread, spilled bytes, bytes of static shared memory
Resources = collections.namedtuple("Resources", "registers spilled shared")
# Of a kernel: loads of 16 bytes; the loads issued before a register that one of them writes is read, of the batch with
# the most bytes, and their mean width in bytes; None where only PTX is known
Loads = collections.namedtuple("Loads", "wide in_flight bytes")


def run(*command, text=None):
    done = subprocess.run(command, capture_output=True, text=True, input=text)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def resources(log):
    """By mangled name, from ptxas -v."""
    found = {}
    for part in log.split("Compiling entry function '")[1:]:
        spills = [int(n) for n in re.findall(r"(\d+) bytes spill", part)]
        shared = re.search(r"(\d+) bytes smem", part)
        registers = int(re.search(r"Used (\d+) registers", part)[1])
        found[part.split("'")[0]] = Resources(registers, sum(spills), int(shared[1]) if shared else 0)
    return found


def loads_in_ptx(text):
    """By mangled name, from PTX."""
    found = {}
    for part in text.split(".entry ")[1:]:
        wide = re.findall(r"ld\.global(?:\.\w+)*\.(?:v4\.\w?32|v2\.\w?64)", part)
        found[re.match(r"\w+", part)[0]] = Loads(len(wide), None, None)
    return found


def loads_in_sass(text):
    """By mangled name, from nvdisasm -c."""
    found = {}
    for part in re.split(r"\n\s*\.section\s+\.text\.", text)[1:]:
        waiting, batch, best, wide = set(), [], [], 0
        for instruction in re.findall(r"^\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+ )?(.*?);", part, re.MULTILINE):
            operation, _, arguments = instruction.partition(" ")
            registers = [int(r) for r in re.findall(r"\bR(\d+)\b", arguments)]
            if waiting & set(registers if operation.startswith(("ST", "RED", "ATOM")) else registers[1:]):
                waiting, batch = set(), []
            if operation.startswith("LDG"):
                bits = re.search(r"\.[US]?(8|16|64|128)\b", operation)
                width = int(bits[1]) // 8 if bits else 4
                wide += width == 16
                waiting |= set(range(registers[0], registers[0] + max(width // 4, 1)))
                batch = batch + [width]
                best = max(best, batch, key=sum)
        found[re.match(r"[^\s,]+", part)[0]] = Loads(wide, len(best), sum(best) / len(best) if best else 0)
    return found


def keys(symbols):
    """How simulated/machine/kernel_counts.inc names these kernels, by mangled name (key_of_kernel in C++)."""
    symbols = list(symbols)
    names = run("c++filt", text="\n".join(symbols)).splitlines()
    found = {}
    for symbol, name in zip(symbols, names):
        key = re.sub(r"^void |\(anonymous namespace\)::|minima::|detail::| ", "", name)
        head = re.match(r"[^<(]*", key)[0]
        key = key[head.rfind(":") + 1 :]
        depth = 0
        for i, c in enumerate(key):
            depth += (c == "<") - (c == ">")
            if c == "(" and depth == 0:
                key = key[:i]
                break
        found[symbol] = key
    return found
