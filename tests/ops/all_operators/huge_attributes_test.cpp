#include "tests/ops/all_operators/declarations.h"
#include "tests/ops/checks/op_cases.h"
#include "tests/support/limits.h"

#include <minima/ops/deform_conv2d/deform_conv2d.h>
#include <minima/ops/dropout/drop_block.h>
#include <minima/ops/fft/fft.h>
#include <minima/ops/fft/stft.h>
#include <minima/ops/fractional_pool/fractional_pool.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <set>

// Every numeric argument of an operator, with values that no tensor has room for: the calls below, and those of
// OpCases::huge. Tensors of such sizes are tried by the tables of cases (checks/huge.cpp).

namespace minima::huge_attributes_test {
namespace {

using namespace test;

constexpr std::int64_t extremes[] = {std::int64_t{1} << 31, std::int64_t{1} << 62, -(std::int64_t{1} << 62), INT64_MIN,
                                     INT64_MAX};

struct Call {
  std::string op;
  std::function<void(std::int64_t)> call;
};

Tensor cube() { return ones({2, 3, 4}); }
Tensor images() { return ones({2, 4, 5, 6}); }
Tensor no_images() { return ones({0, 4, 5, 6}); }
Tensor sequences() { return ones({2, 4, 6}); }
Tensor kernels() { return ones({4, 4, 3, 3}); }
Tensor huge() { return expand(ones({1}), {INT64_MAX}); }
Tensor indices() { return tensor<std::int64_t>({0, 1}); }
Tensor spectra() { return zeros({5, 3}, {.dtype = complex64}); }
Tensor none() { return empty({0}, {.dtype = int64}); }

std::vector<Call> transforms() {
  return {
      {"fftshift", [](auto v) { fft::fftshift(cube(), {v}); }},
      {"ifftshift", [](auto v) { fft::ifftshift(cube(), {v}); }},
      {"fftfreq", [](auto v) { fft::fftfreq(v); }},
      {"rfftfreq", [](auto v) { fft::rfftfreq(v); }},
      {"stft", [](auto v) { stft(ones({9}), v); }},
      {"stft", [](auto v) { stft(ones({9}), v, {.center = false}); }},
      {"stft", [](auto v) { stft(ones({9}), 4, {.hop_length = v}); }},
      {"stft", [](auto v) { stft(ones({9}), 4, {.win_length = v}); }},
      {"istft", [](auto v) { istft(spectra(), v); }},
      {"istft", [](auto v) { istft(spectra(), 8, {.hop_length = v}); }},
      {"istft", [](auto v) { istft(spectra(), 8, {.win_length = v}); }},
      {"istft", [](auto v) { istft(spectra(), 8, {.length = v}); }},
      {"hann_window", [](auto v) { hann_window(v); }},
      {"hamming_window", [](auto v) { hamming_window(v); }},
      {"blackman_window", [](auto v) { blackman_window(v); }},
      {"bartlett_window", [](auto v) { bartlett_window(v); }},
      {"kaiser_window", [](auto v) { kaiser_window(v); }},
  };
}

std::vector<Call> views() {
  return {
      {"reshape", [](auto v) { reshape(cube(), {v}); }},
      {"reshape", [](auto v) { reshape(cube(), {v, -1}); }},
      {"reshape", [](auto v) { reshape(none(), {0, v}); }},
      {"reshape", [](auto v) { reshape(none(), {v, v, 0}); }},
      {"view", [](auto v) { view(cube(), {v, 2}); }},
      {"permute", [](auto v) { permute(cube(), {v, 0, 1}); }},
      {"transpose", [](auto v) { transpose(cube(), v, 0); }},
      {"transpose", [](auto v) { transpose(cube(), 0, v); }},
      {"slice", [](auto v) { slice(cube(), v, 0); }},
      {"slice", [](auto v) { slice(cube(), 0, v); }},
      {"slice", [](auto v) { slice(cube(), 0, 0, v); }},
      {"slice", [](auto v) { slice(cube(), 0, 0, 2, v); }},
      {"slice", [](auto v) { unsqueeze(slice(expand(none(), {3, 0}), 0, 0, 3, v), 0); }},
      {"slice", [](auto v) { slice(huge(), 0, v, -v, 3); }},
      {"narrow", [](auto v) { narrow(cube(), v, 0, 1); }},
      {"narrow", [](auto v) { narrow(cube(), 0, v, 1); }},
      {"narrow", [](auto v) { narrow(cube(), 0, 0, v); }},
      {"narrow", [](auto v) { narrow(huge(), 0, v, v); }},
      {"select", [](auto v) { select(cube(), v, 0); }},
      {"select", [](auto v) { select(cube(), 0, v); }},
      {"select", [](auto v) { select(huge(), 0, v); }},
      {"expand", [](auto v) { expand(cube(), {v, 2, 3, 4}); }},
      {"expand", [](auto v) { expand(ones({1, 1}), {v, v}); }},
      {"expand", [](auto v) { expand(ones({0, 1, 1}), {0, v, v}); }},
      {"unsqueeze", [](auto v) { unsqueeze(cube(), v); }},
      {"squeeze", [](auto v) { squeeze(cube(), v); }},
      {"flatten", [](auto v) { flatten(cube(), v); }},
      {"flatten", [](auto v) { flatten(cube(), 0, v); }},
      {"split", [](auto v) { split(cube(), v); }},
      {"split", [](auto v) { split(cube(), 1, v); }},
      {"split", [](auto v) { split(huge(), v); }},
      {"split", [](auto) { split(huge(), 1); }},
      {"split_with_sizes", [](auto v) { split_with_sizes(cube(), {v, 1}); }},
      {"split_with_sizes", [](auto v) { split_with_sizes(cube(), {1, v}, v); }},
      {"chunk", [](auto v) { chunk(cube(), v); }},
      {"chunk", [](auto v) { chunk(cube(), 1, v); }},
      {"chunk", [](auto v) { chunk(huge(), v); }},
      {"as_strided", [](auto v) { as_strided(cube(), Layout{{v}, {1}, 0}); }},
      {"as_strided", [](auto v) { as_strided(cube(), Layout{{2}, {v}, 0}); }},
      {"as_strided", [](auto v) { as_strided(cube(), Layout{{2}, {1}, v}); }},
      {"as_strided", [](auto v) { as_strided(cube(), Layout{{v, v}, {0, 0}, 0}); }},
      {"as_strided", [](auto v) { as_strided(cube(), Layout{{0, 2}, {v, v}, v})[0]; }},
      {"as_strided", [](auto v) { unsqueeze(as_strided(cube(), Layout{{1}, {v}, 0}), 0); }},
      {"copy_as", [](auto v) { copy_as(cube(), Layout{{2, 3, 4}, {v, 4, 1}, 0}); }},
      {"copy_as", [](auto v) { copy_as(cube(), Layout{{2, 3, 4}, {12, 4, 1}, v}); }},
      {"copy_as", [](auto v) { copy_as(cube(), Layout{{v}, {1}, 0}); }},
      {"sum_to", [](auto v) { sum_to(cube(), {v}); }},
  };
}

std::vector<Call> arrangements() {
  std::vector<Call> calls{
      {"index_select", [](auto v) { index_select(cube(), v, indices()); }},
      {"index_select", [](auto v) { index_select(cube(), 0, tensor<std::int64_t>({v})); }},
      {"flip", [](auto v) { flip(cube(), {v}); }},
      {"flip", [](auto) { flip(huge(), {0}); }},
      {"roll", [](auto v) { roll(cube(), v, 0); }},
      {"roll", [](auto v) { roll(cube(), 1, v); }},
      {"roll", [](auto v) { roll(cube().requires_grad(true), v, 0).backward(cube()); }},
      {"repeat", [](auto v) { repeat(cube(), {v, 1, 1}); }},
      {"repeat", [](auto v) { repeat(cube(), {v, v, 1, 1}); }},
      {"repeat", [](auto v) { repeat(none(), {v}); }},
      {"repeat", [](auto v) { repeat(none(), {v, v, 1}); }},
      {"repeat_interleave", [](auto v) { repeat_interleave(cube(), v, 0); }},
      {"repeat_interleave", [](auto v) { repeat_interleave(cube(), 2, v); }},
      {"repeat_interleave", [](auto v) { repeat_interleave(ones({0, 2}), v, 1); }},
      {"tril", [](auto v) { tril(cube(), v); }},
      {"triu", [](auto v) { triu(cube(), v); }},
      {"one_hot", [](auto v) { one_hot(indices(), v); }},
      {"one_hot", [](auto v) { one_hot(none(), v); }},
      {"unbind", [](auto v) { unbind(cube(), v); }},
      {"tril_indices", [](auto v) { tril_indices(v, 2); }},
      {"tril_indices", [](auto v) { tril_indices(2, v); }},
      {"tril_indices", [](auto v) { tril_indices(2, 2, v); }},
      {"triu_indices", [](auto v) { triu_indices(v, 2); }},
      {"triu_indices", [](auto v) { triu_indices(2, v); }},
      {"triu_indices", [](auto v) { triu_indices(2, 2, v); }},
      {"logspace", [](auto v) { logspace(0, 1, v); }},
      {"multinomial", [](auto v) { multinomial(ones({2}), v, true); }},
      {"pack_padded_sequence", [](auto v) { pack_padded_sequence(zeros({2, 1}), {v}); }},
      {"pad_packed_sequence",
       [](auto v) { pad_packed_sequence(pack_padded_sequence(zeros({2, 1}), {2}), false, 0, v); }},
      {"unpad_sequence", [](auto v) { unpad_sequence(zeros({2, 1}), {v}); }},
      {"unbind", [](auto) { unbind(huge()); }},
      {"cat", [](auto v) { cat({{cube(), cube()}}, v); }},
      {"cat", [](auto) { cat({{huge(), huge()}}); }},
      {"stack", [](auto v) { stack({{cube(), cube()}}, v); }},
      {"stack", [](auto) { stack({{huge(), huge()}}); }},
      {"gather", [](auto v) { gather(ones({4}), v, indices()); }},
      {"gather", [](auto v) { gather(ones({4}), 0, tensor<std::int64_t>({v})); }},
      {"scatter_add", [](auto v) { scatter_add(ones({4}), v, indices(), ones({2})); }},
      {"scatter_add", [](auto v) { scatter_add(ones({4}), 0, tensor<std::int64_t>({v}), ones({1})); }},
      {"index_add", [](auto v) { index_add(ones({4}), v, indices(), ones({2})); }},
      {"index_add", [](auto v) { index_add(ones({4}), 0, tensor<std::int64_t>({v}), ones({1})); }},
      {"scatter", [](auto v) { scatter(ones({4}), v, indices(), ones({2})); }},
      {"scatter", [](auto v) { scatter(ones({4}), 0, tensor<std::int64_t>({v}), ones({1})); }},
      {"index", [](auto v) { index(cube(), {v}); }},
      {"index", [](auto v) { index(cube(), {tensor<std::int64_t>({v})}); }},
      {"index", [](auto v) { index(cube(), {Range{v, v, 1}}); }},
      {"index", [](auto v) { index(cube(), {Range{{}, {}, v}}); }},
      {"index_put", [](auto v) { index_put(cube(), {v}, ones({1})); }},
      {"index_put", [](auto v) { index_put(cube(), {tensor<std::int64_t>({v})}, ones({1})); }},
      {"index_put_", [](auto v) { index_put_(cube(), {v}, ones({1})); }},
      {"embedding", [](auto v) { embedding(ones({3, 2}), indices(), v); }},
      {"embedding", [](auto v) { embedding(ones({3, 2}), tensor<std::int64_t>({v})); }},
  };
  for (const PadMode mode : {PadMode::constant, PadMode::reflect, PadMode::replicate, PadMode::circular}) {
    calls.push_back({"pad", [mode](auto v) { pad(cube(), {v, 0}, mode); }});
    calls.push_back({"pad", [mode](auto v) { pad(cube(), {0, v}, mode); }});
    calls.push_back({"pad", [mode](auto v) { pad(cube(), {v, v}, mode); }});
    calls.push_back({"pad", [mode](auto v) { pad(cube(), {0, 0, v, 1}, mode); }});
    calls.push_back({"pad", [mode](auto v) { pad(ones({0, 3}), {v, v}, mode); }});
    calls.push_back({"pad", [mode](auto v) { pad(huge(), {v, 1}, mode); }});
  }
  return calls;
}

std::vector<Call> convolutions() {
  return {
      {"conv1d", [](auto v) { conv1d(sequences(), ones({4, 4, 3}), {}, {.stride = v}); }},
      {"conv1d", [](auto v) { conv1d(sequences(), ones({4, 4, 3}), {}, {.padding = v}); }},
      {"conv1d", [](auto v) { conv1d(sequences(), ones({4, 4, 3}), {}, {.dilation = v}); }},
      {"conv1d", [](auto v) { conv1d(sequences(), ones({4, 4, 3}), {}, {.padding = v / 2, .dilation = v / 2}); }},
      {"conv1d", [](auto v) { conv1d(sequences(), ones({4, 4, 3}), {}, {.groups = v}); }},
      {"conv1d", [](auto v) { conv1d(ones({2, 0, 6}), ones({0, 0, 3}), {}, {.groups = v}); }},
      {"conv2d", [](auto v) { conv2d(images(), kernels(), {}, {.stride = v}); }},
      {"conv2d", [](auto v) { conv2d(images(), kernels(), {}, {.padding = v}); }},
      {"conv2d", [](auto v) { conv2d(images(), kernels(), {}, {.dilation = v}); }},
      {"conv2d", [](auto v) { conv2d(images(), kernels(), {}, {.padding = {v / 2, 1}, .dilation = {v / 2, 1}}); }},
      {"conv2d", [](auto v) { conv2d(images(), kernels(), {}, {.groups = v}); }},
      {"conv2d", [](auto v) { conv2d(ones({2, 0, 5, 6}), ones({0, 2, 3, 3}), {}, {.groups = v}); }},
      {"conv2d", [](auto v) { conv2d(no_images(), kernels(), {}, {.padding = v}); }},
      {"conv_transpose1d", [](auto v) { conv_transpose1d(sequences(), ones({4, 4, 3}), {}, {.stride = v}); }},
      {"conv_transpose1d", [](auto v) { conv_transpose1d(sequences(), ones({4, 4, 3}), {}, {.padding = v}); }},
      {"conv_transpose1d", [](auto v) { conv_transpose1d(sequences(), ones({4, 4, 3}), {}, {.output_padding = v}); }},
      {"conv_transpose1d",
       [](auto v) { conv_transpose1d(sequences(), ones({4, 4, 3}), {}, {.output_padding = v - 1, .dilation = v}); }},
      {"conv_transpose1d", [](auto v) { conv_transpose1d(sequences(), ones({4, 4, 3}), {}, {.groups = v}); }},
      {"conv_transpose2d", [](auto v) { conv_transpose2d(images(), kernels(), {}, {.stride = v}); }},
      {"conv_transpose2d", [](auto v) { conv_transpose2d(images(), kernels(), {}, {.padding = v}); }},
      {"conv_transpose2d",
       [](auto v) { conv_transpose2d(images(), kernels(), {}, {.stride = v, .output_padding = v / 2}); }},
      {"conv_transpose2d", [](auto v) { conv_transpose2d(images(), kernels(), {}, {.dilation = v}); }},
      {"conv_transpose2d", [](auto v) { conv_transpose2d(images(), kernels(), {}, {.groups = v}); }},
      {"conv_transpose2d", [](auto v) { conv_transpose2d(ones({2, 0, 5, 6}), ones({0, 4, 3, 3}), {}, {.groups = v}); }},
  };
}

MaxPool2dOptions of_images(const MaxPool1dOptions& o) {
  return {{o.kernel, 1}, Pair{o.stride, 1}, {o.padding, 0}, {o.dilation, 1}, o.ceil_mode};
}

std::vector<Call> windows() {
  std::vector<Call> calls{
      {"adaptive_avg_pool1d", [](auto v) { adaptive_avg_pool1d(sequences(), v); }},
      {"adaptive_avg_pool1d", [](auto v) { adaptive_avg_pool1d(ones({0, 4, 6}), v); }},
      {"adaptive_avg_pool2d", [](auto v) { adaptive_avg_pool2d(images(), {v, 1}); }},
      {"adaptive_avg_pool2d", [](auto v) { adaptive_avg_pool2d(no_images(), v); }},
      {"adaptive_max_pool1d", [](auto v) { adaptive_max_pool1d(sequences(), v); }},
      {"adaptive_max_pool1d", [](auto v) { adaptive_max_pool1d(ones({0, 4, 6}), v); }},
      {"fractional_max_pool2d", [](auto v) { fractional_max_pool2d(images(), {.kernel = {2, v}, .size = 2}); }},
      {"fractional_max_pool2d_with_indices", [](auto v) { fractional_max_pool2d_with_indices(images(), {2, v}); }},
      {"adaptive_max_pool2d", [](auto v) { adaptive_max_pool2d(images(), {2, v}); }},
      {"adaptive_max_pool2d", [](auto v) { adaptive_max_pool2d(no_images(), v); }},
      {"interpolate", [](auto v) { interpolate(images(), {.size = {v, v}}); }},
      {"interpolate", [](auto v) { interpolate(images(), {.size = {2, v}, .mode = InterpolateMode::cubic}); }},
      {"interpolate", [](auto v) { interpolate(no_images(), {.size = {v, 1}}); }},
      {"interpolate", [](auto v) { interpolate(sequences(), {.size = {v}, .mode = InterpolateMode::linear}); }},
      {"interpolate", [](auto v) { interpolate(ones({1, 1, 2, 2, 2}), {.size = {2, v, v}}); }},
      {"interpolate", [](auto v) { interpolate(images(), {.scale = {static_cast<double>(v) * 1e300}}); }},
      {"interpolate", [](auto v) { interpolate(images(), {.scale = {static_cast<double>(v)}}); }},
  };
  for (const bool up : {false, true})
    for (const Tensor& x : {sequences(), ones({0, 4, 6})}) {
      const auto add = [&](auto options) {
        calls.push_back({"max_pool1d", [=](auto v) { max_pool1d(x, options(v)); }});
        calls.push_back({"max_pool1d_with_indices", [=](auto v) { max_pool1d_with_indices(x, options(v)); }});
        calls.push_back(
            {"avg_pool1d", [=](auto v) {
               const MaxPool1dOptions o = options(v);
               avg_pool1d(x, {.kernel = o.kernel, .stride = o.stride, .padding = o.padding, .ceil_mode = o.ceil_mode});
             }});
        calls.push_back({"max_pool2d", [=](auto v) { max_pool2d(unsqueeze(x, 3), of_images(options(v))); }});
        calls.push_back({"max_pool2d_with_indices",
                         [=](auto v) { max_pool2d_with_indices(unsqueeze(x, 2), of_images(options(v))); }});
        calls.push_back(
            {"avg_pool2d", [=](auto v) {
               const MaxPool2dOptions o = of_images(options(v));
               avg_pool2d(unsqueeze(x, 3),
                          {.kernel = o.kernel, .stride = o.stride, .padding = o.padding, .ceil_mode = o.ceil_mode});
             }});
      };
      add([=](std::int64_t v) { return MaxPool1dOptions{.kernel = v, .ceil_mode = up}; });
      add([=](std::int64_t v) { return MaxPool1dOptions{.kernel = 2, .stride = v, .ceil_mode = up}; });
      add([=](std::int64_t v) { return MaxPool1dOptions{.kernel = 2, .padding = v, .ceil_mode = up}; });
      add([=](std::int64_t v) { return MaxPool1dOptions{.kernel = 2, .dilation = v, .ceil_mode = up}; });
      add([=](std::int64_t v) {
        return MaxPool1dOptions{.kernel = v, .stride = 1, .padding = v / 2, .ceil_mode = up};
      });
      add([=](std::int64_t v) {
        return MaxPool1dOptions{.kernel = 3, .stride = 2, .padding = v / 2, .dilation = v / 2, .ceil_mode = up};
      });
    }
  return calls;
}

std::vector<Call> creations() {
  return {
      {"zeros", [](auto v) { zeros({v}); }},
      {"zeros", [](auto v) { zeros({v, v, 0}); }},
      {"zeros", [](auto v) { zeros({0, v, v}); }},
      {"ones", [](auto v) { ones({2, v}, {.dtype = float64}); }},
      {"full", [](auto v) { full({v, v}, 1); }},
      {"rand", [](auto v) { rand({v}); }},
      {"randn", [](auto v) { randn({1, v}); }},
      {"randint", [](auto v) { randint(0, 5, {v}); }},
      {"randint", [](auto v) { randint(v, INT64_MAX, {3}); }},
      {"randint", [](auto v) { randint(INT64_MIN, v, {3}); }},
      {"randint", [](auto v) { randint(0, v, {3}, {.dtype = int32}); }},
      {"randperm", [](auto v) { randperm(v); }},
      {"rotary_tables", [](auto v) { rotary_tables(v, 2); }},
      {"rotary_tables", [](auto v) { rotary_tables(1, v); }},
      {"arange", [](auto v) { arange(v); }},
      {"arange", [](auto v) { arange(v, 0, -1); }},
      {"arange", [](auto v) { arange(v, INT64_MAX); }},
      {"arange", [](auto v) { arange(INT64_MIN, v); }},
      {"arange", [](auto v) { arange(v, INT64_MAX, std::int64_t{1} << 61); }},
      {"arange", [](auto v) { arange(0, 10, v); }},
      {"arange", [](auto v) { arange(0.5, static_cast<double>(v), 1, {.dtype = float32}); }},
      {"linspace", [](auto v) { linspace(0, 1, v); }},
      {"eye", [](auto v) { eye(v); }},
      {"eye", [](auto v) { eye(2, v); }},
      {"eye", [](auto v) { eye(0, v); }},
      {"eye", [](auto v) { eye(v, 0); }},
  };
}

std::vector<Call> reductions() {
  return {
      {"sum", [](auto v) { sum(cube(), {v}); }},
      {"mean", [](auto v) { mean(cube(), {v, 0}); }},
      {"var", [](auto v) { var(cube(), {v}); }},
      {"std", [](auto v) { minima::std(cube(), {v}); }},
      {"var_mean", [](auto v) { var_mean(cube(), {v}); }},
      {"norm", [](auto v) { norm(cube(), 2, {v}); }},
      {"logsumexp", [](auto v) { logsumexp(cube(), {v}); }},
      {"all", [](auto v) { all(cube(), {v}); }},
      {"any", [](auto v) { any(cube(), {v}); }},
      {"count_nonzero", [](auto v) { count_nonzero(cube(), {v}); }},
      {"max", [](auto v) { max(cube(), v); }},
      {"min", [](auto v) { min(cube(), v); }},
      {"amax", [](auto v) { amax(cube(), {v}); }},
      {"amin", [](auto v) { amin(cube(), {v}); }},
      {"argmax", [](auto v) { argmax(cube(), v); }},
      {"argmin", [](auto v) { argmin(cube(), v); }},
      {"prod", [](auto v) { prod(cube(), {v}); }},
      {"cumsum", [](auto v) { cumsum(cube(), v); }},
      {"cummax", [](auto v) { cummax(cube(), v); }},
      {"cummin", [](auto v) { cummin(cube(), v); }},
      {"cumprod", [](auto v) { cumprod(cube(), v); }},
      {"sort", [](auto v) { sort(cube(), v); }},
      {"argsort", [](auto v) { argsort(cube(), v); }},
      {"topk", [](auto v) { topk(cube(), v); }},
      {"topk", [](auto v) { topk(cube(), 1, v); }},
      {"topk", [](auto v) { topk(huge(), v); }},
      {"softmax", [](auto v) { softmax(cube(), v); }},
      {"log_softmax", [](auto v) { log_softmax(cube(), v); }},
      {"glu", [](auto v) { glu(cube(), v); }},
      {"layer_norm", [](auto v) { layer_norm(cube(), {v}); }},
      {"layer_norm", [](auto v) { layer_norm(cube(), {v, v}); }},
      {"rms_norm", [](auto v) { rms_norm(cube(), {v}); }},
      {"add_rms_norm", [](auto v) { add_rms_norm(cube(), cube(), {v}); }},
      {"deform_conv2d", [](auto v) { deform_conv2d(images(), zeros({2, 18, 3, 4}), kernels(), {}, {.stride = v}); }},
      {"deform_conv2d", [](auto v) { deform_conv2d(images(), zeros({2, 18, 3, 4}), kernels(), {}, {.padding = v}); }},
      {"drop_block2d", [](auto v) { drop_block2d(images(), 0.5, v); }},
      {"drop_block3d", [](auto v) { drop_block3d(ones({2, 3, 4, 5, 6}), 0.5, v); }},
      {"add_layer_norm", [](auto v) { add_layer_norm(cube(), cube(), {v}); }},
      {"group_norm", [](auto v) { group_norm(cube(), v); }},
      {"group_norm", [](auto v) { group_norm(ones({2, 0, 4}), v); }},
      {"cross_entropy", [](auto v) { cross_entropy(ones({2, 3}), indices(), {.ignore_index = v}); }},
      {"cross_entropy", [](auto v) { cross_entropy(ones({1, 3}), tensor<std::int64_t>({v})); }},
      {"nll_loss", [](auto v) { nll_loss(ones({2, 3}), indices(), {.ignore_index = v}); }},
      {"nll_loss", [](auto v) { nll_loss(ones({1, 3}), tensor<std::int64_t>({v})); }},
      {"linear_cross_entropy",
       [](auto v) { linear_cross_entropy(ones({2, 3}), ones({4, 3}), {}, indices(), {.ignore_index = v}); }},
      {"linear_cross_entropy",
       [](auto v) { linear_cross_entropy(ones({1, 3}), ones({4, 3}), {}, tensor<std::int64_t>({v})); }},
  };
}

std::vector<Call> all_calls() {
  std::vector<Call> all;
  for (const auto& part : {transforms(), views(), arrangements(), convolutions(), windows(), creations(), reductions()})
    all.insert(all.end(), part.begin(), part.end());
  for (const OpCases& cases : all_op_cases())
    for (const auto& call : cases.huge_calls()) all.push_back({cases.name(), call});
  return all;
}

TEST(HugeAttributes, EndInAnErrorOrAResult) {
  Tally tally;
  for (const Call& call : all_calls())
    for (const std::int64_t value : extremes) {
      const Verdict verdict = within_limits([&] { call.call(value); });
      tally.add(verdict.outcome);
      EXPECT_NE(verdict.outcome, Outcome::intolerable) << call.op << " with " << value << ": " << verdict.text;
      EXPECT_NE(verdict.outcome, Outcome::costly) << call.op << " with " << value;
    }
  std::printf("%s\n", tally.text("attributes").c_str());
}

/// Whether a parameter list contains a size, a position or a dimension.
bool takes_sizes(const std::string& parameters) {
  for (const char* type : {"int64_t", "Shape&", "Pair ", "Layout&", "Pool1dOptions", "Pool2dOptions", "Conv",
                           "InterpolateOptions", "vector<Index>", "CrossEntropyOptions", " NllOptions"})
    if (parameters.find(type) != std::string::npos) return true;
  return false;
}

TEST(HugeAttributes, AreTriedOfEveryOperatorThatHasSome) {
  const std::set<std::string> internal{"make_view",         "make_plan", "reduced_shape",
                                       "with_reduced_dims", "lines_of",  "arranged"};
  std::set<std::string> tried;
  for (const Call& call : all_calls()) tried.insert(call.op);
  for (const auto& [name, overloads] : declarations())
    for (const std::string& parameters : overloads)
      EXPECT_TRUE(!takes_sizes(parameters) || internal.contains(name) || tried.contains(name))
          << name << "(" << parameters << ") needs OpCases::huge";
}

}  // namespace
}  // namespace minima::huge_attributes_test
