#include <minima/distributed/backends/reduce.h>

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/backends/collective.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/half.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace minima::distributed::detail {

namespace {

template <class T> struct Wide {
  using Type = T;
};
template <> struct Wide<Float16> {
  using Type = float;
};
template <> struct Wide<BFloat16> {
  using Type = float;
};

struct Add {
  template <class T> T operator()(T a, T b) const { return static_cast<T>(a + b); }
};
struct Multiply {
  template <class T> T operator()(T a, T b) const { return static_cast<T>(a * b); }
};
// NaN propagates from any rank.
struct Least {
  template <class T> T operator()(T a, T b) const { return b < a || b != b ? b : a; }
};
struct Most {
  template <class T> T operator()(T a, T b) const { return b > a || b != b ? b : a; }
};

template <class T, class F>
void combine(void* out, const void* a, const void* b, std::size_t count) {
  using W = typename Wide<T>::Type;
  auto* const o = static_cast<T*>(out);
  const auto* const x = static_cast<const T*>(a);
  const auto* const y = static_cast<const T*>(b);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, bool>) o[i] = F()(int(x[i]), int(y[i])) != 0;
    // Integers wrap around; signed overflow would be undefined, so add as unsigned.
    else if constexpr (std::is_integral_v<T> && sizeof(T) >= 4 && !std::is_same_v<F, Least> && !std::is_same_v<F, Most>)
      o[i] =
          static_cast<T>(F()(static_cast<std::make_unsigned_t<T>>(x[i]), static_cast<std::make_unsigned_t<T>>(y[i])));
    else o[i] = static_cast<T>(F()(static_cast<W>(x[i]), static_cast<W>(y[i])));
  }
}

char* at(const Tensor& x, const Portion& portion) {
  return static_cast<char*>(x.raw_data()) + static_cast<std::size_t>(portion.begin) * x.itemsize();
}

void copy_elements(void* to, const void* from, std::int64_t count, const Tensor& like) {
  if (to != from && count > 0) std::memcpy(to, from, static_cast<std::size_t>(count) * like.itemsize());
}

/// Reduces, in the order of ranks, the tensors that they give to rank `to`.
Tensor reduced(const std::vector<Operation*>& ranks, const std::vector<std::vector<Portion>>& given, std::size_t to) {
  const Operation& first = *ranks[0];
  const Tensor sum = empty({given[0][to].count}, {.dtype = first.input.dtype()});
  const ReduceFunction function = reduce_function(first.reduce, sum.dtype());
  copy_elements(sum.raw_data(), at(first.input, given[0][to]), sum.numel(), sum);
  for (std::size_t from = 1; from < ranks.size(); ++from)
    function(sum.raw_data(), sum.raw_data(), at(ranks[from]->input, given[from][to]),
             static_cast<std::size_t>(sum.numel()));
  if (first.reduce == Reduce::mean) divide(sum, static_cast<int>(ranks.size()));
  return sum;
}

}  // namespace

ReduceFunction reduce_function(Reduce reduce, DType dtype) {
  return dispatch<all_types>(dtype, "all_reduce", [&]<class T>() -> ReduceFunction {
    switch (reduce) {
      case Reduce::min: return combine<T, Least>;
      case Reduce::max: return combine<T, Most>;
      case Reduce::product: return combine<T, Multiply>;
      default: return combine<T, Add>;
    }
  });
}

void divide(const Tensor& x, int count) {
  dispatch<floating>(x.dtype(), "all_reduce mean", [&]<class T> {
    using W = typename Wide<T>::Type;
    T* const data = x.data<T>();
    const std::int64_t n = x.numel();
    const W divisor = static_cast<W>(count);
    for (std::int64_t i = 0; i < n; ++i) data[i] = static_cast<T>(static_cast<W>(data[i]) / divisor);
  });
}

void run_for_all(const std::vector<Operation*>& ranks) {
  const CollectiveTraits& traits = traits_of(ranks[0]->kind);
  const int size = static_cast<int>(ranks.size());
  std::vector<std::vector<Portion>> given;
  given.reserve(ranks.size());
  for (int r = 0; r < size; ++r) given.push_back(given_portions(*ranks[static_cast<std::size_t>(r)], r, size));
  Tensor sum;
  for (std::size_t to = 0; to < ranks.size(); ++to) {
    const Tensor& output = ranks[to]->output;
    if (!output.defined()) continue;
    if (traits.reduces) {
      if (!sum.defined() || traits.input.has_rows) sum = reduced(ranks, given, to);
      copy_elements(output.raw_data(), sum.raw_data(), output.numel(), output);
      continue;
    }
    const std::vector<Portion> taken = taken_portions(*ranks[to], static_cast<int>(to), size);
    for (std::size_t from = 0; from < ranks.size(); ++from) {
      const Portion& source = given[from][to];
      if (source.count != taken[from].count)
        throw ShapeError(str(name(traits.kind), ": rank ", from, " sends ", source.count, " elements to rank ", to,
                             ", which expects ", taken[from].count));
      if (source.count > 0)
        copy_elements(at(output, taken[from]), at(ranks[from]->input, source), source.count, output);
    }
  }
}

}  // namespace minima::distributed::detail
