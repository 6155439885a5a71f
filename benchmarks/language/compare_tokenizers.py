"""Compares minima's tokenizers with PyPI's `tokenizers`: merges, token ids, time and memory.

    python3 benchmarks/language/compare_tokenizers.py [--program build/cpu/benchmarks/language/tokenizers]
                                                      [--megabytes 100] [--training 30] [--patterns llama3 gpt2 qwen2]

Gathers texts of this machine until there are so many megabytes: translations of Debian's programs (/usr/share/locale),
documents and manual pages, sources of this tree and of /usr/include, all assigned characters and emoji, programs of /usr/bin,
and texts with broken UTF-8. What is not UTF-8 comes to `tokenizers`, which takes only that, with U+FFFD in place of wrong
bytes; the program also encodes it as it is, and checks that it comes back. Fails where merges or ids differ.
"""

import argparse
import gettext
import gzip
import json
import pathlib
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time
import unicodedata

import tokenizers

RECORD = 1 << 16
root = pathlib.Path(__file__).resolve().parents[2]


def read(path):
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError):
        return b""


def messages(path):
    try:
        with open(path, "rb") as file:
            catalog = gettext.GNUTranslations(file)._catalog
    except (OSError, ValueError, LookupError, struct.error):  # catalogues that Python does not read
        return b""
    return "\n".join(text for text in catalog.values() if isinstance(text, str)).encode(errors="replace")


def characters():
    """Every assigned character, in pieces of one kind and mixed, and sequences of emoji."""
    choose = random.Random(1)
    known = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")]
    emoji = [c for c in known if 0x1F300 <= ord(c) < 0x1FAFF]
    parts = ["".join(known)]
    for _ in range(20):
        choose.shuffle(known)
        parts.append("".join(c + choose.choice(["", "", " ", "\n", "1", "a", "'s", "\u0301"]) for c in known[:20000]))
    parts.append(" ".join(choose.choice(emoji) + choose.choice(["\ufe0f", "\u200d", "\U0001f3fd", ""]) + choose.choice(emoji)
                          for _ in range(50000)))
    return [part.encode() for part in parts]


def broken(texts):
    choose = random.Random(2)
    for text in texts:
        bytes_ = bytearray(text[:20000])
        for _ in range(len(bytes_) // 50):
            bytes_[choose.randrange(len(bytes_))] = choose.choice([0xC3, 0x80, 0xE2, 0xF0, 0xFF, 0x0A, choose.randrange(256)])
        yield bytes(bytes_)


def gather(megabytes):
    """{kind: texts of up to RECORD bytes}; the kinds share the size."""
    def mixed(paths):
        paths = sorted(paths)
        random.Random(5).shuffle(paths)
        return (path for path in paths if path.is_file())

    def files_in(*folders):
        return mixed(path for folder in folders for path in pathlib.Path(folder).rglob("*"))

    tracked = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=False).stdout.split()
    kinds = {
        "translations": (0.45, (messages(path) for path in files_in("/usr/share/locale") if path.suffix == ".mo")),
        "documents": (0.2, (read(path) for path in files_in("/usr/share/doc", "/usr/share/man"))),
        "sources": (0.2, (read(path) for path in [*mixed(root / name for name in tracked), *files_in("/usr/include")])),
        "characters": (0.05, characters()),
        "programs": (0.07, (read(path) for path in files_in("/usr/bin"))),
    }
    found = {}
    for kind, (share, texts) in kinds.items():
        texts, size = (text for text in texts if text), 0
        found[kind] = []
        for text in texts:
            for begin in range(0, len(text), RECORD):
                found[kind].append(text[begin:begin + RECORD])
            size += len(text)
            if size > share * megabytes * 1e6:
                break
    some = [text for kind in ("translations", "documents", "sources") for text in found[kind]]
    random.Random(3).shuffle(some)
    found["broken"] = list(broken(some[: int(megabytes * 1.5)]))
    return found


def scripts_of(texts):
    """The scripts with at least 1,000 letters."""
    counts = {}
    for text in texts:
        for c in text.decode(errors="ignore"):
            if c > "\x7f" and c.isalpha():
                script = unicodedata.name(c, "?").split()[0]
                counts[script] = counts.get(script, 0) + 1
    return sorted((script for script, n in counts.items() if n >= 1000), key=lambda script: -counts[script])


def write_records(path, texts):
    with open(path, "wb") as file:
        for text in texts:
            file.write(struct.pack("<I", len(text)) + text)


def read_records(path):
    data = memoryview(path.read_bytes()).cast("I")
    at = 0
    while at < len(data):
        yield data[at + 1:at + 1 + data[at]].tolist()
        at += 1 + data[at]


def train_theirs(ours, path, vocabulary):
    """Trains `tokenizers` on a file with the pattern of our tokenizer.json; returns the merges."""
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = ours.pre_tokenizer
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocabulary, min_frequency=2, special_tokens=["<|endoftext|>"], show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet())
    start, wall = time.process_time(), time.perf_counter()
    theirs.train_from_iterator([path.read_bytes().decode()], trainer)  # train() would read lines, and know no pair of newlines
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"tokenizers {tokenizers.__version__} | train | {time.perf_counter() - wall:.1f} s, "
          f"{time.process_time() - start:.1f} s of processor time | peak {peak} MiB", flush=True)
    return json.loads(theirs.to_str())["model"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=root / "build/cpu/benchmarks/language/tokenizers")
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--training", type=float, default=30, help="megabytes to train on")
    parser.add_argument("--vocabulary", type=int, default=8192)
    parser.add_argument("--patterns", nargs="+", default=["llama3", "gpt2", "qwen2"])
    a = parser.parse_args()
    program = lambda *words: subprocess.run([a.program, *map(str, words)], check=True)

    found = gather(a.megabytes)
    raw = [text for texts in found.values() for text in texts]
    texts = [text.decode(errors="replace") for text in raw]
    scripts = scripts_of(found["translations"])
    print(", ".join(f"{kind} {sum(map(len, part)) / 1e6:.1f} MB" for kind, part in found.items()))
    print(f"{len(scripts)} scripts: {' '.join(scripts)}", flush=True)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        mixed = list(range(len(texts)))
        random.Random(4).shuffle(mixed)
        sample = "\n".join(texts[i] for i in mixed).encode()[: int(a.training * 1e6)].decode(errors="ignore")
        sample = sample.replace("<|endoftext|>", "")  # minima skips it as a border, tokenizers takes it for text
        (folder / "sample.txt").write_bytes(sample.encode())
        write_records(folder / "raw", raw)
        write_records(folder / "texts", [text.encode() for text in texts])
        for pattern in a.patterns:
            program("train", pattern, a.vocabulary, folder / "tokenizer.json", folder / "sample.txt")
            ours = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
            wanted = train_theirs(ours, folder / "sample.txt", a.vocabulary)
            model = json.loads((folder / "tokenizer.json").read_text())["model"]
            merges = [list(map(tuple, (m if isinstance(m, list) else m.split(" ") for m in each["merges"])))
                      for each in (model, wanted)]
            if merges[0] != merges[1] or model["vocab"] != wanted["vocab"]:
                first = next((i for i, pair in enumerate(zip(*merges)) if pair[0] != pair[1]), min(map(len, merges)))
                print(f"DIFFERENT MERGES with {pattern}, from {first} on: {[m[first:first + 3] for m in merges]}")
                failed = True
            for normalizes in (False, True) if pattern == "qwen2" else (False,):
                if normalizes:
                    ours.normalizer = tokenizers.normalizers.NFC()
                    ours.save(str(folder / "tokenizer.json"))
                program("encode", folder / "tokenizer.json", folder / "raw", folder / "out")
                program("encode", folder / "tokenizer.json", folder / "texts", folder / "out")
                start, wrong, tokens, old = time.process_time(), [], 0, 0
                results = read_records(folder / "out")
                for begin in range(0, len(texts), 500):
                    for i, theirs in enumerate(ours.encode_batch_fast(texts[begin:begin + 500]), begin):
                        tokens += len(theirs.ids)
                        if next(results) == theirs.ids:
                            continue
                        # Its tables for NFC are of an older Unicode than Python's and utf8proc's.
                        if normalizes and ours.normalizer.normalize_str(texts[i]) != unicodedata.normalize("NFC", texts[i]):
                            old += 1
                        else:
                            wrong.append(i)
                size = sum(len(text.encode()) for text in texts) / 1e6
                print(f"tokenizers {tokenizers.__version__} | encode | {size:.1f} MB | "
                      f"{size / (time.process_time() - start):.2f} MB/s of processor time")
                print(f"{pattern}{' with NFC' if normalizes else ''}: {tokens} tokens, {len(wrong)} of {len(texts)} texts differ"
                      + (f", and {old} by newer characters' normal form" if old else ""), flush=True)
                failed = failed or bool(wrong)
                for i in wrong[:3]:
                    pathlib.Path(f"different-{pattern}-{i}.txt").write_bytes(texts[i].encode())
    sys.exit(failed)


main()
