#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace c10 {

namespace detail {
template <class I>
class integer_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = I;
  using difference_type = std::ptrdiff_t;
  using pointer = const I*;
  using reference = I;

  constexpr explicit integer_iterator(I value) : value_(value) {}
  constexpr I operator*() const { return value_; }
  constexpr const I* operator->() const { return &value_; }
  constexpr integer_iterator& operator++() {
    ++value_;
    return *this;
  }
  constexpr integer_iterator operator++(int) {
    integer_iterator old = *this;
    ++*this;
    return old;
  }
  constexpr bool operator==(const integer_iterator& other) const { return value_ == other.value_; }

 private:
  I value_;
};
}  // namespace detail

/// begin, begin + 1, …, end - 1; empty if end < begin.
template <class I>
class integer_range {
 public:
  constexpr integer_range(I begin, I end) : begin_(begin), end_(end) {}
  constexpr auto begin() const { return begin_; }
  constexpr auto end() const { return end_; }

 private:
  detail::integer_iterator<I> begin_, end_;
};

template <class First, class Last>
requires(std::is_integral_v<First> && std::is_integral_v<Last>)
constexpr integer_range<Last> irange(First begin, Last end) {
  const auto start = static_cast<Last>(begin);
  return {start, end < start ? start : end};
}
template <class Last>
requires(std::is_integral_v<Last>) constexpr integer_range<Last> irange(Last end) {
  return irange(Last{0}, end);
}

}  // namespace c10
