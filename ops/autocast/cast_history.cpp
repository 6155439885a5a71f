#include <minima/ops/autocast/cast_history.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace minima::detail {

CastLists start_cast_list(Leaf& first, DType dtype) {
  constexpr std::size_t most = 16;
  static thread_local std::vector<std::shared_ptr<CastList>> lists;
  std::erase_if(lists, [](const auto& list) { return !list->leaves.front().lock(); });
  CastLists result{std::make_shared<CastList>(CastList{dtype, {WeakLeaf(first)}}), {}};
  const auto known = std::find_if(lists.begin(), lists.end(), [&](const auto& list) {
    return list->dtype == dtype && list->leaves.front().lock().get() == &first;
  });
  if (known != lists.end()) {
    result.before = (*known)->leaves;
    lists.erase(known);
  } else if (lists.size() == most) {
    lists.erase(lists.begin());
  }
  lists.push_back(result.now);
  return result;
}

}  // namespace minima::detail
