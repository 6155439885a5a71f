#include <core/bridge.h>

namespace at::bridge {

namespace m = minima;

MT kept(const MT& x, const MT& of, bool keep_dim) { return keep_dim ? m::reshape(x, Shape::filled(of.rank(), 1)) : x; }

MT norm_except_dim(const MT& v, std::int64_t p, std::int64_t dim) {
  if (dim == -1) return m::norm(v, static_cast<double>(p));
  Shape others;
  for (int d = 0; d < v.rank(); ++d)
    if (d != dim) others.push_back(d);
  return m::norm(v, static_cast<double>(p), others, true);
}

minima::SlopeOptions slope(const Shape& dims, std::optional<Number> spacing, std::int64_t edge_order) {
  m::SlopeOptions options{.dims = dims, .edge_order = static_cast<int>(edge_order)};
  if (spacing) options.spacing = {spacing->to<double>()};
  return options;
}

minima::SlopeOptions slope(const Shape& dims, ArrayRef<Scalar> spacing, std::int64_t edge_order) {
  m::SlopeOptions options{.dims = dims, .edge_order = static_cast<int>(edge_order)};
  for (const Scalar& distance : spacing) options.spacing.push_back(distance.toDouble());
  return options;
}

MT quantile(const MT& x, const MT& q, std::optional<std::int64_t> dim, bool keep_dim, std::string_view mode,
            bool ignore_nan) {
  constexpr std::string_view modes[] = {"linear", "lower", "higher", "midpoint", "nearest"};
  const auto* const found = std::find(std::begin(modes), std::end(modes), mode);
  TORCH_CHECK(found != std::end(modes),
              "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got ", mode);
  const m::QuantileOptions options{.keep_dim = keep_dim && dim, .mode = static_cast<m::QuantileMode>(found - modes)};
  const MT line = dim ? x : m::reshape(x, -1);
  const std::vector<double> at = m::reshape(q, -1).to_vector<double>();
  MT y =
      ignore_nan ? m::nanquantile(line, at, dim.value_or(0), options) : m::quantile(line, at, dim.value_or(0), options);
  if (q.rank() == 0) y = m::select(y, 0, 0);
  if (!keep_dim || dim) return y;
  Shape shape = q.rank() == 0 ? Shape() : Shape(q.numel());
  for (int d = 0; d < x.rank(); ++d) shape.push_back(1);
  return m::reshape(y, shape);
}

MT searchsorted(const MT& sorted, const MT& values, bool out_int32, bool right, std::optional<std::string_view> side,
                const MT& sorter) {
  TORCH_CHECK(!side || *side == "left" || *side == "right",
              "torch.searchsorted(): side can only be 'left' or 'right' but got ", side.value_or(""));
  TORCH_CHECK(!side || !right || *side == "right",
              "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True");
  const MT ordered = sorter.defined() ? m::gather(sorted, -1, sorter) : sorted;
  const bool is_line = ordered.rank() == 1;
  const MT found = is_line ? m::bucketize(values, ordered, right || side == "right")
                           : m::searchsorted(ordered, values, right || side == "right");
  return out_int32 ? found.to(m::int32) : found;
}

namespace {
MT wanted(const MT& x, bool is_wanted) {
  return is_wanted ? x : m::empty(0, {.dtype = m::int64, .device = x.device()});
}
}  // namespace

std::tuple<Tensor, Tensor, Tensor> unique(const minima::Unique& found, bool inverse, bool counts) {
  return {found.values, wanted(found.inverse, inverse), wanted(found.counts, counts)};
}
std::tuple<Tensor, Tensor> first_two(const minima::Unique& found, bool inverse) {
  return {found.values, wanted(found.inverse, inverse)};
}

}  // namespace at::bridge
