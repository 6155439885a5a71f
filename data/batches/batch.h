#pragma once

#include <minima/data/batches/fields.h>
#include <minima/tensor/tensor.h>

#include <span>

// The memory of batches. A loader keeps every batch that it has delivered and fetches a later one into the same
// tensors, if the program has not kept a handle to them: in steady state nothing is allocated.

namespace minima::data {

/// Makes `tensor` a row-major one of this shape and dtype on the CPU with unspecified values. Its memory is used again
/// if it is large enough and nobody else holds the tensor or a view of it; a new one is allocated otherwise. `pinned`
/// asks for memory that a GPU can copy from directly, where there is one.
MINIMA_API void reuse_or_allocate(Tensor& tensor, const Shape& shape, DType dtype, bool pinned = false);

namespace detail {

/// Calls f(tensor) for every tensor in a batch.
template <class T, class F>
void for_each_tensor(T& x, F&& f) {
  using U = std::remove_const_t<T>;
  if constexpr (std::is_same_v<U, Tensor>) f(x);
  else if constexpr (is_vector<U> || is_optional<U>) {
    if constexpr (is_vector<U>) {
      for (auto& item : x) for_each_tensor(item, f);
    } else if (x) for_each_tensor(*x, f);
  } else if constexpr (HasFields<U>) {
    std::apply([&](auto&... field) { (for_each_tensor(field, f), ...); }, fields(x));
  }
}

/// Calls copy(from, to) for every tensor in a batch, everything else is assigned.
template <class T, class Copy>
void copy_batch(T& from, T& to, Copy&& copy) {
  if constexpr (std::is_same_v<T, Tensor>) copy(from, to);
  else if constexpr (is_vector<T> && !std::is_same_v<T, std::vector<bool>>) {
    to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) copy_batch(from[i], to[i], copy);
  } else if constexpr (is_optional<T>) {
    if (!from) return to.reset();
    if (!to) to.emplace();
    copy_batch(*from, *to, copy);
  } else if constexpr (HasFields<T>) {
    auto sources = fields(from);
    auto targets = fields(to);
    for_each_field<T>([&](auto i) { copy_batch(std::get<i>(sources), std::get<i>(targets), copy); });
  } else if constexpr (std::is_copy_assignable_v<T>) {
    to = from;
  } else {
    to = std::move(from);
  }
}

/// Row-major values of x, x itself where it is.
MINIMA_API Tensor row_major(const Tensor& x);

}  // namespace detail

}  // namespace minima::data
