#pragma once

#include <minima/data/collate/batch.h>
#include <minima/tensor/base/dtype.h>

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

// Turns samples into batches. The batch type follows from the sample type:
//
//   Tensor                        Tensor [B, …], stacked
//   a number or bool              Tensor [B] of its dtype
//   std::tuple, std::pair         std::tuple of batches;  std::array: std::array of batches
//   a struct                      its nested struct `Batch`, if it has one (with the same number and order of fields);
//                                 else the struct itself if all fields are tensors; else a std::tuple
//   anything else                 std::vector of it
//
//   struct Sample {
//     Tensor image;
//     std::int64_t label;
//     struct Batch { Tensor image, label; };
//   };
//   for (auto& [image, label] : loader) …

namespace minima::data {

/// Stacks tensors of equal shape along a new first dimension, as torch.stack does.
struct StackTensors {
  /// Throws ShapeError or DTypeError naming the sample that differs.
  MINIMA_API void operator()(std::span<const Tensor* const> rows, Tensor& into, bool pinned) const;
};
/// Pads tensors of equal rank at the end of each dimension with `value` to the largest size in the batch, then stacks
/// them. The first dimension is rounded up to a multiple of `multiple`. `lengths` returns the sizes before padding.
struct PadTensors {
  double value = 0;
  std::int64_t multiple = 1;
  MINIMA_API void operator()(std::span<const Tensor* const> rows, Tensor& into, bool pinned) const;
};

/// The sizes of the tensors along dimension 0, int64 [B].
MINIMA_API Tensor lengths(std::span<const Tensor> rows);

namespace detail {

template <class T>
struct CollatedType {
  using type = std::vector<T>;
};
template <class T>
using Collated = typename CollatedType<T>::type;

template <class T, class Numbers>
struct TupleOf;
template <class T, std::size_t... I>
struct TupleOf<T, std::index_sequence<I...>> {
  using type = std::tuple<Collated<FieldAt<T, I>>...>;
};
template <class T>
using CollatedTuple = typename TupleOf<T, std::make_index_sequence<field_count<T>>>::type;

template <class T>
constexpr bool only_tensors() {
  bool all = true;
  for_each_field<T>([&](auto i) { all = all && std::is_same_v<FieldAt<T, i>, Tensor>; });
  return all;
}
template <class T>
concept NamesBatch = requires { typename T::Batch; };

template <>
struct CollatedType<Tensor> {
  using type = Tensor;
};
template <class T>
requires std::is_arithmetic_v<T> struct CollatedType<T> {
  using type = Tensor;
};
template <class T, std::size_t N>
struct CollatedType<std::array<T, N>> {
  using type = std::array<Collated<T>, N>;
};
template <class T>
requires is_tuple<T> struct CollatedType<T> {
  using type = CollatedTuple<T>;
};
template <FieldStruct T>
requires NamesBatch<T> struct CollatedType<T> {
  using type = typename T::Batch;
};
template <FieldStruct T>
requires(!NamesBatch<T> && only_tensors<T>()) struct CollatedType<T> {
  using type = T;
};
template <FieldStruct T>
requires(!NamesBatch<T> && !only_tensors<T>()) struct CollatedType<T> {
  using type = CollatedTuple<T>;
};

/// The element type for a number: char, long and so on map to the type of the same size.
template <class T>
using NumberType = std::conditional_t<
    std::is_same_v<T, bool> || std::is_floating_point_v<T>, T,
    std::conditional_t<
        sizeof(T) == 1, std::conditional_t<std::is_signed_v<T>, std::int8_t, std::uint8_t>,
        std::conditional_t<sizeof(T) <= 4 && !(sizeof(T) == 4 && std::is_unsigned_v<T>), std::int32_t, std::int64_t>>>;

/// Fills `out` with the column `at(0) … at(count - 1)`.
template <class T, class Out, class At, class Tensors>
void fill_column(Out& out, std::size_t count, const At& at, const Tensors& tensors, bool pinned) {
  if constexpr (std::is_same_v<T, Tensor>) {
    thread_local std::vector<const Tensor*> rows;
    rows.clear();
    for (std::size_t i = 0; i < count; ++i) rows.push_back(&at(i));
    tensors(rows, out, pinned);
  } else if constexpr (std::is_arithmetic_v<T>) {
    using Number = NumberType<T>;
    reuse_or_allocate(out, {static_cast<std::int64_t>(count)}, dtype_of<Number>, pinned);
    for (std::size_t i = 0; i < count; ++i) out.template data<Number>()[i] = static_cast<Number>(at(i));
  } else if constexpr (HasFields<T>) {
    auto targets = fields(out);
    static_assert(std::tuple_size_v<decltype(targets)> == field_count<T>,
                  "a sample's Batch needs one field for each field of the sample");
    for_each_field<T>([&](auto number) {
      const auto part = [&](std::size_t i) -> auto& { return std::get<number>(fields(at(i))); };
      fill_column<FieldAt<T, number>>(std::get<number>(targets), count, part, tensors, pinned);
    });
  } else {
    out.resize(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = std::move(at(i));
  }
}

}  // namespace detail

/// The default collation. For padding: `DataLoader(dataset, {…}, PadCollate{{.value = -1}})`.
template <class Tensors = StackTensors>
struct Collate {
  Tensors tensors = {};

  template <class Sample>
  void operator()(std::span<Sample> samples, detail::Collated<Sample>& into, bool pinned) const {
    detail::fill_column<Sample>(
        into, samples.size(), [&](std::size_t i) -> Sample& { return samples[i]; }, tensors, pinned);
  }
};
using PadCollate = Collate<PadTensors>;

}  // namespace minima::data
