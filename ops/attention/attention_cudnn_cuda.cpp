#include <minima/ops/attention/attention_cudnn.h>

#include <minima/autograd/primitives.h>
#include <minima/ops/attention/attention_kernels.h>
#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/cudnn/graph.h>
#include <minima/ops/cudnn/plans.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::detail {

namespace {

/// Whether rows can be read in 16-byte pieces.
bool fits_cudnn(const Tensor& x) {
  if (reinterpret_cast<std::uintptr_t>(x.raw_data()) % 16 != 0) return false;
  const Layout& layout = x.layout();
  if (layout.shape[3] != 1 && layout.strides[3] != 1) return false;
  for (int d = 0; d < 3; ++d)
    if (layout.shape[d] != 1 && (layout.strides[d] <= 0 || layout.strides[d] % 8 != 0)) return false;
  return true;
}

/// x, or a row-major copy.
Tensor readable(const Tensor& x) { return fits_cudnn(x) ? x : copy_with_layout(x, Layout::contiguous(x.shape())); }

/// The form that cuDNN expects: dimensions of size 1 have the strides they would have if the dimensions inside them
/// were dense.
GraphTensor heads_of(const Tensor& x) {
  GraphTensor t = graph_tensor(x.dtype(), x.layout());
  for (std::size_t d = 4; d-- > 0;)
    if (t.shape[d] == 1) t.strides[d] = d == 3 ? 1 : t.shape[d + 1] * t.strides[d + 1];
  return t;
}

/// A result: the target itself, or scratch memory that `store` copies into it. cuDNN writes unwanted (undefined)
/// results too.
class Result {
 public:
  Result(const Tensor& target, const Tensor& like) : target_(target) {
    memory_ = target.defined() && fits_cudnn(target)
                  ? target
                  : empty(like.shape(), {.dtype = like.dtype(), .device = like.device()});
  }
  const Tensor& memory() const { return memory_; }
  void store() const {
    if (target_.defined() && !memory_.is_same(target_)) copy_kernel_cuda(memory_, target_);
  }

 private:
  Tensor target_, memory_;
};

bool is_for_cudnn(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v) {
  return is_half(q.dtype()) && q.rank() == 4 && attributes.dropout == 0 && q.numel() > 0 && k.numel() > 0 &&
         v.numel() > 0 && q.size(-1) % 8 == 0 && v.size(-1) % 8 == 0;
}

}  // namespace

bool attention_by_cudnn(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v,
                        const Tensor& y, const Tensor& log_sum) {
  if (!is_for_cudnn(attributes, q, k, v)) return false;
  const Tensor queries = readable(q), keys = readable(k), values = readable(v);
  const Result result(y, y);
  AttentionGraph graph{.q = heads_of(queries),
                       .k = heads_of(keys),
                       .v = heads_of(values),
                       .o = heads_of(result.memory()),
                       .g = {},
                       .dq = {},
                       .dk = {},
                       .dv = {},
                       .stats = log_sum.defined(),
                       .causal = attributes.causal,
                       .scale = static_cast<float>(attributes.scale)};
  std::vector<void*> addresses{queries.raw_data(), keys.raw_data(), values.raw_data(), result.memory().raw_data()};
  if (graph.stats) addresses.push_back(log_sum.raw_data());
  if (!run_graph(graph, q.device(), addresses)) return false;
  result.store();
  return true;
}

bool attention_gradient_by_cudnn(const AttentionAttributes& attributes, const Tensor& g, const Tensor& q,
                                 const Tensor& k, const Tensor& v, const Tensor& y, const Tensor& log_sum,
                                 const Tensor& dq, const Tensor& dk, const Tensor& dv) {
  if (!is_for_cudnn(attributes, q, k, v)) return false;
  const Tensor queries = readable(q), keys = readable(k), values = readable(v), outputs = readable(y),
               slopes = readable(g);
  const Result by_q(dq, q), by_k(dk, k), by_v(dv, v);
  const AttentionGraph graph{.backward = true,
                             .q = heads_of(queries),
                             .k = heads_of(keys),
                             .v = heads_of(values),
                             .o = heads_of(outputs),
                             .g = heads_of(slopes),
                             .dq = heads_of(by_q.memory()),
                             .dk = heads_of(by_k.memory()),
                             .dv = heads_of(by_v.memory()),
                             .causal = attributes.causal,
                             .scale = static_cast<float>(attributes.scale),
                             .deterministic = is_deterministic()};
  if (!run_graph(graph, q.device(),
                 {queries.raw_data(), keys.raw_data(), values.raw_data(), outputs.raw_data(), log_sum.raw_data(),
                  slopes.raw_data(), by_q.memory().raw_data(), by_k.memory().raw_data(), by_v.memory().raw_data()}))
    return false;
  for (const Result* result : {&by_q, &by_k, &by_v}) result->store();
  return true;
}

}  // namespace minima::detail
