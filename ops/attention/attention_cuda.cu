#include <minima/ops/attention/kernels.h>
#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/product/gemm/matrices.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/attention/attention_device.cuh>
#include <minima/ops/loops/lines/lines.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <algorithm>
#include <cmath>
#include <limits>

namespace minima::detail {

namespace {

/// Whether rows are contiguous and the leading dimensions other than the heads merge into one batch dimension, of
/// stride `step`.
bool find_batch(const Layout& layout, std::int64_t& step) {
  const int rank = layout.rank();
  if (layout.shape[rank - 1] > 1 && layout.strides[rank - 1] != 1) return false;
  bool first = true;
  std::int64_t next = 0;
  step = 0;
  for (int d = rank - 4; d >= 0; --d) {
    if (layout.shape[d] == 1) continue;
    if (first) step = layout.strides[d];
    else if (layout.strides[d] != next) return false;
    next = layout.strides[d] * layout.shape[d];
    first = false;
  }
  return true;
}

/// x itself if the kernels can read it, else a row-major copy.
Tensor readable(const Tensor& x) {
  std::int64_t step;
  return find_batch(x.layout(), step) ? x : row_major_copy(x, x.dtype());
}

template <class X>
HeadRows<X> rows_of(const Tensor& x) {
  if (!x.defined()) return {nullptr, 0, 0, 0};
  const int rank = x.rank();
  HeadRows<X> rows{x.data<std::remove_const_t<X>>(), 0, rank > 2 ? x.strides()[rank - 3] : 0, x.strides()[rank - 2]};
  find_batch(x.layout(), rows.batch);
  return rows;
}

/// A result, possibly undefined: the target itself if the kernels can write it, else a temporary.
class Result {
 public:
  explicit Result(const Tensor& target) : target_(target), memory_(target) {
    std::int64_t step;
    if (target.defined() && !find_batch(target.layout(), step))
      memory_ = empty(target.shape(), {.dtype = target.dtype(), .device = target.device()});
  }
  const Tensor& memory() const { return memory_; }
  void store() const {
    if (target_.defined() && !memory_.is_same(target_)) copy_kernel_cuda(memory_, target_);
  }

 private:
  Tensor target_, memory_;
};

/// The last two dimensions may have any strides; the leading ones as above.
Tensor readable_mask(const Tensor& mask) {
  if (!mask.defined()) return mask;
  Layout leading = mask.layout();
  leading.strides[mask.rank() - 1] = 1;  // the kernels take any stride here
  std::int64_t step;
  return find_batch(leading, step) ? mask : row_major_copy(mask, mask.dtype());
}

MaskRows mask_rows(const Tensor& mask) {
  if (!mask.defined()) return {nullptr, DType::boolean, 0, 0, 0, 0};
  const int rank = mask.rank();
  Layout leading = mask.layout();
  leading.strides[rank - 1] = 1;
  MaskRows rows{
      mask.raw_data(),         mask.dtype(), 0, rank > 2 ? mask.strides()[rank - 3] : 0, mask.strides()[rank - 2],
      mask.strides()[rank - 1]};
  find_batch(leading, rows.batch);
  return rows;
}

/// The score of keys that a query may not see, for cuDNN.
constexpr float hidden_score = -1e30f;

/// Lower masks count as this in half types, where the gradient has only the logarithm of a row's sum: it would lose the
/// number of keys in a row that the mask's lowest number hides throughout.
constexpr float least_half_mask = -0x1p16f;

template <class T>
AttentionCall<T> call_of(const AttentionAttributes& a, const Tensor& q, const Tensor& k, const Tensor& v,
                         const Tensor& mask, const Tensor& bounds) {
  AttentionCall<T> call{};
  call.batch = call.heads = call.key_heads = 1;
  for (int d = 0; d < q.rank() - 3; ++d) call.batch *= q.shape()[d];
  if (q.rank() > 2) call.heads = q.size(-3), call.key_heads = k.size(-3);
  call.queries = q.size(-2), call.keys = k.size(-2), call.width = q.size(-1), call.value_width = v.size(-1);
  call.causal = a.causal;
  const std::int64_t longest = std::max(call.queries, call.keys);
  call.window = a.window > 0 ? std::min(a.window, longest) : longest;
  call.scale = static_cast<T>(a.scale);
  call.bounds = bounds.defined() ? bounds.data<std::int32_t>() : nullptr;
  call.mask = mask_rows(mask);
  call.least_mask = static_cast<T>(size_of(q.dtype()) < 4 ? least_half_mask : -std::numeric_limits<double>::infinity());
  call.drops = a.dropout > 0;
  call.start = a.start;
  call.threshold = static_cast<std::uint32_t>(std::ceil((1 - a.dropout) * 0x1p24));
  call.kept = static_cast<T>(1 / (1 - a.dropout));
  return call;
}

std::int64_t parts_of(std::int64_t size, std::int64_t part) { return (size + part - 1) / part; }
cuda::Grid grid_of(std::int64_t blocks) {
  return {cuda::blocks_of(blocks, "scaled_dot_product_attention"), dim3(attention_threads)};
}

__global__ void attention_bias_kernel(const MaskRows mask, std::int64_t heads, std::int64_t queries, std::int64_t keys,
                                      std::int64_t row, std::int64_t count, float* bias) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    const std::int64_t key = i % row, query = i / row % queries, h = i / row / queries % heads;
    const std::int64_t at =
        i / row / queries / heads * mask.batch + h * mask.head + query * mask.row + key * mask.column;
    float value = 0;
    constexpr float hidden = -math::cpu::Format<float>::infinity;
    if (key >= keys) value = hidden;
    else if (mask.dtype == DType::boolean) value = static_cast<const bool*>(mask.data)[at] ? 0 : hidden;
    else value = cuda::load_as<float>(mask.data, at, mask.dtype);
    bias[i] = value == hidden ? hidden_score : value < least_half_mask ? least_half_mask : value;
  }
}

/// cuDNN's attention takes no other dtypes.
struct HalfTypes {
  static constexpr bool has(DType d) { return d == DType::float16 || d == DType::bfloat16; }
};

/// A warp for each query.
template <class X>
__global__ void clear_hidden_queries_kernel(std::int64_t heads, std::int64_t queries, std::int64_t columns,
                                            std::int64_t count, float* log_sum, HeadRows<X> y) {
  const std::int64_t i = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / cuda::warp;
  if (i >= count || log_sum[i] > hidden_score / 2) return;
  const int lane = static_cast<int>(threadIdx.x) % cuda::warp;
  X* const to = y.at(i / queries / heads, i / queries % heads, i % queries);
  for (std::int64_t column = lane; column < columns; column += cuda::warp) to[column] = static_cast<X>(0.0f);
  __syncwarp();
  if (lane == 0) log_sum[i] = math::cpu::Format<float>::infinity;
}

/// A thread for each position, which looks for the two ends of its run.
__global__ void segment_bounds_kernel(const std::int64_t* segments, std::int64_t length, std::int64_t count,
                                      std::int32_t* bounds, cuda::Fault* fault) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const std::int64_t* const row = segments + i / length * length;
  const std::int64_t place = i % length, number = row[place];
  if (place > 0 && row[place - 1] > number) cuda::is_index(number - row[place - 1], place, fault);  // records it
  std::int64_t first = 0, end = place;  // the first position of the number lies in [first, end]
  while (first < end) {
    const std::int64_t middle = (first + end) / 2;
    if (row[middle] < number) first = middle + 1;
    else end = middle;
  }
  bounds[2 * i] = static_cast<std::int32_t>(first);
  for (first = place + 1, end = length; first < end;) {
    const std::int64_t middle = (first + end) / 2;
    if (row[middle] <= number) first = middle + 1;
    else end = middle;
  }
  bounds[2 * i + 1] = static_cast<std::int32_t>(first);
}

__global__ void write_seeds_kernel(const PhiloxState start, std::int64_t* seeds) {
  seeds[0] = static_cast<std::int64_t>(start.seed);
  seeds[2] = static_cast<std::int64_t>(start.position());
}

}  // namespace

void write_attention_bias(const Tensor& mask, const Tensor& bias, std::int64_t row) {
  const std::int64_t count = bias.numel();
  cuda::launch("attention_bias", cuda::grid_for(count), attention_bias_kernel, mask_rows(mask), mask.size(1),
               mask.size(2), mask.size(3), row, count, bias.data<float>());
}

void clear_hidden_queries(const Tensor& log_sum, const Tensor& y) {
  const std::int64_t count = log_sum.numel();
  dispatch<HalfTypes{}>(y.dtype(), "scaled_dot_product_attention", [&]<class X> {
    cuda::launch("clear_hidden_queries", cuda::grid_for(count * cuda::warp), clear_hidden_queries_kernel<X>, y.size(1),
                 y.size(2), y.size(3), count, log_sum.data<float>(), rows_of<X>(y));
  });
}

void segment_bounds_cuda(const Tensor& segments, Tensor& bounds) {
  static cuda::Fault* const fault =
      cuda::fault_place({"scaled_dot_product_attention: segments must not descend, but a number changes by ",
                         " at position ", " of its row; number a row's documents in their order"});
  const std::int64_t count = segments.numel();
  if (count == 0) return;
  cuda::launch("segment_bounds", cuda::grid_for(count), segment_bounds_kernel, segments.data<std::int64_t>(),
               segments.size(1), count, bounds.data<std::int32_t>(), fault);
}

void write_seeds(const PhiloxState& start, const Tensor& seeds) {
  cuda::launch("attention_seeds", {dim3(1), dim3(1)}, write_seeds_kernel, start, seeds.data<std::int64_t>());
}

void attention_kernel_cuda(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v,
                           const Tensor& mask, const Tensor& bounds, const Tensor& y, const Tensor& levels) {
  if (!bounds.defined() && attention_by_cudnn(attributes, q, k, v, mask, y, levels)) return;
  const Tensor queries = readable(q), keys = readable(k), values = readable(v), seen = readable_mask(mask);
  const Result result(y);
  dispatch<floating>(q.dtype(), "scaled_dot_product_attention", [&]<class X> {
    using T = cuda::Compute<X>;
    const AttentionCall<T> call = call_of<T>(attributes, q, k, v, seen, bounds);
    const std::int64_t parts = call.value_width == 0 ? 1 : parts_of(call.value_width, attention_columns);
    cuda::launch("attention", grid_of(call.batch * call.heads * parts_of(call.queries, attention_queries) * parts),
                 attention_kernel<T, X>, call, rows_of<const X>(queries), rows_of<const X>(keys),
                 rows_of<const X>(values), rows_of<X>(result.memory()), levels.defined() ? levels.data<T>() : nullptr);
  });
  result.store();
}

void attention_gradient_kernel_cuda(const AttentionAttributes& attributes, const Tensor& g, const Tensor& q,
                                    const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& bounds,
                                    const Tensor& y, const Tensor& levels, const Tensor& dq, const Tensor& dk,
                                    const Tensor& dv) {
  if (!bounds.defined() && attention_gradient_by_cudnn(attributes, g, q, k, v, mask, y, levels, dq, dk, dv)) return;
  const Tensor queries = readable(q), keys = readable(k), values = readable(v), outputs = readable(y),
               slopes = readable(g);
  const Tensor seen = readable_mask(mask);
  const Result by_q(dq), by_k(dk), by_v(dv);
  dispatch<floating>(q.dtype(), "scaled_dot_product_attention", [&]<class X> {
    using T = cuda::Compute<X>;
    const AttentionCall<T> call = call_of<T>(attributes, q, k, v, seen, bounds);
    const std::int64_t heads = call.batch * call.heads;
    const Tensor dots = empty({heads * call.queries}, {.dtype = dtype_of<T>, .device = q.device()});
    cuda::launch("attention_dots", cuda::grid_for(heads * call.queries * cuda::warp, attention_threads),
                 attention_dots_kernel<T, X>, call, rows_of<const X>(slopes), rows_of<const X>(outputs),
                 dots.data<T>());
    const AttentionSlopes<T, X> in{call,
                                   rows_of<const X>(queries),
                                   rows_of<const X>(keys),
                                   rows_of<const X>(values),
                                   rows_of<const X>(slopes),
                                   levels.data<T>(),
                                   dots.data<T>()};
    if (dq.defined())
      cuda::launch("attention_query_gradient",
                   grid_of(heads * parts_of(call.queries, attention_queries) * parts_of(call.width, attention_columns)),
                   attention_query_gradient_kernel<T, X>, in, rows_of<X>(by_q.memory()));
    if (dk.defined() || dv.defined())
      cuda::launch("attention_key_gradient",
                   grid_of(call.batch * call.key_heads * parts_of(call.keys, attention_keys) *
                           parts_of(std::max(call.width, call.value_width), attention_columns)),
                   attention_key_gradient_kernel<T, X>, in, rows_of<X>(by_k.memory()), rows_of<X>(by_v.memory()));
  });
  for (const Result* result : {&by_q, &by_k, &by_v}) result->store();
}

}  // namespace minima::detail
