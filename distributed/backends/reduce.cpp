#include <minima/distributed/backends/reduce.h>

#include <minima/distributed/backends/backend.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/half.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <cstring>
#include <numeric>
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

char* row(const Tensor& rows, int index, std::size_t bytes) {
  return static_cast<char*>(rows.raw_data()) + bytes * static_cast<std::size_t>(index);
}
std::size_t bytes_of(const Tensor& x) { return static_cast<std::size_t>(x.numel()) * x.itemsize(); }

/// The first byte of part number `index`.
char* part(const Tensor& whole, const std::vector<std::int64_t>& parts, int index) {
  return row(whole, 1,
             static_cast<std::size_t>(std::accumulate(parts.begin(), parts.begin() + index, std::int64_t{0})) *
                 whole.itemsize());
}

/// The part is in its place if the caller's tensors share memory.
void move_bytes(char* to, const char* from, std::size_t bytes) {
  if (to != from && bytes > 0) std::memcpy(to, from, bytes);
}

/// target = block number `block` of all inputs, reduced in rank order.
void reduce_block(const std::vector<Operation*>& ranks, const Tensor& target, int block) {
  const Operation& first = *ranks[0];
  const ReduceFunction function = reduce_function(first.reduce, target.dtype());
  const std::size_t bytes = bytes_of(target);
  const auto source = [&](const Operation& rank) {
    return rank.parts_in.empty() ? row(rank.input, block, bytes) : part(rank.input, rank.parts_in, block);
  };
  if (bytes == 0) return;
  std::memcpy(target.raw_data(), source(first), bytes);
  for (std::size_t r = 1; r < ranks.size(); ++r)
    function(target.raw_data(), target.raw_data(), source(*ranks[r]), static_cast<std::size_t>(target.numel()));
  if (first.reduce == Reduce::mean) divide(target, static_cast<int>(ranks.size()));
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
  const Operation& first = *ranks[0];
  const int size = static_cast<int>(ranks.size());
  const auto at = [&](int rank) -> Operation& { return *ranks[static_cast<std::size_t>(rank)]; };
  switch (first.kind) {
    case Collective::all_reduce:
      reduce_block(ranks, first.output, 0);
      for (int r = 1; r < size; ++r)
        std::memcpy(at(r).output.raw_data(), first.output.raw_data(), bytes_of(first.output));
      break;
    case Collective::broadcast:
      for (int r = 0; r < size; ++r)
        if (r != first.peer)
          std::memcpy(at(r).output.raw_data(), at(first.peer).output.raw_data(), bytes_of(first.output));
      break;
    case Collective::all_gather:
    case Collective::gather:
      for (int to = 0; to < size; ++to)
        for (int from = 0; at(to).output.defined() && from < size; ++from)
          move_bytes(at(to).parts_out.empty() ? row(at(to).output, from, bytes_of(at(from).input))
                                              : part(at(to).output, at(to).parts_out, from),
                     row(at(from).input, 0, 0), bytes_of(at(from).input));
      break;
    case Collective::reduce_scatter:
      for (int r = 0; r < size; ++r) reduce_block(ranks, at(r).output, r);
      break;
    case Collective::all_to_all: {
      for (int to = 0; first.is_uneven() && to < size; ++to)
        for (int from = 0; from < size; ++from) {
          const std::int64_t sent = at(from).parts_in[static_cast<std::size_t>(to)],
                             expected = at(to).parts_out[static_cast<std::size_t>(from)];
          if (sent != expected)
            throw ShapeError(str("all_to_all: rank ", from, " sends ", sent, " elements to rank ", to,
                                 ", which expects ", expected));
          move_bytes(part(at(to).output, at(to).parts_out, from), part(at(from).input, at(from).parts_in, to),
                     static_cast<std::size_t>(sent) * first.input.itemsize());
        }
      if (first.is_uneven()) break;
      const std::size_t bytes = bytes_of(first.input) / static_cast<std::size_t>(size);
      for (int to = 0; to < size; ++to)
        for (int from = 0; from < size; ++from)
          std::memcpy(row(at(to).output, from, bytes), row(at(from).input, to, bytes), bytes);
      break;
    }
    case Collective::scatter:
      for (int r = 0; r < size; ++r)
        std::memcpy(at(r).output.raw_data(), row(at(first.peer).input, r, bytes_of(at(r).output)),
                    bytes_of(at(r).output));
      break;
    default: break;
  }
}

}  // namespace minima::distributed::detail
