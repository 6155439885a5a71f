#include <minima/onnx/operators/operators.h>

#include <minima/ops/linalg/measures.h>
#include <minima/ops/ops.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <vector>

namespace minima::onnx {

namespace reductions {

namespace {

/// f(x, dims, keep) with the dims of an input or attribute; all if there are none, unless that means nothing.
template <class F>
Implementation reduction(F f) {
  return [f](const Call& in) {
    const std::vector<std::int64_t> axes = in.list(1, "axes");
    const bool keep = in.i("keepdims", 1) != 0, nothing = in.i("noop_with_empty_axes") != 0;
    if (axes.empty() && nothing) return std::vector<Tensor>{in[0]};
    return std::vector<Tensor>{f(in[0], shape_of(axes), keep)};
  };
}

template <class F>
Implementation index_of(F f) {
  return [f](const Call& in) {
    const std::int64_t axis = in.i("axis");
    const bool keep = in.i("keepdims", 1) != 0, last = in.i("select_last_index") != 0;
    const Tensor place = f(last ? flip(in[0], {axis}) : in[0], axis, keep);
    return std::vector<Tensor>{last ? in[0].size(axis) - 1 - place : place};
  };
}

/// f(x, axis), from the end if asked for; exclusive ones begin with `start` and leave out the last element.
Tensor cumulated(const Call& in, Tensor (*f)(const Tensor&, std::int64_t), std::int64_t start) {
  const std::int64_t axis = in[1].item<std::int64_t>();
  const bool reverse = in.i("reverse") != 0;
  Tensor x = reverse ? flip(in[0], {axis}) : in[0];
  if (in.i("exclusive") != 0)
    x = cat({zeros_like(narrow(x, axis, 0, 1)) + start, narrow(x, axis, 0, x.size(axis) - 1)}, axis);
  const Tensor y = f(x, axis).to(x.dtype());
  return reverse ? flip(y, {axis}) : y;
}

}  // namespace

}  // namespace reductions

void add_reductions(Operators& o) {
  using namespace reductions;
  using T = const Tensor&;
  using S = const Shape&;
  o["ReduceSum"] = reduction([](T x, S dims, bool keep) { return sum(x, dims, keep).to(x.dtype()); });
  o["ReduceMean"] = reduction([](T x, S dims, bool keep) { return mean(x, dims, keep); });
  o["ReduceMax"] = reduction([](T x, S dims, bool keep) { return amax(x, dims, keep); });
  o["ReduceMin"] = reduction([](T x, S dims, bool keep) { return amin(x, dims, keep); });
  o["ReduceProd"] = reduction([](T x, S dims, bool keep) { return prod(x, dims, keep).to(x.dtype()); });
  o["ReduceL1"] = reduction([](T x, S dims, bool keep) { return norm(x, 1, dims, keep); });
  o["ReduceL2"] = reduction([](T x, S dims, bool keep) { return norm(x, 2, dims, keep); });
  o["ReduceLogSum"] = reduction([](T x, S dims, bool keep) { return log(sum(x, dims, keep)); });
  o["ReduceLogSumExp"] = reduction([](T x, S dims, bool keep) { return logsumexp(x, dims, keep); });
  o["ReduceSumSquare"] = reduction([](T x, S dims, bool keep) { return sum(square(x), dims, keep); });
  o["ArgMax"] = index_of([](T x, std::int64_t axis, bool keep) { return argmax(x, axis, keep); });
  o["ArgMin"] = index_of([](T x, std::int64_t axis, bool keep) { return argmin(x, axis, keep); });
  o["CumSum"] = [](const Call& in) { return std::vector<Tensor>{cumulated(in, cumsum, 0)}; };
  o["CumProd"] = [](const Call& in) { return std::vector<Tensor>{cumulated(in, cumprod, 1)}; };
  o["Det"] = [](const Call& in) { return std::vector<Tensor>{linalg::det(in[0])}; };
  o["LpNormalization"] = [](const Call& in) {
    return std::vector<Tensor>{normalize(in[0], static_cast<double>(in.i("p", 2)), in.i("axis", -1))};
  };
  o["TopK"] = [](const Call& in) {
    in.i("sorted");  // else in any order, this one among them
    const auto [values, indices] = topk(in[0], in[1].item<std::int64_t>(), in.i("axis", -1), in.i("largest", 1) != 0);
    return std::vector<Tensor>{values, indices};
  };
}

}  // namespace minima::onnx
