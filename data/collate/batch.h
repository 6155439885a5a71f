#pragma once

#include <minima/data/collate/fields.h>
#include <minima/tensor/tensor.h>

#include <span>

// Memory reuse between batches. A loader fetches later batches into the tensors of earlier ones, unless the program
// still holds a handle to them. In steady state it allocates nothing.

namespace minima::data {

/// Makes `tensor` a contiguous CPU tensor of this shape and dtype with unspecified values. Reuses its memory if that is
/// large enough and there is no other handle to the tensor or to a view of it, else allocates. `pinned` allocates
/// pinned memory if the machine has a GPU.
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

/// Calls copy(from, to) for every tensor in a batch and assigns everything else.
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

/// x, copied if it is not contiguous.
MINIMA_API Tensor row_major(const Tensor& x);

}  // namespace detail

}  // namespace minima::data
