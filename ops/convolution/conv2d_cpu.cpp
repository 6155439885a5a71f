#include <minima/ops/convolution/kernels.h>

#include <minima/autograd/primitives.h>
#include <minima/ops/convolution/conv_ending.h>
#include <minima/ops/convolution/engines.h>
#include <minima/ops/convolution/geometry.h>
#include <minima/ops/convolution/images.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/product/gemm/engine.h>
#include <minima/ops/product/gemm/matrices.h>
#include <minima/tensor/memory/blocks/memory_stats.h>

#include <utility>

namespace minima::detail {

namespace {

/// An image or weight tensor in an order that the engines take.
struct Arranged {
  Tensor tensor;
  bool channels_last;
  template <class T>
  T* data() const {
    return tensor.defined() ? tensor.data<T>() : nullptr;
  }
};

Tensor copied(const Tensor& x, bool channels_last) {
  const PurposeGuard purpose(Purpose::temporaries);
  const Tensor copy = empty(image_layout(x.shape(), channels_last), {.dtype = compute_dtype(x.dtype())});
  copy_values(x, copy);
  return copy;
}

Arranged arranged_images(const Tensor& x) {
  if (x.dtype() == compute_dtype(x.dtype())) {
    if (x.layout().is_channels_last()) return {x, true};
    if (x.is_contiguous()) return {x, false};
  }
  return {copied(x, true), true};
}

Tensor arranged_weights(const Tensor& weight, bool channels_last) {
  const bool fits = channels_last ? weight.layout().is_channels_last() : weight.is_contiguous();
  return fits && weight.dtype() == compute_dtype(weight.dtype()) ? weight : copied(weight, channels_last);
}

/// Memory that an engine can write: the target itself, or a temporary that is stored into it at the end.
class Target {
 public:
  /// In whichever order the target has.
  explicit Target(const Tensor& target) : final_(target), arranged_(arranged_like(target)) {}
  /// In the given order.
  Target(const Tensor& target, bool channels_last) : final_(target) {
    const bool fits = channels_last ? target.layout().is_channels_last() : target.is_contiguous();
    arranged_ = {fits && is_full(target) ? target : temporary(target, channels_last), channels_last};
  }
  /// A temporary, because the target's values are still needed.
  static Target temporary_for(const Tensor& target, bool channels_last) {
    return Target(target, Arranged{temporary(target, channels_last), channels_last});
  }

  const Arranged& arranged() const { return arranged_; }
  void store() const {
    if (!arranged_.tensor.is_same(final_)) copy_values(arranged_.tensor, final_);
  }
  void add() const { add_into(final_, arranged_.tensor); }

 private:
  Target(const Tensor& target, Arranged arranged) : final_(target), arranged_(std::move(arranged)) {}
  static bool is_full(const Tensor& x) { return x.dtype() == compute_dtype(x.dtype()); }
  static Tensor temporary(const Tensor& target, bool channels_last) {
    const PurposeGuard purpose(Purpose::temporaries);
    return empty(image_layout(target.shape(), channels_last), {.dtype = compute_dtype(target.dtype())});
  }
  static Arranged arranged_like(const Tensor& target) {
    if (is_full(target) && target.layout().is_channels_last()) return {target, true};
    if (is_full(target) && target.is_contiguous()) return {target, false};
    return {temporary(target, true), true};
  }

  Tensor final_;
  Arranged arranged_;
};

template <class F>
void with_compute_type(DType dtype, F&& f) {
  if (dtype == DType::float64) f.template operator()<double>();
  else f.template operator()<float>();
}

[[maybe_unused]] bool has_no_elements(const ConvGeometry& g) {
  return numel(g.input()) == 0 || numel(g.weight()) == 0 || numel(g.output()) == 0;
}

/// Tries oneDNN first where allowed; `onednn()` returns whether it did the work.
template <class F>
bool try_onednn([[maybe_unused]] const ConvGeometry& g, [[maybe_unused]] DType dtype, [[maybe_unused]] F&& onednn) {
#ifdef MINIMA_HAVE_ONEDNN
  if (!has_no_elements(g) && engine_for(compute_dtype(dtype)) == Engine::onednn && onednn()) {
    report_engine_call(Engine::onednn);
    return true;
  }
#endif
  report_engine_call(Engine::eigen);
  return false;
}

}  // namespace

namespace {

/// Whether a kernel of one element skips pixels. oneDNN is slow at that, most of all in bands of rows.
bool is_strided_pointwise(const ConvGeometry& g) {
  return g.kernel == Triple(1) && g.options.padding == Triple(0) && g.options.stride != Triple(1);
}

/// The pixels that a strided pointwise convolution reads, for one without a stride.
Arranged pixels_read(ConvGeometry& g, const Arranged& images) {
  Layout strided = images.tensor.layout();
  const Triple stride = g.options.stride;
  const std::int64_t steps[] = {stride.depth, stride.height, stride.width};
  for (int d = 2; d < strided.rank(); ++d) strided.strides[d] *= steps[d + 3 - strided.rank()];
  g.size = g.out;
  g.options.stride = 1;
  strided.shape = g.input();
  return {copied(alias(images.tensor, strided), true), true};
}

/// `ending` may be null; otherwise y is channels_last and of the compute dtype.
void forward(ConvGeometry g, const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvEnding* ending,
             const Tensor& y) {
  if (y.numel() == 0) return;
  Arranged images = arranged_images(x);
  if (images.channels_last && is_strided_pointwise(g)) images = pixels_read(g, images);
  const Tensor offsets = bias.defined() ? row_major(bias, compute_dtype(bias.dtype())) : Tensor();
  const Target target(y);
  const bool done = try_onednn(g, x.dtype(), [&] {
    const bool weight_last = wants_channels_last(weight.layout());
    const Tensor weights = arranged_weights(weight, weight_last);
    const ConvOrder order{images.channels_last, weight_last, target.arranged().channels_last};
    const float* const bias_values = offsets.defined() ? offsets.data<float>() : nullptr;
    float* const result = target.arranged().data<float>();
    if (!few_positions_suit_products(ConvKind::forward, g, order))
      return conv_forward_onednn(g, order, images.data<float>(), weights.data<float>(), bias_values, ending, result);
    conv_forward_few_positions(g, images.data<float>(), weights.data<float>(), bias_values, ending, result);
    return true;
  });
  if (!done) {
    const Tensor weights = arranged_weights(weight, images.channels_last);
    with_compute_type(x.dtype(), [&]<class T> {
      conv_forward_eigen<T>(g, {images.channels_last, images.channels_last, target.arranged().channels_last},
                            images.data<T>(), weights.data<T>(), offsets.defined() ? offsets.data<T>() : nullptr,
                            target.arranged().data<T>());
    });
    if (ending) finish(*ending, y.data<float>(), g.batch * g.positions(), g.outputs);
  }
  target.store();
}

}  // namespace

void conv2d_cpu(const ConvGeometry& g, const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) {
  forward(g, x, weight, bias, nullptr, y);
}

void conv2d_norm_cpu(const ConvGeometry& g, const Tensor& x, const Tensor& weight, const ConvEnding& ending,
                     const Tensor& y) {
  forward(g, x, weight, {}, &ending, y);
}

void conv2d_input_gradient_cpu(const ConvGeometry& g, const Tensor& y, const Tensor& weight, const Tensor& x_gradient) {
  if (x_gradient.numel() == 0) return;
  const Arranged by_output = arranged_images(y);
  const Target target(x_gradient);
  const bool x_last = target.arranged().channels_last;
  const bool done = try_onednn(g, y.dtype(), [&] {
    const bool weight_last = wants_channels_last(weight.layout());
    const Tensor weights = arranged_weights(weight, weight_last);
    const ConvOrder order{x_last, weight_last, by_output.channels_last};
    float* const result = target.arranged().data<float>();
    if (!few_positions_suit_products(ConvKind::input_gradient, g, order))
      return conv_input_gradient_onednn(g, order, by_output.data<float>(), weights.data<float>(), result);
    conv_input_gradient_few_positions(g, by_output.data<float>(), weights.data<float>(), result);
    return true;
  });
  if (!done) {
    const Tensor weights = arranged_weights(weight, x_last);
    with_compute_type(y.dtype(), [&]<class T> {
      conv_input_gradient_eigen<T>(g, {x_last, x_last, by_output.channels_last}, by_output.data<T>(), weights.data<T>(),
                                   target.arranged().data<T>());
    });
  }
  target.store();
}

void conv2d_weight_gradient_cpu(const ConvGeometry& g, const Tensor& x, const Tensor& y, const Tensor& weight_gradient,
                                bool accumulate) {
  if (weight_gradient.numel() == 0) return;
  const Arranged images = arranged_images(x), by_output = arranged_images(y);
  const auto finish = [&](const Target& target) { accumulate ? target.add() : target.store(); };
  const bool done = try_onednn(g, x.dtype(), [&] {
    const bool last = wants_channels_last(weight_gradient.layout());
    const Target target = accumulate ? Target::temporary_for(weight_gradient, last) : Target(weight_gradient, last);
    const ConvOrder order{images.channels_last, last, by_output.channels_last};
    if (weight_gradient_suits_products(g))
      conv_weight_gradient_products(g, order, Engine::onednn, images.data<float>(), by_output.data<float>(),
                                    target.arranged().data<float>());
    else if (!conv_weight_gradient_onednn(g, order, images.data<float>(), by_output.data<float>(),
                                          target.arranged().data<float>()))
      return false;
    finish(target);
    return true;
  });
  if (done) return;
  const bool last = wants_channels_last(weight_gradient.layout());
  const Target target = accumulate ? Target::temporary_for(weight_gradient, last) : Target(weight_gradient, last);
  with_compute_type(x.dtype(), [&]<class T> {
    conv_weight_gradient_products<T>(g, {images.channels_last, last, by_output.channels_last}, Engine::eigen,
                                     images.data<T>(), by_output.data<T>(), target.arranged().data<T>());
  });
  finish(target);
}

}  // namespace minima::detail
