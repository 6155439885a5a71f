#include <minima/onnx/operators/operators.h>

#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Operators of language models that carry a state from call to call: caches of keys and values, causal convolutions,
// linear attention.

namespace minima::onnx {

namespace states {

namespace {

/// The cache with the update from the place on that each sample names, or from the start.
Tensor updated(const Call& in) {
  const Tensor &cache = in[0], &update = in[1];
  const int axis = wrap_dim(in.i("axis", -2), cache.rank(), "TensorScatter");
  if (axis == 0 || update.rank() != cache.rank())
    throw ValueError(str("onnx: TensorScatter of ", update, " along axis ", axis, " of ", cache));
  Shape along = Shape::filled(cache.rank(), 1), samples = along;
  along[axis] = update.size(axis);
  samples[0] = cache.size(0);
  Tensor places = reshape(arange(update.size(axis), {.device = cache.device()}), along);
  if (in.has(2)) places = places + reshape(in[2].to(int64), samples);
  if (in.word("mode", {"linear", "circular"}) == "circular") places = remainder(places, cache.size(axis));
  return scatter(cache, axis, expand(places, update.shape()), update);
}

/// A convolution of each channel with what came before it: y [B, C, L] and the elements that the next call begins with.
std::vector<Tensor> convolved(const Call& in) {
  const bool is_activated = in.word("activation", {"none", "silu", "swish"}) != "none";
  const Tensor &x = in[0], &weight = in[1];
  if (x.rank() != 3 || weight.rank() != 3 || weight.size(2) < 1)
    throw ShapeError(str("onnx: CausalConvWithState takes x [B, C, L] and weight [C, 1, k], got ", x, " and ", weight));
  const std::int64_t before = weight.size(2) - 1;
  const Tensor past =
      in.has(3) ? in[3] : zeros({x.size(0), x.size(1), before}, {.dtype = x.dtype(), .device = x.device()});
  const Tensor all = cat({past, x}, 2);
  const Tensor y = conv1d(all, weight, in.has(2) ? in[2] : Tensor(), {.groups = x.size(1)});
  return {is_activated ? silu(y) : y, narrow(all, 2, all.size(2) - before, before)};
}

/// [B, T, heads · D] as [B, heads, T, D], in float32.
Tensor by_heads(const Tensor& x, std::int64_t heads) {
  if (x.rank() != 3 || heads < 1 || x.size(2) % heads != 0)
    throw ShapeError(str("onnx: LinearAttention takes [B, T, ", heads, " · D], got ", x));
  return transpose(reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads}), 1, 2).to(float32);
}

/// rows [B, H, K] times matrices [B, H, K, V].
Tensor times(const Tensor& rows, const Tensor& matrices) { return squeeze(matmul(unsqueeze(rows, -2), matrices), -2); }

/// Attention without a softmax, whose state [B, H, K, V] sums the products of keys and values: fades by exp(decay), and
/// takes beta times what the state does not yet give for a key, as the rule says (DeltaNet and its gated form).
std::vector<Tensor> attended(const Call& in) {
  const std::string rule = in.word("update_rule", {"gated_delta", "linear", "gated", "delta"});
  const bool fades = rule.starts_with("gated"), corrects = rule.ends_with("delta");
  if (in.has(4) != fades || in.has(5) != corrects)
    throw ValueError(str("onnx: LinearAttention by the rule ", rule, fades ? " needs" : " takes no", " decay and ",
                         corrects ? "needs" : "takes no", " beta"));
  in.i("chunk_size");  // the same result in any
  const std::int64_t heads = in.i("q_num_heads"), key_heads = in.i("kv_num_heads");
  if (key_heads < 1 || heads % key_heads != 0)
    throw ValueError(str("onnx: LinearAttention of ", heads, " heads for ", key_heads, " of keys"));
  const Tensor q = by_heads(in[0], heads), k = by_heads(in[1], key_heads), v = by_heads(in[2], key_heads),
               decay = fades ? exp(by_heads(in[4], key_heads)) : Tensor(),
               beta = corrects ? by_heads(in[5], in[5].size(-1)) : Tensor();
  const double given = in.f("scale"), scale = given != 0 ? given : 1 / std::sqrt(static_cast<double>(q.size(-1)));
  Tensor state =
      in.has(3) ? in[3].to(float32) : zeros({q.size(0), key_heads, k.size(-1), v.size(-1)}, {.device = q.device()});
  std::vector<Tensor> results;
  results.reserve(static_cast<std::size_t>(q.size(2)));
  for (std::int64_t t = 0; t < q.size(2); ++t) {
    const Tensor key = select(k, 2, t);
    Tensor value = select(v, 2, t);
    if (fades) state = state * unsqueeze(select(decay, 2, t), -1);
    if (corrects) value = select(beta, 2, t) * (value - times(key, state));
    state = state + unsqueeze(key, -1) * unsqueeze(value, -2);
    const Tensor seen = heads == key_heads ? state : repeat_interleave(state, heads / key_heads, 1);
    results.push_back(times(select(q, 2, t), seen) * scale);
  }
  const Tensor y = flatten(stack(results, 1), 2);
  return {y.to(in[0].dtype()), state.to(in.has(3) ? in[3].dtype() : in[0].dtype())};
}

}  // namespace

}  // namespace states

void add_states(Operators& o) {
  using namespace states;
  o["TensorScatter"] = call(updated);
  o["CausalConvWithState"] = convolved;
  o["LinearAttention"] = attended;
}

}  // namespace minima::onnx
