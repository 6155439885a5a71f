#include <minima/ops/sort/sort_kernel.h>

#include <minima/ops/line_loop.h>
#include <minima/ops/sort/order_key.h>
#include <minima/tensor/dispatch.h>
#include <minima/tensor/parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace minima::detail {

namespace {

/// An element of a line by its key and place, which makes the order total and so any sort a stable one.
template <class Key> struct Placed {
  Key key;
  std::int64_t place;
  Placed() = default;
  Placed(Key key, std::int64_t place) : key(key), place(place) {}
  friend bool operator<(const Placed& a, const Placed& b) { return a.key != b.key ? a.key < b.key : a.place < b.place; }
};
/// Both in one word, for lines of fewer than 2^32 elements.
template <> struct Placed<std::uint32_t> {
  std::uint64_t word;
  Placed() = default;
  Placed(std::uint32_t key, std::int64_t place) : word(std::uint64_t{key} << 32 | static_cast<std::uint64_t>(place)) {}
  friend bool operator<(Placed a, Placed b) { return a.word < b.word; }
};
std::int64_t place_of(const Placed<std::uint64_t>& element) { return element.place; }
std::int64_t place_of(const Placed<std::uint32_t>& element) { return static_cast<std::uint32_t>(element.word); }

/// The first `count` in order come first.
template <class Element>
void sort_first(std::vector<Element>& line, std::int64_t count) {
  const auto middle = line.begin() + count;
  if (count < static_cast<std::int64_t>(line.size())) std::nth_element(line.begin(), middle, line.end());
  std::sort(line.begin(), middle);
}

template <class T>
void run(const Tensor& x, const Lines& lines, const Lines& results, bool descending, std::int64_t* y) {
  using Key = decltype(sorting::order_key(T()));
  const T* const data = x.data<T>();
  const double cost = 10 + 4 * static_cast<double>(lines.length) * std::log2(2 + static_cast<double>(results.length));
  minima::parallel_for(0, lines.outer * lines.inner, grain_for(cost), [&](std::int64_t first, std::int64_t last) {
    std::vector<Placed<Key>> line(static_cast<std::size_t>(lines.length));
    for (std::int64_t l = first; l < last; ++l) {
      const std::int64_t outer = l / lines.inner, inner = l % lines.inner;
      const T* const from = data + outer * lines.length * lines.inner + inner;
      for (std::int64_t i = 0; i < lines.length; ++i) {
        const Key key = sorting::order_key(from[i * lines.inner]);
        line[static_cast<std::size_t>(i)] = {descending ? static_cast<Key>(~key) : key, i};
      }
      sort_first(line, results.length);
      std::int64_t* const to = y + outer * results.length * lines.inner + inner;
      for (std::int64_t i = 0; i < results.length; ++i) to[i * lines.inner] = place_of(line[static_cast<std::size_t>(i)]);
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
  dispatch<all_types>(x.dtype(), "argsort", [&]<class T> { run<T>(from, lines, results, descending, y.data<std::int64_t>()); });
}

}  // namespace minima::detail
