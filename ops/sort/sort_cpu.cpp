#include <minima/ops/sort/sort_kernels.h>

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/sort/order_key.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace minima::detail {

namespace {

/// An element's key and position. Comparing both makes the order total, and therefore any sort stable.
template <class Key> struct Placed {
  Key key;
  std::int64_t place;
  Placed() = default;
  Placed(Key key, std::int64_t place) : key(key), place(place) {}
  friend bool operator<(const Placed& a, const Placed& b) { return a.key != b.key ? a.key < b.key : a.place < b.place; }
};
/// Key and position in one word, for lines of fewer than 2^32 elements.
template <> struct Placed<std::uint32_t> {
  std::uint64_t word;
  Placed() = default;
  Placed(std::uint32_t key, std::int64_t place) : word(std::uint64_t{key} << 32 | static_cast<std::uint64_t>(place)) {}
  friend bool operator<(Placed a, Placed b) { return a.word < b.word; }
};
std::int64_t place_of(const Placed<std::uint64_t>& element) { return element.place; }
std::int64_t place_of(const Placed<std::uint32_t>& element) { return static_cast<std::uint32_t>(element.word); }
std::uint64_t key_of(const Placed<std::uint64_t>& element) { return element.key; }
std::uint32_t key_of(const Placed<std::uint32_t>& element) { return static_cast<std::uint32_t>(element.word >> 32); }

constexpr std::int64_t block = 64;  // elements whose keys are computed and compared together

/// Selects the first `count` elements of lines. Collects candidates; whenever there are enough, keeps the best `count`,
/// and from then on only elements before the last of those become candidates. Elements arrive by position, so one with
/// the same key as the last comes after it.
template <class T> class Selection {
 public:
  using Key = decltype(sorting::order_key(T()));
  using Element = Placed<Key>;

  Selection(std::int64_t length, std::int64_t count, bool descending)
      : length_(length),
        count_(count),
        flip_(descending ? static_cast<Key>(~Key{0}) : Key{0}),
        max_candidates_(std::min(length, std::max(2 * count, count + 32))),
        candidates_(static_cast<std::size_t>(max_candidates_ + block)) {}

  /// The first `count` elements of a line in order.
  const Element* first_of(const T* line, std::int64_t stride) {
    Key keys[block];
    std::int64_t at = 0;
    for (std::int64_t n = 0; at < max_candidates_; at += n) {
      n = std::min(block, length_ - at);
      make_keys(line + at * stride, stride, n, keys);
      for (std::int64_t i = 0; i < n; ++i) candidates_[static_cast<std::size_t>(at + i)] = {keys[i], at + i};
    }
    candidate_count_ = at;
    if (at < length_) keep_best();
    for (std::int64_t n = 0; at < length_; at += n) {
      n = std::min(block, length_ - at);
      if (make_keys(line + at * stride, stride, n, keys) >= last_) continue;
      for (std::int64_t i = 0; i < n; ++i) {
        candidates_[static_cast<std::size_t>(candidate_count_)] = {keys[i], at + i};
        candidate_count_ += keys[i] < last_;  // branch-free: the outcome is unpredictable
      }
      if (candidate_count_ >= max_candidates_) keep_best();
    }
    if (candidate_count_ > count_) keep_best();
    std::sort(candidates_.begin(), candidates_.begin() + count_);
    return candidates_.data();
  }

 private:
  void keep_best() {
    const auto last = candidates_.begin() + count_ - 1;
    std::nth_element(candidates_.begin(), last, candidates_.begin() + candidate_count_);
    candidate_count_ = count_;
    last_ = key_of(*last);
  }

  /// Returns the smallest of the keys.
  Key make_keys(const T* x, std::int64_t stride, std::int64_t n, Key* __restrict keys) const {
    if (stride == 1)
      for (std::int64_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(sorting::order_key(x[i]) ^ flip_);
    else
      for (std::int64_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(sorting::order_key(x[i * stride]) ^ flip_);
    Key least = keys[0];
    for (std::int64_t i = 1; i < n; ++i) least = keys[i] < least ? keys[i] : least;
    return least;
  }

  std::int64_t length_, count_, candidate_count_ = 0;
  Key flip_, last_ = 0;
  std::int64_t max_candidates_;  // the most candidates between two blocks
  std::vector<Element> candidates_;
};

template <class T>
void run(const Tensor& x, const Lines& lines, const Lines& results, bool descending, std::int64_t* y) {
  const T* const data = x.data<T>();
  const auto count = static_cast<double>(results.length);
  const double cost = 10 + static_cast<double>(lines.length) + 4 * count * std::log2(2 + count);
  minima::parallel_for(0, lines.outer * lines.inner, grain_for(cost), [&](std::int64_t first, std::int64_t last) {
    Selection<T> selection(lines.length, results.length, descending);
    for (std::int64_t l = first; l < last; ++l) {
      const std::int64_t outer = l / lines.inner, inner = l % lines.inner;
      const auto* const order = selection.first_of(data + outer * lines.length * lines.inner + inner, lines.inner);
      std::int64_t* const to = y + outer * results.length * lines.inner + inner;
      for (std::int64_t i = 0; i < results.length; ++i) to[i * lines.inner] = place_of(order[i]);
    }
  });
}

}  // namespace

void argsort_kernel_cpu(const Tensor& x, int dim, bool descending, Tensor& y) {
  if (y.numel() == 0) return;
  const Tensor from = arranged(x, Layout::contiguous(x.shape()));
  const Lines lines = lines_of(from.layout(), dim), results = lines_of(y.layout(), dim);
  if (lines.length > std::numeric_limits<std::uint32_t>::max())
    throw ShapeError(str("argsort: a line of x ", x, " has more than 2^32 elements"));
  dispatch<all_types>(x.dtype(), "argsort",
                      [&]<class T> { run<T>(from, lines, results, descending, y.data<std::int64_t>()); });
}

}  // namespace minima::detail
