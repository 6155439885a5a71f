#pragma once

#include <minima/autograd/leaf.h>
#include <minima/tensor/tensor.h>

#include <memory>
#include <unordered_map>
#include <vector>

namespace minima::detail {

/// The weights on one GPU that a region has converted to `dtype`, in order.
struct CastList {
  DType dtype;
  std::vector<WeakLeaf> leaves;
};

/// Lists what this thread's regions that began with `first` convert. A region starts a new list and gets the one before
/// it, empty if there is none. The 16 latest lists are kept.
struct CastLists {
  std::shared_ptr<CastList> now;
  std::vector<WeakLeaf> before;
};
CastLists start_cast_list(Leaf& first, DType dtype);

/// Caches the weights that one autocast region has cast, so that a weight used twice is converted once. Owned by the
/// outermost region's guard, and therefore used by one thread.
///
/// With `looks_ahead`, the first cast on a GPU converts all weights that followed it in the thread's last such region,
/// in one launch. Graph nodes are made when a weight is asked for, so that backward runs in the usual order.
class MINIMA_API CastCache {
 public:
  explicit CastCache(bool looks_ahead = false) : looks_ahead_(looks_ahead) {}

  /// x, a float32 leaf that requires grad and is not a view, cast to `dtype`. The cast is recorded whatever the current
  /// mode, so that a copy made without gradients still gives them to a later use. In-place changes of x invalidate it.
  Tensor cast(const Tensor& x, DType dtype);
  static bool keeps(const Tensor& x);
  std::size_t size() const { return casts_.size(); }

 private:
  struct Entry {
    Ref<Leaf> leaf;  ///< keeps the key's address from being reused
    Tensor source;
    const Storage* storage = nullptr;
    std::uint32_t version = 0;
    Tensor values{};                      ///< of the cast; until it is asked for, without history
    bool is_recorded = true;              ///< false: made ahead
    const StreamState* stream = nullptr;  ///< that it was made ahead on, and that alone may use it
    bool holds(const Tensor& x, DType dtype) const;
  };
  struct Start {
    Device device;
    std::shared_ptr<CastList> list;
  };
  void follow(Leaf& leaf, const Tensor& x, DType dtype);
  void cast_ahead(const std::vector<WeakLeaf>& leaves, Device device, DType dtype);

  bool looks_ahead_;
  std::unordered_map<const Leaf*, Entry> casts_;
  std::vector<Start> starts_;  ///< of each device and dtype
};

}  // namespace minima::detail
