#include "tests/support/compare.h"
#include "tests/support/draw.h"
#include "tests/support/engines.h"

#include <minima/autograd/backward.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <optional>

#ifdef MINIMA_HAVE_ONEDNN

#include <oneapi/dnnl/dnnl.hpp>

// Gradients compared with oneDNN's backward primitives, an independent implementation: in float64, in float32 on the
// engine that the build prefers, and in float32 on Eigen.

namespace minima::onednn_gradients_test {
namespace {

using namespace test;
using dnnl::algorithm;
using dnnl::memory;
using dnnl::prop_kind;
using Dims = memory::dims;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

/// oneDNN 2 creates a descriptor before the primitive, oneDNN 3 does not. A hint is the forward descriptor.
template <class P, class... A>
typename P::primitive_desc described(const A&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine(), arguments...};
#else
  return {typename P::desc(arguments...), engine()};
#endif
}
template <class P, class Hint, class... A>
typename P::primitive_desc described_after(const Hint& hint, const A&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine(), arguments..., hint};
#else
  return {typename P::desc(arguments...), engine(), hint};
#endif
}
#if DNNL_VERSION_MAJOR >= 3
using PoolForward = dnnl::pooling_forward;
using PoolBackward = dnnl::pooling_backward;
#else
using PoolForward = dnnl::pooling_v2_forward;
using PoolBackward = dnnl::pooling_v2_backward;
#endif

/// A row-major float32 array as oneDNN sees it.
struct Array {
  memory::desc desc;
  std::vector<float> values;
  Array(const Shape& shape, memory::format_tag tag, const std::vector<float>& given = {})
      : desc(Dims(shape.begin(), shape.end()), memory::data_type::f32, tag), values(given) {
    values.resize(static_cast<std::size_t>(numel(shape)));
  }
  memory mapped() { return {desc, engine(), values.data()}; }
};

template <class Primitive, class Description>
void run(const Description& description, const std::unordered_map<int, memory>& arguments) {
  dnnl::stream stream(engine());
  Primitive(description).execute(stream, arguments);
  stream.wait();
}

Doubles expected(const Shape& shape, const Array& array) { return {shape, {array.values.begin(), array.values.end()}}; }

using Function = std::function<Tensor(const std::vector<Tensor>&)>;

/// Compares f's gradients by all inputs, in float64 and twice in float32, with oneDNN's.
void judge(const Function& f, const std::vector<Doubles>& inputs, const std::vector<float>& slope,
           const std::vector<Doubles>& truths) {
  const auto check = [&](DType dtype, const char* who) {
    std::vector<Tensor> leaves;
    for (const Doubles& input : inputs) leaves.push_back(lay_out(input, dtype, Form::row_major).requires_grad(true));
    const Tensor y = f(leaves);
    ASSERT_EQ(y.numel(), static_cast<std::int64_t>(slope.size()));
    const std::vector<Tensor> gradients = grad({y}, leaves, {from_vector(slope, y.shape()).to(dtype)});
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      double scale = 0;
      for (const double value : truths[i].values) scale = std::max(scale, std::abs(value));
      const Comparison close = compare(gradients[i], truths[i], Tolerance{2e-5, 1e-5 * scale});
      EXPECT_TRUE(close) << who << ", gradient of input " << i << ": " << close.message;
    }
  };
  check(float64, "float64");
  check(float32, "float32");
  const EigenOnly guard;
  check(float32, "float32 without oneDNN");
}

Doubles numbers(const Shape& shape, std::uint64_t seed) { return draw(normal(shape), float32, seed); }
std::vector<float> floats(const Doubles& x) { return {x.values.begin(), x.values.end()}; }

void judge_conv(const Shape& x_shape, const Shape& w_shape, const Conv2dOptions& o) {
  SCOPED_TRACE(str("conv2d ", x_shape, " by ", w_shape));
  const Doubles x = numbers(x_shape, 1), w = numbers(w_shape, 2), bias = numbers({w_shape[0]}, 3);
  const Shape y_shape = conv2d(zeros(x_shape), zeros(w_shape), {}, o).shape();
  const std::vector<float> slope = floats(numbers(y_shape, 4));
  const bool grouped = o.groups > 1;
  const Shape w_dims = grouped ? Shape{o.groups, w_shape[0] / o.groups, w_shape[1], w_shape[2], w_shape[3]} : w_shape;
  using Tag = memory::format_tag;
  const Tag w_tag = grouped ? Tag::goihw : Tag::oihw;
  Array ax(x_shape, Tag::nchw, floats(x)), aw(w_dims, w_tag, floats(w)), ag(y_shape, Tag::nchw, slope);
  Array dx(x_shape, Tag::nchw), dw(w_dims, w_tag), db({w_shape[0]}, Tag::x);
  const Dims stride{o.stride.height, o.stride.width}, dilation{o.dilation.height - 1, o.dilation.width - 1},
      pad{o.padding.height, o.padding.width};
  const auto direct = algorithm::convolution_direct;
  const auto forward = described<dnnl::convolution_forward>(prop_kind::forward_training, direct, ax.desc, aw.desc,
                                                            db.desc, ag.desc, stride, dilation, pad, pad);
  run<dnnl::convolution_backward_data>(
      described_after<dnnl::convolution_backward_data>(forward, direct, dx.desc, aw.desc, ag.desc, stride, dilation,
                                                       pad, pad),
      {{DNNL_ARG_DIFF_DST, ag.mapped()}, {DNNL_ARG_WEIGHTS, aw.mapped()}, {DNNL_ARG_DIFF_SRC, dx.mapped()}});
  run<dnnl::convolution_backward_weights>(
      described_after<dnnl::convolution_backward_weights>(forward, direct, ax.desc, dw.desc, db.desc, ag.desc, stride,
                                                          dilation, pad, pad),
      {{DNNL_ARG_DIFF_DST, ag.mapped()},
       {DNNL_ARG_SRC, ax.mapped()},
       {DNNL_ARG_DIFF_WEIGHTS, dw.mapped()},
       {DNNL_ARG_DIFF_BIAS, db.mapped()}});
  judge([&](const std::vector<Tensor>& in) { return conv2d(in[0], in[1], in[2], o); }, {x, w, bias}, slope,
        {expected(x_shape, dx), expected(w_shape, dw), expected({w_shape[0]}, db)});
}

TEST(OneDnnGradients, JudgesConvolutions) {
  judge_conv({2, 3, 9, 8}, {5, 3, 3, 3}, {.padding = 1});
  judge_conv({2, 16, 12, 12}, {16, 16, 3, 3}, {.stride = 2, .padding = 1});
  judge_conv({1, 4, 10, 7}, {6, 4, 1, 1}, {});
  judge_conv({2, 4, 11, 9}, {6, 2, 3, 2}, {.stride = {1, 2}, .padding = {2, 1}, .dilation = 2, .groups = 2});
  judge_conv({2, 8, 9, 9}, {8, 1, 3, 3}, {.padding = 1, .groups = 8});
  judge_conv({2, 3, 20, 20}, {4, 3, 7, 7}, {.stride = 2, .padding = 3});
}

void judge_pool(const Shape& shape, Pair kernel, Pair stride, Pair padding, algorithm kind, const Function& f) {
  SCOPED_TRACE(str("pooling of ", shape));
  using Tag = memory::format_tag;
  const Doubles x = numbers(shape, 5);
  const Shape y_shape = f({zeros(shape)}).shape();
  const std::vector<float> slope = floats(numbers(y_shape, 6));
  Array ax(shape, Tag::nchw, floats(x)), ay(y_shape, Tag::nchw), ag(y_shape, Tag::nchw, slope), dx(shape, Tag::nchw);
  const Dims k{kernel.height, kernel.width}, s{stride.height, stride.width}, p{padding.height, padding.width},
      none{0, 0};
  const auto forward = described<PoolForward>(prop_kind::forward_training, kind, ax.desc, ay.desc, s, k, none, p, p);
  memory workspace(forward.workspace_desc(), engine());
  run<PoolForward>(forward,
                   {{DNNL_ARG_SRC, ax.mapped()}, {DNNL_ARG_DST, ay.mapped()}, {DNNL_ARG_WORKSPACE, workspace}});
  run<PoolBackward>(
      described_after<PoolBackward>(forward, kind, dx.desc, ag.desc, s, k, none, p, p),
      {{DNNL_ARG_DIFF_DST, ag.mapped()}, {DNNL_ARG_DIFF_SRC, dx.mapped()}, {DNNL_ARG_WORKSPACE, workspace}});
  judge(f, {x}, slope, {expected(shape, dx)});
}

TEST(OneDnnGradients, JudgesPooling) {
  for (const auto& [shape, kernel, stride, padding] :
       {std::tuple{Shape{2, 3, 9, 8}, Pair(3), Pair(2), Pair(1)},
        std::tuple{Shape{1, 16, 12, 12}, Pair(2), Pair(2), Pair(0)},
        std::tuple{Shape{2, 5, 7, 10}, Pair(3, 2), Pair(1, 2), Pair(1, 0)}}) {
    const Pair k = kernel, s = stride, p = padding;
    judge_pool(shape, k, s, p, algorithm::pooling_max, [=](const std::vector<Tensor>& in) {
      return max_pool2d(in[0], {.kernel = k, .stride = s, .padding = p});
    });
    judge_pool(shape, k, s, p, algorithm::pooling_avg_include_padding, [=](const std::vector<Tensor>& in) {
      return avg_pool2d(in[0], {.kernel = k, .stride = s, .padding = p});
    });
    judge_pool(shape, k, s, p, algorithm::pooling_avg_exclude_padding, [=](const std::vector<Tensor>& in) {
      return avg_pool2d(in[0], {.kernel = k, .stride = s, .padding = p, .count_include_pad = false});
    });
  }
}

/// Batch and layer norm differ only in their primitives. `features`: the number of scales.
template <class Forward, class Backward>
void judge_norm(const Shape& shape, memory::format_tag tag, std::int64_t features, const Shape& statistics,
                memory::format_tag statistics_tag, const Function& f) {
  SCOPED_TRACE(str("norm of ", shape));
  const Doubles x = numbers(shape, 7), scale = numbers({features}, 8), shift = numbers({features}, 9);
  const std::vector<float> slope = floats(numbers(shape, 10));
  using Tag = memory::format_tag;
  Array ax(shape, tag, floats(x)), ay(shape, tag), ag(shape, tag, slope), dx(shape, tag),
      mean(statistics, statistics_tag), variance(statistics, statistics_tag);
  Array ascale({features}, Tag::x, floats(scale)), ashift({features}, Tag::x, floats(shift)),
      dscale({features}, Tag::x), dshift({features}, Tag::x);
  const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
#if DNNL_VERSION_MAJOR >= 3
  const auto forward = described<Forward>(prop_kind::forward_training, ax.desc, ay.desc, 1e-5f, flags);
  const auto backward =
      described_after<Backward>(forward, prop_kind::backward, dx.desc, ag.desc, ax.desc, 1e-5f, flags);
#else
  const auto forward = described<Forward>(prop_kind::forward_training, ax.desc, 1e-5f, flags);
  const auto backward = described_after<Backward>(forward, prop_kind::backward, dx.desc, ax.desc, 1e-5f, flags);
#endif
  run<Forward>(forward, {{DNNL_ARG_SRC, ax.mapped()},
                         {DNNL_ARG_DST, ay.mapped()},
                         {DNNL_ARG_MEAN, mean.mapped()},
                         {DNNL_ARG_VARIANCE, variance.mapped()},
                         {DNNL_ARG_SCALE, ascale.mapped()},
                         {DNNL_ARG_SHIFT, ashift.mapped()}});
  run<Backward>(backward, {{DNNL_ARG_SRC, ax.mapped()},
                           {DNNL_ARG_MEAN, mean.mapped()},
                           {DNNL_ARG_VARIANCE, variance.mapped()},
                           {DNNL_ARG_DIFF_DST, ag.mapped()},
                           {DNNL_ARG_SCALE, ascale.mapped()},
                           {DNNL_ARG_SHIFT, ashift.mapped()},
                           {DNNL_ARG_DIFF_SRC, dx.mapped()},
                           {DNNL_ARG_DIFF_SCALE, dscale.mapped()},
                           {DNNL_ARG_DIFF_SHIFT, dshift.mapped()}});
  judge(f, {x, scale, shift}, slope, {expected(shape, dx), expected({features}, dscale), expected({features}, dshift)});
}

TEST(OneDnnGradients, JudgesBatchNorm) {
  for (const Shape& shape : {Shape{4, 3, 5, 6}, Shape{2, 16, 8, 8}, Shape{8, 5, 1, 1}})
    judge_norm<dnnl::batch_normalization_forward, dnnl::batch_normalization_backward>(
        shape, memory::format_tag::nchw, shape[1], {shape[1]}, memory::format_tag::x,
        [](const std::vector<Tensor>& in) { return batch_norm(in[0], in[1], in[2], {}, {}, {.training = true}); });
}

TEST(OneDnnGradients, JudgesLayerNorm) {
  for (const Shape& shape : {Shape{3, 4, 7}, Shape{2, 9, 64}, Shape{1, 1, 200}})
    judge_norm<dnnl::layer_normalization_forward, dnnl::layer_normalization_backward>(
        shape, memory::format_tag::tnc, shape[2], {shape[0], shape[1]}, memory::format_tag::ab,
        [&](const std::vector<Tensor>& in) { return layer_norm(in[0], {shape[2]}, in[1], in[2]); });
}

}  // namespace
}  // namespace minima::onednn_gradients_test

#else

TEST(OneDnnGradients, JudgesConvolutionsPoolingAndNorms) { GTEST_SKIP() << "this build has no oneDNN"; }

#endif
