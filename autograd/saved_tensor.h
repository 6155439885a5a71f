#pragma once

#include <minima/autograd/node.h>

namespace minima {

/// What a saved-tensor hook keeps in place of a tensor. Counted; `unpack` is called at most once per backward.
class MINIMA_API PackedTensor : public Counted {
 public:
  virtual Tensor unpack() = 0;
};

/// Sees every tensor that nodes save on this thread while it is installed. Checkpointing and offload are built on it.
/// A packed tensor skips the version check.
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

/// A tensor that a node keeps for its backward: storage, layout and version, but never history, so that a graph has no
/// cycles. The history is put back from the node's own edges (for an input) or the node itself (for an output).
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
  /// Without history, for `user` that is no node.
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
