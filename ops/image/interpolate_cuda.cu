#include <minima/ops/image/kernels.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/convolution/images.cuh>
#include <minima/tensor/cuda/launch.cuh>

namespace minima::detail {

/// Taps in device memory.
template <class T>
struct TapTable {
  const std::int32_t* places;
  const T* weights;
  std::int64_t size, results;
  int per_result;
};

/// One thread per result, which sums its taps, rows first to last. `X` and `Y` differ when the dimensions are computed
/// one at a time.
template <class X, class Y>
__global__ void __launch_bounds__(256)
    interpolate_kernel(const X* x, const ImageOrder from, const ImageOrder to, std::int64_t count,
                       const TapTable<cuda::Compute<X>> rows, const TapTable<cuda::Compute<X>> columns, Y* y) {
  using T = cuda::Compute<X>;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const ImageOrder::Place p = to.place(i);
  T sum = 0;
  const std::int64_t rows_end = rows.per_result * rows.results, columns_end = columns.per_result * columns.results;
  for (std::int64_t r = p.h; r < rows_end && rows.places[r] < rows.size; r += rows.results) {
    T line = 0;
    for (std::int64_t c = p.w; c < columns_end && columns.places[c] < columns.size; c += columns.results)
      line += columns.weights[c] * static_cast<T>(x[from.at(p, rows.places[r], columns.places[c])]);
    sum += rows.weights[r] * line;
  }
  y[i] = static_cast<Y>(sum);
}

namespace {

/// Taps in device memory, for a kernel that computes in T.
template <class T>
class Upload {
 public:
  Upload(const Taps& taps, Device device) : size_(taps.size), results_(taps.results), per_result_(taps.per_result) {
    const Shape shape{per_result_, results_};
    places_ = table_of(taps.places, shape, device);
    weights_ = table_of(std::vector<T>(taps.weights.begin(), taps.weights.end()), shape, device);
  }
  TapTable<T> table() const { return {places_.data<std::int32_t>(), weights_.data<T>(), size_, results_, per_result_}; }

 private:
  std::int64_t size_, results_;
  int per_result_;
  Tensor places_, weights_;
};

template <class X, class Y>
void launch(const Tensor& x, const Taps& rows, const Taps& columns, bool channels_last, const Tensor& y) {
  const Upload<cuda::Compute<X>> r(rows, x.device()), c(columns, x.device());
  cuda::launch("interpolate", cuda::grid_for(y.numel()), interpolate_kernel<X, Y>, x.data<X>(),
               order_of(x, channels_last), order_of(y, channels_last), y.numel(), r.table(), c.table(), y.data<Y>());
}

}  // namespace

void interpolate_kernel_cuda(const Tensor& x, const Taps& rows, const Taps& columns, const Tensor& y) {
  if (y.numel() == 0) return;
  const bool last = is_last(x, y);
  // Results with many taps, such as gradients of strong upsampling, are computed one dimension at a time.
  const bool separable = rows.per_result * columns.per_result > 4 * (rows.per_result + columns.per_result);
  dispatch<floating>(x.dtype(), "interpolate", [&]<class X> {
    if (!separable) return launch<X, X>(x, rows, columns, last, y);
    using T = cuda::Compute<X>;
    Shape shape = x.shape();
    shape[3] = columns.results;
    const PurposeGuard purpose(Purpose::temporaries);
    const Tensor narrow = empty(image_layout(shape, last), {.dtype = compute_dtype(x.dtype()), .device = x.device()});
    launch<X, T>(x, identity_taps(rows.size), columns, last, narrow);
    launch<T, X>(narrow, rows, identity_taps(columns.results), last, y);
  });
}

}  // namespace minima::detail
