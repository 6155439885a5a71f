#include <minima/ops/attention/attention.h>
#include <minima/tensor/settings.h>

#include <minima/ops/attention/kernels.h>
#include <minima/ops/attention/segments.h>
#include <minima/ops/core/reported.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/dropout/dropout_kernels.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/parts.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/layout/checked.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/random/philox_state.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

namespace minima {

namespace {

Shape leading(const Tensor& x, int kept) {
  Shape shape = x.shape();
  shape.resize(x.rank() - kept);
  return shape;
}

/// The same formula with the weights stored, for the mask's gradient and gradients of gradients.
class StoredWeights {
 public:
  StoredWeights(const detail::AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& mask,
                const Tensor& bounds)
      : attributes_(attributes), q_(q), k_(k), mask_(mask), bounds_(bounds) {
    if (q.rank() > 2) group_ = k.size(-3) == 0 ? 1 : q.size(-3) / k.size(-3);
  }

  /// [..., heads, rows, columns] → [..., key heads, group, rows, columns]
  Tensor by_group(const Tensor& x) const {
    if (x.rank() < 3) return unsqueeze(x, 0);
    Shape shape = leading(x, 3);
    shape.push_back(x.size(-3) / group_), shape.push_back(group_), shape.push_back(x.size(-2)),
        shape.push_back(x.size(-1));
    return reshape(x, shape);
  }
  /// [..., key heads, rows, columns] → [..., key heads, 1, rows, columns]
  Tensor for_group(const Tensor& x) const { return unsqueeze(x, x.rank() - 2); }

  Tensor softmax() const {
    Tensor scores = matmul(by_group(q_), transpose(for_group(k_), -1, -2)) * attributes_.scale;
    const double infinity = std::numeric_limits<double>::infinity();
    if (mask_.defined()) {
      const Tensor mask = by_group(mask_);
      scores = mask.dtype() == boolean
                   ? where(mask, scores, full({}, -infinity, {.dtype = scores.dtype(), .device = scores.device()}))
                   : scores + mask.to(scores.dtype());
    }
    if (attributes_.causal || attributes_.window > 0 || bounds_.defined()) {
      const Tensor query = unsqueeze(arange(scores.size(-2)), 1).to(scores.device());
      const Tensor key = arange(scores.size(-1)).to(scores.device());
      const auto keep = [&](const Tensor& seen) {
        scores = where(seen, scores, full({}, -infinity, {.dtype = scores.dtype(), .device = scores.device()}));
      };
      if (attributes_.causal) keep(key <= query);
      if (attributes_.window > 0) keep(abs(key - query) < Scalar(attributes_.window));
      if (bounds_.defined()) {
        Shape shape = q_.rank() > 2 ? leading(q_, 3) : Shape{};  // [..., key heads, group, L, 1]
        shape.push_back(1);
        if (q_.rank() > 2) shape.push_back(1);
        shape.push_back(q_.size(-2)), shape.push_back(1);
        const Tensor bounds = bounds_.to(int64);
        keep(reshape(select(bounds, -1, 0), shape) <= key);
        keep(key < reshape(select(bounds, -1, 1), shape));
      }
    }
    // A row of -inf gives zeros, not NaN.
    if (scores.numel() == 0) return scores;
    Tensor largest = amax(scores.detach(), {-1}, true);
    largest = where(largest == Scalar(-infinity), zeros_like(largest), largest);
    const Tensor weights = exp(scores - largest);
    const Tensor total = sum(weights, {-1}, true);
    return weights / where(total == Scalar(0), ones_like(total), total);
  }

  /// Applies dropout to [..., key heads, group, L, S].
  Tensor dropped(const Tensor& weights) const {
    if (attributes_.dropout == 0) return weights;
    return detail::dropout_from(weights, attributes_.dropout, attributes_.start);
  }

 private:
  const detail::AttentionAttributes& attributes_;
  Tensor q_, k_, mask_, bounds_;
  std::int64_t group_ = 1;
};

/// Room for the gradients of q, k and v, which become the parts of one tensor if q, k and v are: then split's gradient
/// has nothing to copy. Undefined if they are not.
Gradients<4> gradients_of_one_tensor(const Tensor& q, const Tensor& k, const Tensor& v) {
  const Tensor parts[] = {q, k, v};
  for (int d = 0; d < q.rank(); ++d) {
    const std::optional<Layout> whole = detail::joined(parts, d);
    if (!whole || Layout::dense_like(*whole).strides != whole->strides || whole->strides.back() != 1) continue;
    const Tensor g = detail::allocate({Layout::dense_like(*whole), q.dtype(), q.device()});
    Gradients<4> result;
    std::int64_t start = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t stop = start + parts[i].shape()[d];
      result[i] = Tensor(new TensorImpl(g.impl()->storage, g.layout().sliced(d, start, stop, 1), g.dtype()));
      start = stop;
    }
    return result;
  }
  return {};
}

struct Attention {
  static constexpr Traits traits{
      .name = "scaled_dot_product_attention", .autocast = Cast::to_lower, .hidden = 1, .optional = 0b11000};
  detail::AttentionAttributes attributes;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integer("causal", attributes.causal);
    visitor.integer("window", attributes.window);
    visitor.number("scale", attributes.scale);
    visitor.number("dropout", attributes.dropout);
  }

  /// Computed in both directions, so that only the segments are kept, which all layers share.
  static Tensor bounds_of(const Tensor& segments) {
    return segments.defined() ? detail::segment_bounds(traits.name, segments) : segments;
  }

  std::array<TensorSpec, 2> result(const Tensor& q, const Tensor&, const Tensor& v, const Tensor&,
                                   const Tensor&) const {
    const std::int64_t queries = q.size(-1) == 0 ? numel(leading(q, 1)) : q.numel() / q.size(-1);
    const bool pairs = q.device().is_cpu() || size_of(q.dtype()) >= 4;
    return {spec_with_columns(q, v.size(-1)), spec_of({detail::checked_numel({pairs ? 2 : 1, queries}, traits.name)},
                                                      detail::compute_dtype(q.dtype()), q.device())};
  }
  /// Two products; about half of each where only half of the keys are visible.
  Cost cost(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor&, const Tensor& segments) const {
    double seen = detail::keys_in_sight(segments, k.size(-2)) * (attributes.causal ? 0.5 : 1);
    if (attributes.window > 0)
      seen = std::min(seen, static_cast<double>(attributes.window) * (attributes.causal ? 1 : 2));
    const double pairs = static_cast<double>(numel(leading(q, 1))) * seen;
    const double size = static_cast<double>(q.itemsize());
    return {.flops = pairs * std::max(1.0, 2 * (static_cast<double>(q.size(-1)) + static_cast<double>(v.size(-1)))),
            .bytes = size * (2 * static_cast<double>(q.numel()) + static_cast<double>(k.numel()) +
                             static_cast<double>(v.numel()))};
  }
  void cpu(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& segments, Tensor& y,
           Tensor& levels) const {
    detail::attention_kernel_cpu(attributes, q, k, v, mask, bounds_of(segments), y, levels);
  }
  void cuda(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& segments, Tensor& y,
            Tensor& levels) const {
    detail::attention_kernel_cuda(attributes, q, k, v, mask, bounds_of(segments), y, levels);
  }

  /// Half types are computed in float32, as the kernels do: a score that is added to a mask needs its precision.
  Gradients<4> gradient(Grad half_g, Input<0> half_q, Input<1> half_k, Input<2> half_v, Input<3> mask,
                        Input<4> segments, Needs needs) const {
    const DType dtype = detail::compute_dtype(half_q.dtype());
    const detail::WithoutAutocast inside;
    const Tensor g = half_g.to(dtype), q = half_q.to(dtype), k = half_k.to(dtype), v = half_v.to(dtype);
    Gradients<4> result = wide_gradient(g, q, k, v, mask, bounds_of(segments), needs);
    for (std::size_t i = 0; i < 3; ++i)
      if (result[i].defined()) result[i] = result[i].to(half_q.dtype());
    if (result[3].defined()) result[3] = result[3].to(mask.dtype());
    return result;
  }
  Gradients<4> wide_gradient(const Tensor& g, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                             const Tensor& bounds, const Needs& needs) const {
    if (attributes.drawn_by_cudnn && *attributes.drawn_by_cudnn)
      throw Error(str(traits.name,
                      ": a graph of the gradient cannot repeat the dropout that cuDNN drew; call deterministic(true) "
                      "before the forward pass"));
    const StoredWeights stored(attributes, q, k, mask, bounds);
    const Tensor p = stored.softmax(), grouped_g = stored.by_group(g);
    const auto over_group = [](const Tensor& x, const Tensor& like) {
      return reshape(sum(x, {x.rank() - 3}), like.shape());
    };
    Gradients<4> result;
    if (needs[2]) result[2] = over_group(matmul(transpose(stored.dropped(p), -1, -2), grouped_g), v);
    if (!needs[0] && !needs[1] && !needs[3]) return result;
    const Tensor slope = stored.dropped(matmul(grouped_g, transpose(stored.for_group(v), -1, -2)));
    const Tensor scores = p * (slope - sum(slope * p, {-1}, true));
    if (needs[0]) result[0] = reshape(matmul(scores, stored.for_group(k)) * attributes.scale, q.shape());
    if (needs[1]) result[1] = over_group(matmul(transpose(scores, -1, -2), stored.by_group(q)) * attributes.scale, k);
    if (needs[3]) result[3] = reshape(scores, mask.shape());
    return result;
  }

  Gradients<4> fast_gradient(Grad g, Input<0> q, Input<1> k, Input<2> v, Input<3> mask, Input<4> segments, Output y,
                             Hidden<0> levels, Needs needs) const {
    if (needs[3]) return gradient(g, q, k, v, mask, segments, needs);
    const auto like = [](bool wanted, const Tensor& x) {
      return wanted ? detail::allocate(spec_with_columns(x, x.size(-1))) : Tensor();
    };
    const Cost forward = cost(q, k, v, mask, segments);
    const Tensor bounds = bounds_of(segments);
    const detail::Reported reported("attention_gradient", {.flops = 2.5 * forward.flops, .bytes = 2 * forward.bytes});
    Gradients<4> result;
    if (needs[0] && needs[1] && needs[2]) result = gradients_of_one_tensor(q, k, v);
    if (!result[0].defined()) result = {like(needs[0], q), like(needs[1], k), like(needs[2], v), Tensor()};
    if constexpr (detail::has_cuda_kernels) {
      if (detail::on_cuda(q)) {
        detail::attention_gradient_kernel_cuda(attributes, g, q, k, v, mask, bounds, y, levels, result[0], result[1],
                                               result[2]);
        return result;
      }
    }
    detail::attention_gradient_kernel_cpu(attributes, g, q, k, v, mask, bounds, y, levels, result[0], result[1],
                                          result[2]);
    return result;
  }
};

void check(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options) {
  for (const Tensor* x : {&q, &k, &v})
    if (!x->defined())
      throw ValueError(str(Attention::traits.name, ": argument ", x == &q ? 0 : x == &k ? 1 : 2, " is undefined"));
  const auto shapes = [&] { return str("q ", q, ", k ", k, ", v ", v); };
  if (!is_floating(q.dtype()) || k.dtype() != q.dtype() || v.dtype() != q.dtype())
    throw DTypeError(str(Attention::traits.name, ": needs one floating dtype; ", shapes(), "; convert them with to()"));
  if (q.rank() < 2 || k.rank() != q.rank() || v.rank() != q.rank())
    throw ShapeError(str(Attention::traits.name,
                         ": q [..., L, E], k [..., S, E] and v [..., S, Ev] must have the same rank, at least 2; ",
                         shapes()));
  if (k.size(-1) != q.size(-1))
    throw ShapeError(str(Attention::traits.name, ": q and k must have the same width E; ", shapes()));
  if (v.size(-2) != k.size(-2))
    throw ShapeError(str(Attention::traits.name, ": k and v must have the same length S; ", shapes()));
  const int batch_dims = options.grouped && q.rank() > 2 ? 3 : 2;
  if (leading(k, 2) != leading(v, 2) || leading(k, batch_dims) != leading(q, batch_dims))
    throw ShapeError(str(Attention::traits.name, ": leading dimensions differ: ", shapes(),
                         options.grouped ? "" : "; fewer heads in k and v need {.grouped = true}"));
  if (batch_dims == 3 && (k.size(-3) == 0 ? q.size(-3) != 0 : q.size(-3) % k.size(-3) != 0))
    throw ShapeError(
        str(Attention::traits.name, ": the heads of k, ", k.size(-3), ", must divide those of q, ", q.size(-3)));
  if (options.window < 0)
    throw ValueError(str(Attention::traits.name, ": window must be positive, or 0 for none, got ", options.window));
  if (!(options.dropout >= 0 && options.dropout < 1))
    throw ValueError(str(Attention::traits.name, ": dropout must be at least 0 and below 1, got ", options.dropout));
  if (options.scale) detail::check_number(Attention::traits.name, "scale", *options.scale, detail::finite);
}

/// The mask broadcast to [..., L, S], as a view.
Tensor full_mask(const Tensor& q, const Tensor& k, const Tensor& mask) {
  if (!mask.defined()) return mask;
  if (mask.dtype() != boolean && !is_floating(mask.dtype()))
    throw DTypeError(str(Attention::traits.name, ": the mask must be bool or floating, got ", mask));
  Shape scores = q.shape();
  scores[q.rank() - 1] = k.size(-2);
  bool fits = mask.rank() <= q.rank();
  for (int i = 1; fits && i <= mask.rank(); ++i) {
    const std::int64_t size = mask.shape()[mask.rank() - i];
    fits = size == 1 || size == scores[q.rank() - i];
  }
  if (!fits) throw ShapeError(str(Attention::traits.name, ": the mask must broadcast to ", scores, ", got ", mask));
  return expand(mask, scores);
}

/// The segments broadcast to [..., L], as a view.
Tensor full_segments(const Tensor& q, const Tensor& k, const Tensor& segments) {
  if (!segments.defined()) return segments;
  constexpr const char* name = Attention::traits.name;
  if (q.size(-2) != k.size(-2))
    throw ShapeError(str(name, ": segments need as many keys as queries, got q ", q, " and k ", k,
                         "; with cached keys, attend to one document at a time"));
  Shape rows = q.rank() > 2 ? leading(q, 3) : Shape{};
  rows.push_back(q.size(-2));
  bool fits = segments.rank() <= rows.rank() && segments.rank() > 0;
  for (int i = 1; fits && i <= segments.rank(); ++i) {
    const std::int64_t size = segments.shape()[segments.rank() - i];
    fits = size == rows[rows.rank() - i] || (size == 1 && i > 1);
  }
  if (!fits)
    throw ShapeError(str(name, ": segments must be ", rows, " or broadcast to it, got ", segments, "; q is ", q));
  detail::check_segments(name, segments);
  return expand(segments, rows);
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const AttentionOptions& options) {
  constexpr Cast policy = Attention::traits.autocast;
  const Tensor q = detail::autocast(policy, query), k = detail::autocast(policy, key),
               v = detail::autocast(policy, value);
  check(q, k, v, options);
  const Tensor mask = full_mask(q, k, detail::autocast(policy, options.mask));
  const double scale = options.scale    ? *options.scale
                       : q.size(-1) > 0 ? 1 / std::sqrt(static_cast<double>(q.size(-1)))
                                        : 1;
  detail::AttentionAttributes attributes{options.causal, options.window, scale, options.dropout, {}, {}};
  if (options.dropout > 0) {
    RandomGenerator& source = options.generator ? *options.generator : default_generator();
    const auto weights = static_cast<std::uint64_t>(
        detail::fit(detail::Wide{numel(leading(q, 1))} * k.size(-2), Attention::traits.name));
    attributes.start = reserve_philox(source, (weights + 3) / 4, q.device());
    // The gradient of a mask stores the weights, and must drop the same.
    if (detail::on_cuda(q) && !is_deterministic() && !(mask.defined() && mask.requires_grad()))
      attributes.drawn_by_cudnn = std::make_shared<bool>(false);
  }
  return apply(Attention{attributes}, q, k, v, mask, full_segments(q, k, options.segments));
}

}  // namespace minima
