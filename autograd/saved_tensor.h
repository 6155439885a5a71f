#pragma once

// IWYU pragma: begin_exports
#include <minima/autograd/node.h>
// IWYU pragma: end_exports

namespace minima {

/// Stands for a tensor that a saved-tensor hook has packed. Reference-counted; `unpack` is called at most once per
/// backward.
class MINIMA_API PackedTensor : public Counted {
 public:
  virtual Tensor unpack() = 0;
};

/// While installed, is called for every tensor that nodes on this thread save. Checkpointing and offloading are built
/// on it. Packed tensors skip the version check.
class MINIMA_API SavedTensorHooks {
 public:
  SavedTensorHooks();
  SavedTensorHooks(const SavedTensorHooks&) = delete;
  SavedTensorHooks& operator=(const SavedTensorHooks&) = delete;

  /// Takes the tensor (without history) that `op` saves and returns what to keep, with one reference; null keeps the
  /// tensor itself. A leaf that requires grad stays in memory anyway, so packing it saves nothing.
  virtual PackedTensor* pack(const Tensor& tensor, const char* op, bool is_leaf) = 0;

 protected:
  ~SavedTensorHooks();

 private:
  SavedTensorHooks* previous_;
};

/// A tensor saved for backward: storage, layout and version, but no history, so that graphs have no cycles. Unpacking
/// restores the history from the node's edges (an input) or from the node itself (an output).
class MINIMA_API SavedTensor {
 public:
  SavedTensor() = default;
  SavedTensor(const SavedTensor&) = delete;
  SavedTensor& operator=(const SavedTensor&) = delete;
  ~SavedTensor() { reset(); }

  void save(const Tensor& tensor, const char* op);
  void reset();

  /// Attach the history only while recording. `index` is the operator's own count, for messages.
  Tensor unpack_input(const Node& node, const Edge& edge, int index) const;
  Tensor unpack_output(Node& node, int index) const;
  /// Without history, for a `user` that is not a node.
  Tensor unpack(const char* user, const char* what, int index) const;

 private:
  enum class State : std::uint8_t { empty, saved, none, freed };

  StoragePtr storage_;
  Layout layout_;
  PackedTensor* packed_ = nullptr;
  std::uint32_t version_ = 0;
  DType dtype_ = DType::float32;
  State state_ = State::empty;
};

}  // namespace minima
