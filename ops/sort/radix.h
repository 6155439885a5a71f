#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

// Sorting and selection on the CPU by the digits of unsigned keys. `key_of(element)` gives an element's key. Internal
// to ops/sort.

namespace minima::sorting {

/// Sorts stably by digits of `bits` bits, the least significant first; digits in which all keys agree cost nothing.
/// Returns where the sorted elements are: `elements` or `scratch`.
template <int bits, class Element> Element* radix_sort(Element* elements, Element* scratch, std::size_t count) {
  using Key = decltype(key_of(*elements));
  constexpr std::size_t digits = (8 * sizeof(Key) + bits - 1) / bits, values = std::size_t{1} << bits;
  const auto digit = [](Key key, std::size_t d) { return static_cast<std::size_t>(key >> (bits * d)) & (values - 1); };
  const Key some = key_of(elements[0]);
  Key varying = 0;
  for (std::size_t i = 1; i < count; ++i) varying |= static_cast<Key>(key_of(elements[i]) ^ some);
  std::uint32_t counts[digits][values] = {};
  std::size_t end = digits;
  while (end > 0 && digit(varying, end - 1) == 0) --end;
  for (std::size_t i = 0; i < count; ++i) {
    const Key key = key_of(elements[i]);
    for (std::size_t d = 0; d < end; ++d) ++counts[d][digit(key, d)];
  }
  for (std::size_t d = 0; d < end; ++d) {
    if (digit(varying, d) == 0) continue;
    std::uint32_t start = 0;
    for (std::uint32_t& of_value : counts[d]) start += std::exchange(of_value, start);
    for (std::size_t i = 0; i < count; ++i) scratch[counts[d][digit(key_of(elements[i]), d)]++] = elements[i];
    std::swap(elements, scratch);
  }
  return elements;
}

/// The elements of ranks first … first + wanted - 1, in order: those that share the leading digits of such ranks are
/// copied to `scratch` and sorted by `<`. Returns the first of them.
template <class Element>
Element* select_ranks(const Element* elements, Element* scratch, std::size_t count, std::size_t first,
                      std::size_t wanted) {
  using Key = decltype(key_of(*elements));
  constexpr std::size_t bits = 11, values = std::size_t{1} << bits;
  Key varying = 0;
  for (std::size_t i = 1; i < count; ++i) varying |= static_cast<Key>(key_of(elements[i]) ^ key_of(elements[0]));
  int shift = 0;
  while (shift < static_cast<int>(8 * sizeof(Key)) - 1 && (varying >> shift) >= values) ++shift;
  const auto digit = [shift](const Element& e) { return static_cast<std::size_t>(key_of(e) >> shift) & (values - 1); };
  std::uint32_t counts[values] = {};
  for (std::size_t i = 0; i < count; ++i) ++counts[digit(elements[i])];
  std::size_t low = 0, before = 0;  // the digit of rank `first`, and how many elements have a smaller one
  while (before + counts[low] <= first) before += counts[low++];
  std::size_t high = low, until = before + counts[low];
  while (until < first + wanted) until += counts[++high];
  Element* end = scratch;
  for (std::size_t i = 0; i < count; ++i) {
    *end = elements[i];
    end += digit(elements[i]) - low <= high - low ? 1 : 0;
  }
  Element* const from = scratch + (first - before);
  std::nth_element(scratch, from, end);
  if (wanted > 1) {
    std::nth_element(from + 1, from + (wanted - 1), end);
    std::sort(from + 1, from + wanted);
  }
  return from;
}

}  // namespace minima::sorting
