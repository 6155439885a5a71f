"""Writes the seeds of tests/fuzz: small files that are right, and a few that are not. Needs numpy, Pillow and onnx."""
import gzip, hashlib, hmac, io, json, os, struct, subprocess, tarfile, zipfile
import numpy as np
from PIL import Image

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seeds")


def seed(form, name, data):
    os.makedirs(os.path.join(root, form), exist_ok=True)
    with open(os.path.join(root, form, name), "wb") as f:
        f.write(data)


idx = struct.pack(">IIII", 0x803, 2, 3, 2) + bytes(range(12))
seed("idx", "plain", idx)
seed("idx", "gzip", gzip.compress(idx, mtime=0))
seed("idx", "int16", struct.pack(">IIhh", 0xB01, 2, -1, 300))
seed("idx", "huge", struct.pack(">IIII", 0x803, 0xFFFFFFFF, 0xFFFFFFFF, 2))

for name, array in {"f4": np.arange(6, dtype="f4").reshape(2, 3), "big": np.arange(3, dtype=">i4"),
                    "fortran": np.asfortranarray(np.ones((2, 2), dtype="f8")), "bool": np.array([True, False])}.items():
    out = io.BytesIO()
    np.save(out, array)
    seed("npy", name, out.getvalue())
header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (0, 9223372036854775807, 2, 0), }".ljust(117) + b"\n"
seed("npy", "overflow_between_zeros", b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header)
for name, save in {"stored": np.savez, "deflated": np.savez_compressed}.items():
    out = io.BytesIO()
    save(out, a=np.arange(5), b=np.ones((2, 2), dtype="f4"))
    seed("npz", name, out.getvalue())

header = json.dumps({"__metadata__": {"k": "v"}, "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                     "b": {"dtype": "I64", "shape": [], "data_offsets": [8, 16]}}).encode()
seed("safetensors", "two", struct.pack("<Q", len(header)) + header + bytes(16))
seed("safetensors", "empty", struct.pack("<Q", 2) + b"{}")

# PyTorch's files, which tests/fixtures/pt/make.py writes, and a small row of pickles and storages.
fixtures = os.path.join(root, "..", "..", "fixtures", "pt")
for name in ["big-endian.pt", "deflated.pt", "protocol5.pt", "unsigned.pt", "numpy.pt", "oldest.pt", "libtorch-module.pt"]:
    with open(os.path.join(fixtures, name), "rb") as f:
        seed("pt", name[:-3], f.read().rstrip(b"\0") + bytes(1024) if name == "oldest.pt" else f.read())
tensor = (b"ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0" + b"0X\x03\0\0\0cpuK\x04NtQ"
          b"K\0K\x02K\x02\x86K\x02K\x01\x86\x89ccollections\nOrderedDict\n)RtR")
seed("pt", "row", b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}." + b"\x80\x02}X\x01\0\0\0a" + tensor
     + b"s.\x80\x02]X\x01\0\0\0" + b"0a." + struct.pack("<q4f", 4, *range(4)))

columns = {"data": [512, 1536], "size": [4, 9], "name_end": [7, 14], "names": b"x/1.clsx/1.txt"}
parts = {"__metadata__": {"archive": "m"}}
body = b""
for name, values in columns.items():
    data = values if isinstance(values, bytes) else struct.pack("<2q", *values)
    parts[name] = {"dtype": "U8" if isinstance(values, bytes) else "I64", "shape": [len(values)], "data_offsets": [len(body), len(body) + len(data)]}
    body += data
header = json.dumps(parts).encode()
seed("tarindex", "two", struct.pack("<Q", len(header)) + header + body)

# An index of a state as far as its checksum, which the fuzz program adds, and notes of a rank's file.
seed("stateindex", "two_ranks", b'''{
  "format": 1,
  "id": "0123456789abcdef",
  "step": 100,
  "time": "2026-11-28T23:59:59Z",
  "metric": 0.5,
  "files": [
    {"name": "rank-00000-of-00002.safetensors", "bytes": 4096, "crc32c": "1f2e3d4c"},
    {"name": "rank-00001-of-00002.safetensors", "bytes": 18446744073709551615, "crc32c": "00000000"}
  ],
  "values": {"epoch": "3", "name": "\\u00e9\\n"}''')
seed("stateindex", "notes", b'{"format": 1, "id": "0123456789abcdef", "step": 7, "rank": 1, "ranks": 4, "parts": '
     b'{"w@12": {"tensor": "w", "shape": [4, 6], "offset": 12}, "v": {"tensor": "v", "shape": [], "offset": 0}}}')

seed("json", "all", b'{"a": [1, -2.5e3, true, null, "\\u00e9\\n"], "b": {"c": 18446744073709551615}}')
seed("json", "deep", b"[" * 50 + b"]" * 50)
seed("csv", "types", b'id,price,"na""me"\n1,2.5,"a,\nb"\n,NA,x\r\n')

ints = np.zeros(256, dtype="<i4")
ints[:3] = [20240520, 1, 4]
seed("tokens", "narrow", ints.tobytes() + np.arange(4, dtype="<u2").tobytes())
ints[:3] = [20240801, 7, 2]
seed("tokens", "wide", ints.tobytes() + np.arange(2, dtype="<u4").tobytes())
seed("tokens", "plain", bytes(range(10)))
seed("cifar", "ten", bytes([3]) + bytes(3072))
seed("cifar", "hundred", bytes([3, 99]) + bytes(3072))


def tar(kind):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=kind) as archive:
        for name, content in [("x/1.cls", b"4\n"), ("x/1.txt", b"hello" * 10), ("y" * 120 + ".txt", b"long")]:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()[:8192]


for name, kind in {"ustar_pax": tarfile.PAX_FORMAT, "gnu": tarfile.GNU_FORMAT}.items():
    seed("tar", name, tar(kind))
seed("tar", "gzip", gzip.compress(tar(tarfile.GNU_FORMAT), mtime=0))
zstd = subprocess.run(["zstd", "-q", "-c"], input=tar(tarfile.GNU_FORMAT), capture_output=True, check=True).stdout
seed("tar", "zstd", zstd)
seed("inflate", "gzip", gzip.compress(b"minima " * 20, mtime=0))
seed("inflate", "members", gzip.compress(b"one", mtime=0) + gzip.compress(b"two", mtime=0))
seed("inflate", "zstd", zstd)



def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


data = struct.pack("<2f", 1, 2)
header = json.dumps({"__metadata__": {"k": "v", "minima.crc32c": "crc32c 00000000 %08x" % crc32c(data)},
                     "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
start = struct.pack("<Q", len(header)) + header
seed("safetensors", "summed", start.replace(b"crc32c 00000000", b"crc32c %08x" % crc32c(start)) + data)


def events(*records):
    """TFRecord frames; the sums as the format masks them."""
    def crc(data):
        value = crc32c(data)
        return struct.pack("<I", ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF)
    frames = b""
    for record in records:
        length = struct.pack("<Q", len(record))
        frames += length + crc(length) + record + crc(record)
    return frames


def field(number, data):
    return bytes([number << 3 | 2, len(data)]) + data


# Event: time, step, version or summary; its values: tag and a number, a histogram or a text in a tensor.
head = b"\x09" + struct.pack("<d", 1.7e9)
version = head + field(3, b"brain.Event:2")
scalar = head + b"\x10\x07" + field(5, field(1, field(1, b"loss") + b"\x15" + struct.pack("<f", 0.5)))
bounds = field(6, struct.pack("<2d", 1, 2)) + field(7, struct.pack("<2d", 3, 4))
histogram = head + field(5, field(1, field(1, b"w") + field(5, b"\x09" + struct.pack("<d", 0) + b"\x11" + struct.pack("<d", 2) + bounds)))
text = head + field(5, field(1, field(1, b"note") + field(8, b"\x08\x07" + field(8, b"a text"))))
image = head + field(5, field(1, field(1, b"x") + field(4, b"\x08\x01\x10\x01\x18\x03" + field(4, b"\x89PNG"))))
seed("events", "file", events(version, scalar, histogram, text))
seed("events", "torn", events(version, scalar)[:-5])
for name, record in {"version": version, "scalar": scalar, "histogram": histogram, "text": text, "image": image}.items():
    seed("events", name, b"\xff" + record)

# Which object, and what happens to which entry of its state: see statedict_fuzz.cpp.
for which in range(10):
    for entry in range(0, 12, 3):
        seed("statedict", f"{which}_{entry}", bytes([which, 1, entry, 1, entry * 20 % 256, 2, 1, 3, 65, 66, 67, 68]))

pixels = (np.add.outer(np.arange(24) * 5, np.arange(20) * 7)[..., None] + np.array([0, 40, 90])).astype("u1")
image = Image.fromarray(pixels)
for name, converted, options in [("rgb", image, {}), ("grey", image.convert("L"), {}), ("progressive", image, {"progressive": True}),
                                 ("cmyk", image.convert("CMYK"), {}), ("sampled", image, {"subsampling": 2})]:
    out = io.BytesIO()
    converted.save(out, "JPEG", quality=60, **options)
    seed("jpeg", name, out.getvalue())
for name, converted in [("rgb", image), ("grey", image.convert("L")), ("palette", image.convert("P")), ("alpha", image.convert("RGBA")),
                        ("bits", image.convert("1")), ("deep", Image.fromarray(pixels[..., 0].astype("u2") * 257))]:
    out = io.BytesIO()
    converted.save(out, "PNG")
    seed("png", name, out.getvalue())

# An image with an EXIF orientation, and trailing bytes that make jpeg_fuzz decode all of it.
with open(os.path.join(root, "jpeg", "rgb"), "rb") as f:
    stored = f.read()
tiff = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, 6, 0, 0)
content = b"Exif\0\0" + tiff
seed("jpeg", "exif", stored[:2] + b"\xff\xe1" + struct.pack(">H", len(content) + 2) + content + stored[2:])
seed("jpeg", "whole", stored + bytes(8))

# The store's protocol, as store_fuzz.cpp splits it: who sends (0: a stranger, 1: rank 0, 2: rank 1), how much, and that.
number = lambda value: struct.pack("<q", value)
text = lambda value: number(len(value)) + value
framed = lambda message: struct.pack("<I", len(message)) + message
sends = lambda who, data: b"".join(struct.pack("BB", who, len(data[at:at + 255])) + data[at:at + 255] for at in range(0, len(data), 255))
progress = number(1) + text(b"world") + number(3) + number(1) + text(b"barrier")
ask = {"set": number(0) + text(b"key") + text(b"value"), "get": number(1) + text(b"key"), "add": number(2) + text(b"n") + number(2**63 - 1),
       "beat": number(3) + number(0) + progress, "leave": number(3) + number(3) + number(0), "status": number(4),
       "report": number(5) + text(b"rank 1 died") + number(1) + number(1)}
secret, nonces = b"the secret of the fuzzed job", b"c" * 32 + b"s" * 32
who = text(hashlib.sha256(b"job").digest()) + number(2) + number(1) + number(0)
proof = hmac.digest(secret, b"client" + nonces + who, "sha256")
hello = framed(text(b"minima store") + number(2) + text(nonces[:32]))
seed("store", "handshake", b"\0" + sends(0, hello + framed(text(proof) + text(who)) + framed(ask["get"])))
seed("store", "old_version", b"\0" + sends(0, framed(text(b"minima store") + number(1) + text(b"job") + number(2) + number(1) + number(1))))
seed("store", "http", b"\0" + sends(0, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
seed("store", "one_rank", b"\0" + b"".join(sends(1, framed(message)) for message in ask.values()))
seed("store", "two_ranks", b"\0" + b"".join(sends(1 + i % 2, framed(ask[name])) for i, name in enumerate(["add", "add", "set", "get", "report", "beat", "status"])))
seed("store", "challenge", b"\1\0" + nonces[32:] + hmac.digest(secret, b"server" + nonces, "sha256"))
seed("store", "pulse", b"\2" + text(b"rank 1 died") + number(1) + number(1) + number(1) + number(0))
seed("store", "members", b"\3" + (number(1) + number(40) + number(0) + number(0) + progress) + (number(3) + number(0) + number(1) + number(1) + number(0)))

# ONNX models: layers with weights, a branch, a loop, a function, data in another file.
import onnx
from onnx import TensorProto, helper, numpy_helper

vector = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])
result = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2])
weight = numpy_helper.from_array(np.ones((2, 3), dtype="f4"), "fc.weight")
bias = helper.make_tensor("fc.bias", TensorProto.FLOAT, [2], [0.5, 1.5])


def model(name, nodes, initializers=(), inputs=(vector,), outputs=(result,), **options):
    graph = helper.make_graph(nodes, name, list(inputs), list(outputs), list(initializers))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)] + options.pop("opsets", []), **options)
    seed("onnx", name, made.SerializeToString())


model("linear", [helper.make_node("Gemm", ["x", "fc.weight", "fc.bias"], ["h"], transB=1),
                 helper.make_node("Softmax", ["h"], ["y"], axis=-1)], [weight, bias])
flag = helper.make_tensor_value_info("flag", TensorProto.BOOL, [])
chosen = helper.make_tensor_value_info("out", TensorProto.FLOAT, None)
branches = {name: helper.make_graph([helper.make_node(op, ["x"], ["out"])], name, [], [chosen])
            for name, op in [("then_branch", "Relu"), ("else_branch", "Neg")]}
model("branch", [helper.make_node("If", ["flag"], ["y"], **branches)], inputs=(vector, flag))
number, going = helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("c", TensorProto.BOOL, [])
carried, further = helper.make_tensor_value_info("a", TensorProto.FLOAT, None), helper.make_tensor_value_info("b", TensorProto.FLOAT, None)
body = helper.make_graph([helper.make_node("Add", ["a", "a"], ["b"]), helper.make_node("Identity", ["c"], ["d"])], "body",
                         [number, going, carried], [helper.make_tensor_value_info("d", TensorProto.BOOL, []), further])
count = helper.make_tensor("count", TensorProto.INT64, [], [3])
model("loop", [helper.make_node("Loop", ["count", "", "x"], ["y"], body=body)], [count])
doubled = helper.make_function("own", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])],
                               [helper.make_opsetid("", 20)])
model("function", [helper.make_node("Twice", ["x"], ["y"], domain="own")], functions=[doubled],
      opsets=[helper.make_opsetid("own", 1)])
outside = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3], data_location=TensorProto.EXTERNAL)
for key, value in [("location", "../secret"), ("offset", "4"), ("length", "12")]:
    outside.external_data.add(key=key, value=value)
model("external", [helper.make_node("Add", ["x", "w"], ["y"])], [outside])
