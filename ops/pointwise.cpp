#include <minima/ops/pointwise.h>

#include <string>

namespace minima::detail {

namespace {

/// Whether elements repeat along a dimension, as after `expand`: it then has no place in memory.
bool repeats(const Layout& layout) {
  for (int i = 0; i < layout.rank(); ++i)
    if (layout.shape[i] != 1 && layout.strides[i] == 0) return true;
  return false;
}

/// A dense layout of this shape in the memory order of the first input that has the shape, preferably one that does not
/// repeat: the gradient of a mean must not turn channels_last images into row-major ones.
Layout layout_like(const Tensor* const* inputs, int count, const Shape& shape) {
  const Tensor* like = nullptr;
  for (int i = 0; i < count; ++i)
    if (inputs[i]->shape() == shape && (!like || (repeats(like->layout()) && !repeats(inputs[i]->layout()))))
      like = inputs[i];
  return like ? Layout::dense_like(like->layout()) : Layout::contiguous(shape);
}

}  // namespace

DType promoted_by_rank(const Tensor* const* inputs, int count) {
  // PyTorch's rule: a scalar tensor (rank 0) may raise the others' category, but not their width.
  DType ranked{}, rankless{};
  bool any_ranked = false, any_rankless = false;
  for (int i = 0; i < count; ++i) {
    const bool has_rank = inputs[i]->rank() > 0;
    DType& group = has_rank ? ranked : rankless;
    bool& seen = has_rank ? any_ranked : any_rankless;
    group = seen ? promote(group, inputs[i]->dtype()) : inputs[i]->dtype();
    seen = true;
  }
  if (!any_rankless) return ranked;
  if (!any_ranked) return rankless;
  const bool raises_category = is_complex(rankless)
                                   ? !is_complex(ranked)
                                   : !is_differentiable(ranked) && (ranked == DType::boolean || is_floating(rankless));
  if (raises_category && is_complex(rankless)) return is_floating(ranked) ? complex_dtype(ranked) : rankless;
  return raises_category ? promote(ranked, rankless) : ranked;
}

void refuse_dtypes(const char* op, const Tensor* const* inputs, int count, bool whole, bool floating) {
  std::string got = str(*inputs[0]);
  for (int i = 1; i < count; ++i) got += str(i + 1 < count ? ", " : " and ", *inputs[i]);
  const bool one = count == 1;
  const char* wanted = !whole      ? (one ? "a floating tensor" : "floating tensors")
                       : !floating ? (one ? "an integer or bool tensor" : "integer or bool tensors")
                                   : (one ? "a tensor of numbers" : "tensors of numbers");
  throw DTypeError(str(op, ": needs ", wanted, ", got ", got, "; convert ", one ? "it" : "them", " with to()"));
}

TensorSpec pointwise_spec(const char* op, const Tensor* const* inputs, int count, ResultType rule) {
  DType dtype = promoted(inputs, count);
  if (rule == ResultType::boolean) dtype = DType::boolean;
  if (rule == ResultType::floating && !is_differentiable(dtype)) dtype = DType::float32;

  const Tensor& first = *inputs[0];
  bool same = true;
  for (int i = 1; i < count; ++i) same = same && inputs[i]->shape() == first.shape();
  if (same && first.is_contiguous()) return {{first.shape(), first.strides()}, dtype, first.device()};

  Shape shape = first.shape();
  for (int i = 1; i < count && !same; ++i) shape = broadcast(shape, inputs[i]->shape(), op);
  return {layout_like(inputs, count, shape), dtype, first.device()};
}

}  // namespace minima::detail
