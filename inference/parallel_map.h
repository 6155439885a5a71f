#pragma once

#include <minima/nn/module/hooked_tensors.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace minima::inference {

struct ParallelOptions {
  Device device = Device::cpu();  ///< where the function computes
  int streams = 0;                ///< streams or threads to use, at most 1024; 0: num_threads() on the CPU, 4 on a GPU
};

namespace detail {

using Element = void (*)(void* context, std::int64_t index);

/// Calls call(context, i) for i = 0 … count - 1 and `finish(context, 0)` on the calling thread when all have ended and
/// its stream waits for theirs. Rethrows the exception of the first element, in their order, that threw.
MINIMA_API void run_in_parallel(std::int64_t count, Element call, Element finish, void* context,
                                const ParallelOptions& options);

/// Copies a result of another stream on the current one, if it is on a GPU.
MINIMA_API void adopt(Tensor& result);

}  // namespace detail

/// f(x) for each element x of a range, in the range's order: a std::vector of the results, or nothing if f returns
/// void.
///
///     std::vector<Net> models = …;
///     const std::vector<Tensor> votes =
///         inference::parallel_map(models, [&](Net& model) { return model(x); }, {.device = x.device()});
///
/// On the CPU, elements run on up to num_threads() threads, which share the cores: with 16 cores, 4 elements run on 4
/// threads of num_threads() = 4 each, and 100 elements one on each core. A call within a call or within a parallel_for
/// therefore runs one after the other. Starting a thread takes tens of microseconds; an element should take longer.
/// Threads have the caller's recording mode and autocast. Random numbers are drawn in any order.
///
/// On a GPU, the calling thread runs f for one element after the other, each on the next of `streams` streams, so
/// that their kernels may overlap; an f that waits for the GPU (`item`, `to_vector`, a copy to the CPU) prevents it.
/// The streams wait for the work that the caller's current stream has now, and it waits for theirs, not the host.
/// Tensors that f returns, also in a tuple, pair, array, vector or optional, are copied on the caller's stream, so that
/// they can be used and freed there as usual. Tensors that f leaves elsewhere must be given to hand_over after their
/// last use. Run the backward pass of what f records inside f.
///
/// After an exception no further elements are started; when the others have ended, the exception of the first element,
/// in the order of the range, that threw is rethrown.
template <class Range, class F>
auto parallel_map(Range&& range, F&& f, const ParallelOptions& options = {}) {
  using Iterator = decltype(std::begin(range));
  using Result = std::invoke_result_t<F&, decltype(*std::declval<Iterator&>())>;
  static_assert(
      std::is_base_of_v<std::random_access_iterator_tag, typename std::iterator_traits<Iterator>::iterator_category>,
      "parallel_map takes a range with random access, such as a std::vector");
  static_assert(std::is_void_v<Result> || !std::is_reference_v<Result>,
                "the function returns a reference; return a value or a pointer");
  using Slot = std::conditional_t<std::is_void_v<Result>, char, std::optional<Result>>;
  struct Context {
    Iterator first;
    F& f;
    std::vector<Slot> slots;
  };
  const auto count = static_cast<std::int64_t>(std::end(range) - std::begin(range));
  Context context{std::begin(range), f, std::vector<Slot>(static_cast<std::size_t>(count))};
  const auto call = [](void* data, std::int64_t index) {
    Context& c = *static_cast<Context*>(data);
    auto&& element = *(c.first + static_cast<typename std::iterator_traits<Iterator>::difference_type>(index));
    if constexpr (std::is_void_v<Result>) c.f(std::forward<decltype(element)>(element));
    else c.slots[static_cast<std::size_t>(index)].emplace(c.f(std::forward<decltype(element)>(element)));
  };
  const auto finish = [](void* data, std::int64_t) {
    if constexpr (!std::is_void_v<Result>)
      for (Slot& slot : static_cast<Context*>(data)->slots) nn::detail::for_each_tensor(*slot, detail::adopt);
  };
  detail::run_in_parallel(count, call, finish, &context, options);
  if constexpr (!std::is_void_v<Result>) {
    std::vector<Result> results;
    results.reserve(context.slots.size());
    for (Slot& slot : context.slots) results.push_back(std::move(*slot));
    return results;
  }
}

}  // namespace minima::inference
