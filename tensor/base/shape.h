#pragma once

#include <minima/tensor/base/api.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace minima {

namespace detail {
/// A vector, span or array of integers, other than of bool and characters.
template <class Values>
concept IntegerList = requires(const Values& values) {
  { values.size() } -> std::convertible_to<std::size_t>;
  requires std::integral<std::remove_cvref_t<decltype(*values.data())>> && sizeof(*values.data()) >= sizeof(int);
};
}  // namespace detail

/// A short list of sizes or strides. Up to six live inside the object; more go to the heap.
class MINIMA_API Shape {
 public:
  static constexpr int inline_rank = 6;

  Shape() {}  // not `= default`: the inline sizes stay uninitialised
  Shape(std::initializer_list<std::int64_t> values) : Shape(values.begin(), static_cast<int>(values.size())) {}
  /// One number: `zeros(3)`, `sum(x, 1)`.
  template <std::integral T>
  Shape(T value) : rank_(1) {
    static_assert(!std::same_as<T, bool>, "a bool is no size or dimension: keep_dim comes after the dimensions");
    inline_[0] = static_cast<std::int64_t>(value);
  }
  /// The numbers of a vector, span or array: `zeros(sizes)`.
  template <detail::IntegerList Values>
  Shape(const Values& values) {
    resize(static_cast<int>(values.size()));
    for (int i = 0; i < rank_; ++i) data()[i] = static_cast<std::int64_t>(values.data()[i]);
  }
  Shape(const std::int64_t* values, int rank) {
    if (rank > inline_rank) {
      copy_to_heap(values, rank);
    } else {
      rank_ = rank;
      for (int i = 0; i < rank; ++i) inline_[i] = values[i];
    }
  }
  Shape(const Shape& other) {
    if (other.rank_ <= inline_rank) take_bits(other);
    else copy_to_heap(other.heap_, other.rank_);
  }
  Shape(Shape&& other) noexcept {
    take_bits(other);
    other.rank_ = 0;
  }
  Shape& operator=(const Shape& other) {
    if (this != &other) *this = Shape(other);
    return *this;
  }
  Shape& operator=(Shape&& other) noexcept {
    if (this == &other) return *this;
    release();
    take_bits(other);
    other.rank_ = 0;
    return *this;
  }
  ~Shape() { release(); }

  /// `rank` copies of `value`.
  static Shape filled(int rank, std::int64_t value);

  int rank() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  std::int64_t* data() { return rank_ <= inline_rank ? inline_ : heap_; }
  const std::int64_t* data() const { return rank_ <= inline_rank ? inline_ : heap_; }
  std::int64_t* begin() { return data(); }
  std::int64_t* end() { return data() + rank_; }
  const std::int64_t* begin() const { return data(); }
  const std::int64_t* end() const { return data() + rank_; }
  std::int64_t& operator[](int i) { return data()[i]; }
  std::int64_t operator[](int i) const { return data()[i]; }
  std::int64_t back() const { return data()[rank_ - 1]; }

  /// Keeps the first min(old, new) entries; new ones are unspecified.
  void resize(int rank) {
    if (rank > inline_rank || rank_ > inline_rank) resize_on_heap(rank);
    else rank_ = rank;
  }
  void push_back(std::int64_t value) {
    resize(rank_ + 1);
    data()[rank_ - 1] = value;
  }
  void insert(int position, std::int64_t value);
  void erase(int position);

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (int i = 0; i < a.rank_; ++i)
      if (a.data()[i] != b.data()[i]) return false;
    return true;
  }

 private:
  void resize_on_heap(int rank);
  void copy_to_heap(const std::int64_t* values, int rank);
  void release() {
    if (rank_ > inline_rank) delete[] heap_;
  }
#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
  /// Copies the whole object: a fixed number of moves beats a loop over the rank. Entries beyond the rank may be
  /// uninitialised; they are never read.
  void take_bits(const Shape& other) {
    rank_ = other.rank_;
    __builtin_memcpy(inline_, other.inline_, sizeof inline_);
  }
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif

  int rank_ = 0;
  union {
    std::int64_t inline_[inline_rank];
    std::int64_t* heap_;
  };
};

using Strides = Shape;

/// The number of elements: the product of the sizes, 1 for rank 0.
inline std::int64_t numel(const Shape& shape) {
  std::int64_t count = 1;
  for (std::int64_t size : shape) count *= size;
  return count;
}

}  // namespace minima
