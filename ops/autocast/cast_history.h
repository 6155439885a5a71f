#pragma once

#include <minima/autograd/leaf.h>

#include <memory>
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

}  // namespace minima::detail
