#include <minima/ops/sort/kernels.h>

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/sort/order_key.h>
#include <minima/ops/sort/radix.h>
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

// Elements are sorted by unsigned keys in the order of their values (order_key.h), each with its position: no
// comparison follows the rules of floating-point numbers, and equal elements keep their order. Short lines are sorted
// by comparison, longer ones by radix, eight or eleven bits at a time.

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

  void places(const T* line, std::int64_t stride, std::int64_t* y) {
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
    for (std::int64_t i = 0; i < count_; ++i) y[i * stride] = place_of(candidates_[static_cast<std::size_t>(i)]);
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

/// The elements of a range of ranks of lines, or all of them.
template <class T> class Ranks {
 public:
  using Key = decltype(sorting::order_key(T()));

  Ranks(std::int64_t length, std::int64_t first, std::int64_t count, bool descending)
      : length_(static_cast<std::size_t>(length)),
        first_(static_cast<std::size_t>(first)),
        count_(static_cast<std::size_t>(count)),
        flip_(descending ? static_cast<Key>(~Key{0}) : Key{0}),
        scratch_(empty({2 * length + 1, sizeof(Placed<Key>)}, {.dtype = DType::uint8})) {}

  void places(const T* line, std::int64_t stride, std::int64_t* y) {
    const auto key = [=, this](std::size_t i) {
      return static_cast<Key>(sorting::order_key(line[static_cast<std::int64_t>(i) * stride]) ^ flip_);
    };
    if constexpr (sizeof(Key) > sizeof(std::uint32_t)) {
      Key least = key(0), most = least;
      for (std::size_t i = 1; i < length_; ++i) {
        least = std::min(least, key(i));
        most = std::max(most, key(i));
      }
      if (most - least <= std::numeric_limits<std::uint32_t>::max())
        return places<std::uint32_t>([&](std::size_t i) { return static_cast<std::uint32_t>(key(i) - least); }, stride,
                                     y);
    }
    places<Key>(key, stride, y);
  }

 private:
  template <class Used, class KeyOf> void places(const KeyOf& key, std::int64_t stride, std::int64_t* y) {
    using Element = Placed<Used>;
    auto* const elements = reinterpret_cast<Element*>(scratch_.data<std::uint8_t>());
    Element* const other = elements + length_;
    for (std::size_t i = 0; i < length_; ++i) elements[i] = {key(i), static_cast<std::int64_t>(i)};
    constexpr std::size_t few = 128, many = 4096;  // below, comparisons are faster; above, large digits
    const Element* from = elements;
    if (length_ <= few) {
      std::sort(elements, other);
      from += first_;
    } else if (count_ < length_) from = sorting::select_ranks(elements, other, length_, first_, count_);
    else if (length_ < many) from = sorting::radix_sort<8>(elements, other, length_);
    else from = sorting::radix_sort<11>(elements, other, length_);
    for (std::size_t i = 0; i < count_; ++i) y[static_cast<std::int64_t>(i) * stride] = place_of(from[i]);
  }

  std::size_t length_, first_, count_;
  Key flip_;
  Tensor scratch_;
};

/// `make` makes the Selection or Ranks of a thread.
template <class T, class Make>
void run(const Tensor& x, const Lines& lines, std::int64_t count, double cost, std::int64_t* y, const Make& make) {
  const T* const data = x.data<T>();
  minima::parallel_for(0, lines.outer * lines.inner, grain_for(cost), [&](std::int64_t first, std::int64_t last) {
    auto order = make();
    for (std::int64_t l = first; l < last; ++l) {
      const std::int64_t outer = l / lines.inner, inner = l % lines.inner;
      order.places(data + outer * lines.length * lines.inner + inner, lines.inner,
                   y + outer * count * lines.inner + inner);
    }
  });
}

}  // namespace

void argsort_kernel_cpu(const Tensor& x, int dim, bool descending, std::int64_t first, Tensor& y) {
  if (y.numel() == 0) return;
  const Tensor from = arranged(x, Layout::contiguous(x.shape()));
  const Lines lines = lines_of(from.layout(), dim);
  if (lines.length > std::numeric_limits<std::uint32_t>::max())
    throw ShapeError(str("argsort: a line of x ", x, " has more than 2^32 elements"));
  const std::int64_t wanted = lines_of(y.layout(), dim).length;
  const auto length = static_cast<double>(lines.length), count = static_cast<double>(wanted);
  dispatch<all_types>(x.dtype(), "argsort", [&]<class T> {
    auto* const to = y.data<std::int64_t>();
    if (first == 0 && 4 * wanted <= lines.length)
      run<T>(from, lines, wanted, 10 + length + 4 * count * std::log2(2 + count), to,
             [&] { return Selection<T>(lines.length, wanted, descending); });
    else
      run<T>(from, lines, wanted, 10 + 8 * length, to,
             [&] { return Ranks<T>(lines.length, first, wanted, descending); });
  });
}

}  // namespace minima::detail
