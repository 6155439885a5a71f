#pragma once

#include <minima/io/state.h>
#include <minima/io/tensors/pt_value.h>

#include <cstddef>
#include <span>
#include <string>

// PyTorch's files, which torch.save writes and torch.load reads (`.pt`, `.pth`, `pytorch_model.bin`, `.ckpt`): a zip
// archive of a pickle and the storages of the tensors, and before PyTorch 1.6 pickles and storages in a row. What C++
// programs write with LibTorch's torch::save, and torch.jit.save, are such archives too.
//
// A pickle names classes and functions that Python imports and calls. Reading one here calls nothing: names of a closed
// list stand for values, any other is refused by name.

namespace minima {

/// How a file is read.
struct ReadPt {
  /// Copy tensors into memory of their own. By default they share a private memory mapping of the file, as those of
  /// read_safetensors do, where it holds little-endian, aligned and uncompressed data.
  bool copy = false;
  /// Verify the checksums of the tensors' data, which reads the whole file. Those of 0, which PyTorch writes under
  /// set_crc32_options(False), and files from before PyTorch 1.6, which have none, are accepted.
  bool verify = true;
};

/// Reads a file of PyTorch 0.1 to 2.x: what torch.save has written of tensors, parameters, bare storages, numbers
/// (integers past 64 bits become floating), strings, bytes, None, dtypes, lists, tuples, torch.Size, sets (as lists),
/// dicts, OrderedDict, defaultdict and Counter (as dicts), devices (as strings), NumPy's scalars, and the attributes of
/// argparse.Namespace and types.SimpleNamespace (as dicts). Modules of LibTorch and TorchScript are dicts of their
/// attributes: a tensor that torch::save wrote alone is called "0".
///
/// Tensors come on the CPU and do not require gradients. Those that shared a storage share memory. 16-bit integers
/// become int32, unsigned integers of 32 and 64 bits int64, in which they must fit; dtypes likewise.
///
/// Throws FormatError with path and offset for anything else: other classes and functions, by name; sparse, quantised,
/// nested and lazily conjugated tensors and dtypes that minima lacks; a tensor that exceeds its storage; an object that
/// contains itself; an archive that ZipArchive refuses. Memory grows with the file, not with sizes that it claims.
MINIMA_API PtValue read_pt(const std::string& path, ReadPt options = {});
/// The same from memory, copied; `source` is for messages.
MINIMA_API PtValue read_pt(std::span<const std::byte> bytes, const std::string& source, ReadPt options = {});

/// Which part of a file becomes a State.
struct ReadPtState {
  /// Where the state dict is: "state_dict", or "ema.model" for a dict in a dict. Whatever else the file holds is not
  /// looked at. Empty: the first of "state_dict", "model_state_dict", "model" and the like that is a dict, else the
  /// whole.
  std::string key{};
  /// Removed from names that start with it: "module." is DataParallel's.
  std::string prefix{};
  bool whole = false;  ///< take the whole file, even if it has a "state_dict"
  bool copy = false;   ///< see ReadPt
  bool verify = true;  ///< see ReadPt
};

/// Reads a state dict as tensors and values by name (see PtValue::state).
///
///     net.load_state_dict(read_pt_state("resnet18.pth"));
MINIMA_API State read_pt_state(const std::string& path, ReadPtState options = {});
MINIMA_API State read_pt_state(std::span<const std::byte> bytes, const std::string& source, ReadPtState options = {});

/// Whether a file that starts with these bytes (the first 512, or all) looks like one of PyTorch's.
MINIMA_API bool is_pt(std::span<const std::byte> first);
MINIMA_API bool is_pt(const std::string& path);

/// How a file is written.
struct WritePt {
  /// Write dicts as modules, for the torch::load of C++ programs with LibTorch instead of Python's torch.load. Then
  /// keys are strings, and items tensors, numbers, strings, tuples, None and dicts; what LibTorch loads as a tensor
  /// alone has the key "0". torch.jit.load reads these files in Python.
  bool as_modules = false;
};

/// Writes a file for torch.load, `weights_only=True` included, of PyTorch 1.6 and later; replaces an existing one
/// atomically (see AtomicFile). Tensors of one storage and dtype keep sharing it, and a storage's unused start and end
/// are left out. Data start at multiples of 64. Output is deterministic. Throws ValueError for strings that are not
/// UTF-8 and for values nested deeper than 100 levels.
MINIMA_API void write_pt(const std::string& path, const PtValue& value, WritePt options = {});
/// A state as one flat dict, as `torch.save(net.state_dict(), path)` writes it (see PtValue::of), or as modules by the
/// dots in its names.
MINIMA_API void write_pt(const std::string& path, const State& state, WritePt options = {});
/// The file's content, for streams.
MINIMA_API std::string pt_bytes(const PtValue& value, WritePt options = {});

}  // namespace minima
