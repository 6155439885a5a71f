#include <minima/ops/reduce/sum_kernel.h>

#include <minima/tensor/dispatch.h>

#include <algorithm>

namespace minima::detail {

namespace {

template <class T> struct Accumulator { using Type = double; };
template <> struct Accumulator<bool> { using Type = std::int64_t; };
template <> struct Accumulator<std::uint8_t> { using Type = std::int64_t; };
template <> struct Accumulator<std::int8_t> { using Type = std::int64_t; };
template <> struct Accumulator<std::int32_t> { using Type = std::int64_t; };
template <> struct Accumulator<std::int64_t> { using Type = std::int64_t; };

template <class T, class A>
A sum_dims(const T* x, const Layout& layout, const Shape& dims, int next) {
  if (next == dims.rank()) return static_cast<A>(*x);
  const auto dim = static_cast<int>(dims[next]);
  A total = 0;
  for (std::int64_t i = 0; i < layout.shape[dim]; ++i)
    total += sum_dims<T, A>(x + i * layout.strides[dim], layout, dims, next + 1);
  return total;
}

template <class T, class A, class Out>
Out* fill_outputs(const T* x, const Layout& layout, const Shape& kept, const Shape& dims, int next, Out* y) {
  if (next == kept.rank()) {
    *y = static_cast<Out>(sum_dims<T, A>(x, layout, dims, 0));
    return y + 1;
  }
  const auto dim = static_cast<int>(kept[next]);
  for (std::int64_t i = 0; i < layout.shape[dim]; ++i)
    y = fill_outputs<T, A>(x + i * layout.strides[dim], layout, kept, dims, next + 1, y);
  return y;
}

}  // namespace

void sum_kernel_cpu(const Tensor& x, const Shape& dims, Tensor& y) {
  Shape kept;
  for (int i = 0; i < x.rank(); ++i)
    if (std::find(dims.begin(), dims.end(), i) == dims.end()) kept.push_back(i);
  dispatch<all_types>(x.dtype(), "sum", [&]<class T> {
    using A = typename Accumulator<T>::Type;
    dispatch<all_types>(y.dtype(), "sum", [&]<class Out> {
      if constexpr (std::is_same_v<Out, T> || std::is_same_v<Out, std::int64_t>)
        fill_outputs<T, A>(x.data<T>(), x.layout(), kept, dims, 0, y.data<Out>());
    });
  });
}

}  // namespace minima::detail
