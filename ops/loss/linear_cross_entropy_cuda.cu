#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/loops/cuda_loop.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loss/kernels.h>
#include <minima/ops/pointwise/functors/arithmetic.h>
#include <minima/ops/product/gemm/gemm.h>
#include <minima/ops/product/gemm/matrices.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/ops/loops/lines/lines.cuh>
#include <minima/ops/loss/cross_entropy_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <algorithm>

namespace minima::detail {

/// eˣ for x ≤ 0. For half types by the approximate instruction to base 2: to 2⁻²², and 0 below 2⁻¹²⁶.
template <class X, class T> __device__ T exp_for(T x) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(X) == 2) {
    float result = 0;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x * math::cpu::Format<float>::log2_e));
    return result;
  }
#endif
  return math::exp(x);
}

/// Adds Σ exp of a pack, whose padding is -inf, rescaling once if it has a larger number.
template <class X, class T, int width>
__device__ void add_exp_of_pack(MaxSum<T>& state, const cuda::Pack<X, width>& pack) {
  constexpr T infinity = math::cpu::Format<T>::infinity;
  T largest = state.max;
  MINIMA_UNROLL
  for (int i = 0; i < width; ++i) largest = ::fmax(largest, static_cast<T>(pack.items[i]));
  if (largest > state.max) {
    state.sum *= exp_for<X>(state.max - largest);
    state.max = largest;
  }
  const T base = largest == -infinity ? T(0) : largest;
  MINIMA_UNROLL
  for (int i = 0; i < width; ++i) state.sum += exp_for<X>(static_cast<T>(pack.items[i]) - base);
}

/// A block per row of logits, which begin at multiples of 16 bytes: its loss and its share of a mean's divisor. If
/// `recording`, the logits are overwritten by the slopes Σ_c t_c · softmax(x) - t, which a mean still has to divide.
template <class X>
__global__ void __launch_bounds__(512)
    linear_cross_entropy_kernel(X* logits, std::int64_t stride, std::int64_t classes, const std::int64_t* targets,
                                const ClassWeights weights, bool recording, Compute<X>* losses, Compute<X>* counts,
                                cuda::Fault* fault) {
  using T = Compute<X>;
  constexpr int width = 16 / sizeof(X), in_flight = 4;
  using Pack = cuda::Pack<X, width>;
  __shared__ T halves[2][cuda::warp];
  cuda::Scratch<T> scratch(halves);
  const cuda::Team<true> team;
  X* const row = logits + team.line * stride;
  const std::int64_t packs = (classes + width - 1) / width, size = team.size;
  // The last pack may reach into the padding behind the row.
  const auto pad = [&](Pack& pack, std::int64_t p, T value) {
    if (p != packs - 1) return;
    for (int i = 0; i < width; ++i)
      if (p * width + i >= classes) pack.items[i] = static_cast<X>(value);
  };
  const auto load = [&](std::int64_t p) {
    Pack pack = cuda::load_pack<X, width>(row + p * width);
    pad(pack, p, -math::cpu::Format<T>::infinity);
    return pack;
  };

  MaxSum<T> own{-math::cpu::Format<T>::infinity, 0};
  std::int64_t p = team.rank;
  for (; p + (in_flight - 1) * size < packs; p += in_flight * size) {
    Pack loaded[in_flight];
    MINIMA_UNROLL
    for (int n = 0; n < in_flight; ++n) loaded[n] = load(p + n * size);
    MINIMA_UNROLL
    for (int n = 0; n < in_flight; ++n) add_exp_of_pack(own, loaded[n]);
  }
  for (; p < packs; p += size) add_exp_of_pack(own, load(p));
  const MaxSum<T> state = join(team, own, scratch);

  const T log_sum = math::log(state.sum);  // the maximum is subtracted first: it would absorb the logarithm
  const auto share_of = [&](std::int64_t c) { return static_cast<T>(weights.share) * weights.weight<T>(c); };
  T shared = 0, share_sum = 0;
  if (weights.share != 0) {
    for (std::int64_t c = team.rank; c < classes; c += team.size) {
      shared += share_of(c) * (state.max - static_cast<T>(row[c]));
      share_sum += share_of(c);
    }
    shared = team.all(shared, cuda::Plus(), T(0), scratch);
    share_sum = team.all(share_sum, cuda::Plus(), T(0), scratch);
  }
  const std::int64_t target = targets[team.line];
  const bool ignored = target == weights.ignore || !cuda::is_index(target, classes, fault);
  const T count = ignored ? T(0) : weights.weight<T>(target), at_target = static_cast<T>(weights.keep) * count;
  const T logit = ignored ? T(0) : static_cast<T>(row[target]);
  if (team.rank == 0) {
    losses[team.line] = ignored ? T(0) : at_target * (state.max - logit + log_sum) + (shared + share_sum * log_sum);
    counts[team.line] = count;
  }
  if (!recording) return;
  __syncthreads();  // the target's logit has been read
  const T factor = (at_target + share_sum) / state.sum;
  const auto slope = [&](T value) { return exp_for<X>(value - state.max) * factor; };
  const auto write = [&](const auto& slope_at) {
    for (p = team.rank; p < packs; p += size) {
      Pack pack = load(p);
      MINIMA_UNROLL
      for (int i = 0; i < width; ++i)
        pack.items[i] = static_cast<X>(slope_at(p * width + i, static_cast<T>(pack.items[i])));
      pad(pack, p, T(0));
      cuda::store_pack(row + p * width, pack);
    }
  };
  const auto with_share = [&](std::int64_t c, T value) { return c < classes ? slope(value) - share_of(c) : T(0); };
  if (ignored) return write([](std::int64_t, T) { return T(0); });
  if (weights.share == 0) write([&](std::int64_t, T value) { return slope(value); });
  else write(with_share);
  // By the thread that wrote its pack.
  if (team.rank == target / width % size)
    row[target] = static_cast<X>((weights.share == 0 ? slope(logit) : with_share(target, logit)) - at_target);
}

namespace functor = pointwise::functor;

namespace {

/// The width of a row of logits in memory: whole packs of 16 bytes, so that kernels and products read them as such.
std::int64_t padded(std::int64_t classes, DType dtype) {
  const auto pack = static_cast<std::int64_t>(16 / size_of(dtype));
  return (classes + pack - 1) / pack * pack;
}
/// Rows per chunk. Every chunk reads and writes the whole gradient of the weight, so there are as many rows as fit into
/// 1 GiB of logits, within bounds.
std::int64_t chunk_rows(std::int64_t row_bytes) {
  constexpr std::int64_t tile = 128, least = 2048, most = 4096;
  return std::clamp((std::int64_t{1} << 30) / std::max<std::int64_t>(1, row_bytes) / tile * tile, least, most);
}

Tensor rows_of(const Tensor& x, std::int64_t first, std::int64_t count) {
  return alias(x, x.layout().sliced(0, first, first + count, 1));
}
void fill(const Tensor& x, double value) {
  const pointwise::Operand operands[] = {{x.raw_data(), x.layout(), x.dtype()}, {x.raw_data(), x.layout(), x.dtype()}};
  const functor::Fill f{value};
  pointwise::CudaLoop<functor::Fill, 1, AllTypes, ResultType::same>::run("linear_cross_entropy", f,
                                                                         compute_dtype(x.dtype()), operands);
}

/// A product of matrices of `dtype` with a result of dtype `result`.
Gemm product(std::int64_t m, std::int64_t n, std::int64_t k, DType dtype, DType result, Device device) {
  Gemm gemm;
  gemm.m = m, gemm.n = n, gemm.k = k, gemm.ldc = n;
  gemm.dtype = dtype, gemm.c_dtype = result;
  gemm.on_cuda = true, gemm.device = device;
  return gemm;
}

}  // namespace

void linear_cross_entropy_kernel_cuda(const CrossEntropyAttributes& attributes, const Tensor& x, const Tensor& weight,
                                      const Tensor& bias, const Tensor& target, const Tensor& class_weight,
                                      Tensor& loss, const LinearCrossEntropyGradients& gradients, const Tensor& total) {
  static cuda::Fault* const fault =
      cuda::fault_place({"linear_cross_entropy: a target is ", ", but there are ", " classes"});
  const PurposeGuard purpose(Purpose::temporaries);
  const std::int64_t n = x.size(0), classes = weight.size(0), width = weight.size(1);
  const DType dtype = x.dtype(), wide = compute_dtype(dtype);
  const Device device = x.device();
  const auto make = [&](const Shape& shape, DType of) { return empty(shape, {.dtype = of, .device = device}); };
  const Matrices inputs(x), weights(weight);
  const Tensor shift = bias.defined() ? row_major(bias, dtype) : Tensor(), targets = row_major(target, DType::int64);
  const bool recording = gradients.x.defined() || gradients.weight.defined() || gradients.bias.defined();
  for (const Tensor& sum : {gradients.weight, gradients.bias})
    if (sum.defined() && n == 0) fill(sum, 0);

  const Tensor by_class = class_weight.defined() ? row_major(class_weight, class_weight.dtype()) : Tensor();
  const ClassWeights factors = class_weights(attributes, by_class, classes);
  const std::int64_t stride = padded(classes, dtype);
  const std::int64_t chunk =
      std::max<std::int64_t>(1, std::min(chunk_rows(stride * static_cast<std::int64_t>(size_of(dtype))), n));
  const Tensor logits = make({chunk, stride}, dtype), losses = make({n}, wide), counts = make({n}, wide);
  const Tensor ones = gradients.bias.defined() ? make({chunk}, dtype) : Tensor();
  if (ones.defined()) fill(ones, 1);
  for (std::int64_t first = 0; first < n; first += chunk) {
    const std::int64_t rows = std::min(chunk, n - first);
    const Matrices x_rows(rows_of(inputs.tensor(), first, rows));
    Gemm to_logits = product(rows, classes, width, dtype, dtype, device);
    to_logits.a = x_rows.operand(), to_logits.b = weights.operand(), to_logits.ldc = stride;
    to_logits.b.transposed = !to_logits.b.transposed;
    if (shift.defined()) to_logits.epilogue.bias = shift.raw_data();
    run_gemm(to_logits, x_rows.data(), weights.data(), logits.raw_data());

    dispatch<floating>(dtype, "linear_cross_entropy", [&]<class X> {
      using T = Compute<X>;
      cuda::launch("linear_cross_entropy", {dim3(static_cast<unsigned>(rows)), dim3(cuda::threads_for(classes))},
                   linear_cross_entropy_kernel<X>, logits.data<X>(), stride, classes,
                   targets.data<std::int64_t>() + first, factors, recording, losses.data<T>() + first,
                   counts.data<T>() + first, fault);
    });
    if (gradients.x.defined()) {
      Gemm to_x = product(rows, width, classes, dtype, wide, device);
      to_x.a = {stride, false}, to_x.b = weights.operand();
      run_gemm(to_x, logits.raw_data(), weights.data(), rows_of(gradients.x, first, rows).raw_data());
    }
    if (gradients.weight.defined()) {
      Gemm to_weight = product(classes, width, rows, dtype, wide, device);
      to_weight.a = {stride, true}, to_weight.b = x_rows.operand();
      to_weight.accumulate = first > 0;
      run_gemm(to_weight, logits.raw_data(), x_rows.data(), gradients.weight.raw_data());
    }
    if (gradients.bias.defined()) {
      Gemm to_bias = product(1, classes, rows, dtype, wide, device);
      to_bias.a = {rows, false}, to_bias.b = {stride, false};
      to_bias.accumulate = first > 0;
      run_gemm(to_bias, ones.raw_data(), logits.raw_data(), gradients.bias.raw_data());
    }
  }
  dispatch<full_floating>(wide, "linear_cross_entropy", [&]<class T> {
    cuda::launch("add_losses", {dim3(1), dim3(512)}, add_losses_kernel<T>, losses.data<T>(), counts.data<T>(), n,
                 attributes.reduction == Reduction::mean, loss.raw_data(), loss.dtype(),
                 total.defined() ? total.data<double>() : nullptr);
  });
}

}  // namespace minima::detail
