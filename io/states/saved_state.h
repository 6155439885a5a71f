#pragma once

#include <minima/io/state.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minima {

namespace detail {
struct StateIndex;
}

/// A state on disk, written by any number of ranks: a folder of StateFolder's, or a single safetensors or PyTorch file.
/// Opening one reads its index and the files' headers; data are mapped and read when asked for, so a rank that asks for
/// its share touches no more. A handle: copies are the same state.
///
///     const SavedState saved = SavedState::open("runs/a/latest");
///     net.load_state_dict(saved.replicated("model"));
///     saved.read("model.embedding.weight", my_rows, first_row * width);   // a slice, in any dtype, on any device
///
/// Functions throw FormatError for damage and FileError for what cannot be read, both with the path. A file that is
/// truncated by another program while it is mapped kills this one with SIGBUS; removing it is safe.
class MINIMA_API SavedState {
 public:
  static SavedState open(const std::string& path);

  const std::string& path() const;
  /// The step it was saved at; of a single file that of its name, as CheckpointFolder's have one, or its value `step`,
  /// or 0.
  std::int64_t step() const;
  /// The number of ranks that wrote it; 1 for a single file.
  int ranks() const;
  /// NaN if there is none.
  double metric() const;
  /// When it was saved, UTC: `2026-11-28T23:59:59Z`; empty for a single file.
  const std::string& time() const;

  struct Entry {
    std::string name;
    DType dtype = DType::float32;
    Shape shape;
  };
  /// All tensors but those that ranks have of their own, in the order of names.
  const std::vector<Entry>& tensors() const;
  bool has(const std::string& name) const;
  /// The texts among the replicated values.
  const State& values() const;

  /// Values and tensors whose names start with the prefix and a dot, without these; all if it is empty. A tensor that
  /// is in one file shares a private mapping of it; others are put together. Checksums are verified.
  State replicated(const std::string& prefix = "") const;
  /// The tensors whose names match the pattern, in which `*` stands for any characters and `?` for one, under their
  /// full names: what `load_state_dict` with `.strict = false` loads and reports.
  State matching(const std::string& pattern) const;
  /// Gives what a rank had of its own; nothing for a rank that was not there.
  std::optional<State> own(int rank) const;

  /// Copies the elements [offset, offset + into.numel()) of a tensor, in row-major order, into `into`, whose dtype they
  /// are converted to. Only what overlaps is read and verified. Throws ValueError if there is no such tensor, or it has
  /// fewer elements.
  void read(const std::string& name, const Tensor& into, std::int64_t offset = 0) const;

  /// Reads everything and verifies all checksums. Several ranks may share the work, file by file.
  void verify(int rank = 0, int ranks = 1) const;
  /// The size of all files but the index.
  std::size_t bytes() const;

  struct Impl;
  /// Opens the files of an index in a folder. Internal.
  static SavedState open_files(const std::string& folder, const detail::StateIndex& index);

 private:
  explicit SavedState(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace minima
