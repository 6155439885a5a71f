#pragma once

// IWYU pragma: begin_exports
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/memory/blocks/small_memory.h>
#include <minima/tensor/storage/storage.h>
// IWYU pragma: end_exports

namespace minima {

struct TensorImpl;

/// A tensor's place in the autograd graph: an operator's node, or a leaf that accumulates `.grad`. Autograd derives
/// from this; the tensor layer needs only the reference count and the few members below.
class MINIMA_API History {
 public:
  enum class Kind : std::uint8_t { node, leaf };

  explicit History(Kind kind) : kind_(kind) {}
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  bool is_leaf() const { return kind_ == Kind::leaf; }
  bool requires_grad() const { return requires_grad_; }

  void retain() { references_.retain(); }
  void release() noexcept {
    if (references_.release()) destroy();
  }
  bool unique() const { return references_.is_one(); }

  /// Called for a leaf when its tensor is destroyed.
  virtual void tensor_destroyed(TensorImpl*) noexcept {}

 protected:
  ~History() = default;
  /// Called when the last reference is dropped.
  virtual void destroy() noexcept = 0;

  bool requires_grad_ = true;

 private:
  Kind kind_;
  ReferenceCount references_;
};

/// The object that Tensor handles share. Internal: use Tensor.
struct TensorImpl {
  TensorImpl(StoragePtr s, Layout&& l, DType d) : storage(std::move(s)), layout(std::move(l)), dtype(d) {}
  TensorImpl(StoragePtr s, const Layout& l, DType d) : storage(std::move(s)), layout(l), dtype(d) {}
  /// Row-major. Writes the layout entry by entry, since a temporary would be cleared as a whole first.
  TensorImpl(StoragePtr s, const Shape& shape, DType d) : storage(std::move(s)), dtype(d) {
    layout.shape.resize(shape.rank());
    layout.strides.resize(shape.rank());
    std::int64_t step = 1;
    for (int i = shape.rank() - 1; i >= 0; --i) {
      const std::int64_t size = shape[i];
      layout.shape[i] = size;
      layout.strides[i] = step;
      step *= size;
    }
  }
  TensorImpl(const TensorImpl&) = delete;
  TensorImpl& operator=(const TensorImpl&) = delete;
  ~TensorImpl() {
    if (history || base) release_graph();
  }

  static void* operator new(std::size_t bytes) { return detail::small_allocate(bytes); }
  static void operator delete(void* block, std::size_t bytes) { detail::small_free(block, bytes); }

  void retain() { references.retain(); }
  void release() noexcept {
    if (references.release()) delete this;
  }

  MINIMA_API void release_graph() noexcept;

  ReferenceCount references;
  std::uint32_t output_index = 0;  ///< which output of the node in `history`
  History* history = nullptr;      ///< owned; null if the tensor takes part in no graph
  TensorImpl* base = nullptr;      ///< owned; of a view, the tensor it was made from
  std::uint32_t rebases = 0;       ///< how many times an in-place change has replaced the history
  std::uint32_t base_rebases = 0;  ///< of a view: the base's count when `history` was made
  StoragePtr storage;
  Layout layout;
  DType dtype;
  bool inference = false;        ///< made in inference mode: must not be saved for backward
  bool unrecorded_view = false;  ///< a view of a tensor with history, made under NoGrad
};

}  // namespace minima
