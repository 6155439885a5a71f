#include <minima/ops/attention/kernels.h>

#include <minima/autograd/primitives.h>
#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/cudnn/graph.h>
#include <minima/ops/cudnn/usage.h>
#include <minima/ops/product/gemm/matrices.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace minima::detail {

namespace {

/// x as [batch, heads, rows, columns], where its leading dimensions merge.
std::optional<Layout> with_four_dims(const Layout& layout) {
  const int rank = layout.rank();
  Shape shape{1, rank > 2 ? layout.shape[rank - 3] : 1, layout.shape[rank - 2], layout.shape[rank - 1]};
  for (int d = 0; d < rank - 3; ++d) shape[0] *= layout.shape[d];
  Layout four;
  return layout.try_reshape(shape, four) ? std::optional(four) : std::nullopt;
}

/// Whether rows can be read in 16-byte pieces.
bool fits_cudnn(const Tensor& x) {
  if (reinterpret_cast<std::uintptr_t>(x.raw_data()) % 16 != 0) return false;
  const Layout& layout = x.layout();
  const int last = layout.rank() - 1;
  if (layout.shape[last] != 1 && layout.strides[last] != 1) return false;
  for (int d = 0; d < last; ++d)
    if (layout.shape[d] != 1 && (layout.strides[d] <= 0 || layout.strides[d] % 8 != 0)) return false;
  return with_four_dims(layout).has_value();
}

Tensor heads_of(const Tensor& x) { return alias(x, *with_four_dims(x.layout())); }

/// Heads of x, or of a row-major copy.
Tensor readable(const Tensor& x) {
  return heads_of(fits_cudnn(x) ? x : copy_with_layout(x, Layout::contiguous(x.shape())));
}

/// The form that cuDNN expects: dimensions of size 1 have the strides they would have if they enclosed the dimensions
/// inside them.
GraphTensor described(const Tensor& x) {
  GraphTensor t = graph_tensor(x.dtype(), x.layout());
  for (int d = 3; d >= 0; --d) {
    if (t.shape[d] != 1) continue;
    t.strides[d] = 1;
    for (int inner = d + 1; inner < 4; ++inner)
      t.strides[d] = std::max(t.strides[d], t.shape[inner] * t.strides[inner]);
  }
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
    heads_ = heads_of(memory_);
  }
  const Tensor& heads() const { return heads_; }
  void store() const {
    if (target_.defined() && !memory_.is_same(target_)) copy_kernel_cuda(memory_, target_);
  }

 private:
  Tensor target_, memory_, heads_;
};

/// The mask as what cuDNN adds to the scores; repeated heads, batches and rows are not stored.
class Bias {
 public:
  explicit Bias(const Tensor& mask) {
    if (!mask.defined()) return;
    const std::optional<Layout> four = with_four_dims(mask.layout());
    Tensor seen = four ? alias(mask, *four) : heads_of(copy_with_layout(mask, Layout::contiguous(mask.shape())));
    Layout stored = seen.layout();
    for (int d = 0; d < 3; ++d)
      if (stored.strides[d] == 0) stored.shape[d] = 1;
    seen = alias(seen, stored);
    const std::int64_t row = (stored.shape[3] + 7) / 8 * 8;
    memory_ = empty({stored.shape[0], stored.shape[1], stored.shape[2], row}, {.device = mask.device()});
    write_attention_bias(seen, memory_, row);
    Layout rows = memory_.layout();
    rows.shape[3] = stored.shape[3];
    graph = described(alias(memory_, rows));
  }
  bool defined() const { return memory_.defined(); }
  void* address() const { return memory_.raw_data(); }

  GraphTensor graph;

 private:
  Tensor memory_;
};

/// Seed and offset of cuDNN's dropout, 16 bytes apart.
Tensor seeds_of(const AttentionAttributes& attributes, Device device) {
  if (attributes.dropout == 0) return {};
  const Tensor seeds = empty({4}, {.dtype = DType::int64, .device = device});
  write_seeds(attributes.start, seeds);
  return seeds;
}

void append(std::vector<void*>& addresses, const Bias& bias, const Tensor& seeds) {
  if (bias.defined()) addresses.push_back(bias.address());
  if (seeds.defined()) addresses.insert(addresses.end(), {seeds.raw_data(), seeds.data<std::int64_t>() + 2});
}

bool is_for_cudnn(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v) {
  return attributes.window == 0 && is_half(q.dtype()) && q.numel() > 0 && k.numel() > 0 && v.numel() > 0 &&
         q.size(-1) % 8 == 0 && v.size(-1) % 8 == 0;
}

/// Holds what both directions share.
AttentionGraph graph_of(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v,
                        const Tensor& o, const Bias& bias) {
  AttentionGraph graph;
  graph.q = described(q), graph.k = described(k), graph.v = described(v), graph.o = described(o);
  graph.biased = bias.defined();
  graph.bias = bias.graph;
  graph.causal = attributes.causal;
  graph.dropout = static_cast<float>(attributes.dropout);
  graph.scale = static_cast<float>(attributes.scale);
  return graph;
}

/// Its gradient, in the layouts of the inputs.
AttentionGraph gradient_of(AttentionGraph graph) {
  graph.backward = true;
  graph.stats = false;
  graph.g = graph.o, graph.dq = graph.q, graph.dk = graph.k, graph.dv = graph.v;
  graph.deterministic = is_deterministic();
  return graph;
}

}  // namespace

bool attention_by_cudnn(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v,
                        const Tensor& mask, const Tensor& y, const Tensor& log_sum) {
  const bool drops = attributes.dropout > 0;
  if (!is_for_cudnn(attributes, q, k, v) || (drops && !attributes.drawn_by_cudnn)) return false;
  const Tensor queries = readable(q), keys = readable(k), values = readable(v);
  const Result result(y, y);
  const Bias bias(mask);
  const Tensor sums =
      bias.defined() && !log_sum.defined() ? empty({q.numel() / q.size(-1)}, {.device = q.device()}) : log_sum;
  AttentionGraph graph = graph_of(attributes, queries, keys, values, result.heads(), bias);
  graph.stats = sums.defined();
  // Only cuDNN knows which weights it dropped, so it must be able to compute the gradient, too.
  if (drops && !has_plan(gradient_of(graph), q.device())) return false;
  const Tensor seeds = seeds_of(attributes, q.device());
  std::vector<void*> addresses{queries.raw_data(), keys.raw_data(), values.raw_data(), result.heads().raw_data()};
  if (graph.stats) addresses.push_back(sums.raw_data());
  append(addresses, bias, seeds);
  if (!run_graph(graph, q.device(), addresses)) return false;
  if (bias.defined()) clear_hidden_queries(sums, result.heads());
  result.store();
  if (drops) *attributes.drawn_by_cudnn = true;
  return true;
}

bool attention_gradient_by_cudnn(const AttentionAttributes& attributes, const Tensor& g, const Tensor& q,
                                 const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& y,
                                 const Tensor& log_sum, const Tensor& dq, const Tensor& dk, const Tensor& dv) {
  const bool drops = attributes.dropout > 0;
  if (!is_for_cudnn(attributes, q, k, v) || (drops && !(attributes.drawn_by_cudnn && *attributes.drawn_by_cudnn)))
    return false;
  const Tensor queries = readable(q), keys = readable(k), values = readable(v), outputs = readable(y),
               slopes = readable(g);
  const Result by_q(dq, q), by_k(dk, k), by_v(dv, v);
  const Bias bias(mask);
  const Tensor seeds = seeds_of(attributes, q.device());
  AttentionGraph graph = gradient_of(graph_of(attributes, queries, keys, values, outputs, bias));
  graph.g = described(slopes);
  graph.dq = described(by_q.heads()), graph.dk = described(by_k.heads()), graph.dv = described(by_v.heads());
  std::vector<void*> addresses{queries.raw_data(),      keys.raw_data(),         values.raw_data(),
                               outputs.raw_data(),      log_sum.raw_data(),      slopes.raw_data(),
                               by_q.heads().raw_data(), by_k.heads().raw_data(), by_v.heads().raw_data()};
  append(addresses, bias, seeds);
  if (!run_graph(graph, q.device(), addresses)) {
    if (!drops) return false;
    throw Error(str("scaled_dot_product_attention: cuDNN drew the dropout but refuses its gradient: ",
                    cudnn::usage().refusal, "; call deterministic(true) before the forward pass"));
  }
  for (const Result* result : {&by_q, &by_k, &by_v}) result->store();
  return true;
}

}  // namespace minima::detail
