#include "tests/ops/all_operators/declarations.h"
#include "tests/ops/checks/op_cases.h"

#include <minima/ops/boxes/regions.h>
#include <minima/ops/deform_conv2d/deform_conv2d.h>
#include <minima/ops/dropout/drop_block.h>
#include <minima/ops/fft/fft.h>
#include <minima/ops/fractional_pool/fractional_pool.h>
#include <minima/ops/loss/triplet_distance.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

// Tables of cases call their operators, and their in-place forms, with undefined inputs. This file does so for every
// other function of ops/ that takes a tensor.

namespace minima::undefined_test {
namespace {

using namespace test;

struct BadUse {
  std::string name;
  std::function<void()> call;
};

const std::vector<BadUse>& without_table() {
  static const Tensor none, x = ones({2, 2}), mask = x > 0, label = zeros({2, 2}, {.dtype = int64});
  static const std::vector<BadUse> all{
      {"adaptive_avg_pool2d", [] { adaptive_avg_pool2d(none, 1); }},
      {"add_", [] { add_(none, x); }},
      {"add_", [] { add_(x, none); }},
      {"add_", [] { add_(none, 1); }},
      {"add_", [] { add_(none, 0.5); }},
      {"addcmul_", [] { addcmul_(none, x, x); }},
      {"addcmul_", [] { addcmul_(x, none, x); }},
      {"addcmul_", [] { addcmul_(x, x, none); }},
      {"bernoulli", [] { bernoulli(none); }},
      {"bernoulli_", [] { bernoulli_(none); }},
      {"bitwise_and_", [] { bitwise_and_(none, label); }},
      {"bitwise_and_", [] { bitwise_and_(label, none); }},
      {"bitwise_and_", [] { bitwise_and_(none, 1); }},
      {"bitwise_or_", [] { bitwise_or_(none, label); }},
      {"bitwise_or_", [] { bitwise_or_(none, 1); }},
      {"bitwise_xor_", [] { bitwise_xor_(none, label); }},
      {"bitwise_xor_", [] { bitwise_xor_(none, 1); }},
      {"chunk", [] { chunk(none, 2); }},
      {"split_with_sizes", [] { split_with_sizes(none, {2}); }},
      {"clamp_", [] { clamp_(none, 0, 1); }},
      {"copy_", [] { copy_(none, x); }},
      {"copy_", [] { copy_(x, none); }},
      {"copy_as", [] { copy_as(none, x.layout()); }},
      {"div_", [] { div_(none, x); }},
      {"div_", [] { div_(x, none); }},
      {"div_", [] { div_(none, 1); }},
      {"elu_", [] { elu_(none); }},
      {"empty_like", [] { empty_like(none); }},
      {"exp_", [] { exp_(none); }},
      {"feature_alpha_dropout", [] { feature_alpha_dropout(none, 0.5); }},
      {"feature_dropout", [] { feature_dropout(none, 0.5); }},
      {"fftshift", [] { fft::fftshift(none); }},
      {"ifftshift", [] { fft::ifftshift(none); }},
      {"fill_", [] { fill_(none, 1); }},
      {"index_put_", [] { index_put_(none, {0}, x); }},
      {"index_put_", [] { index_put_(x, {0}, none); }},
      {"index_put_", [] { index_put_(x, {none}, x); }},
      {"index_put_", [] { index_put_(none, {0}, 1); }},
      {"index_put_", [] { index_put_(x, {none}, 1); }},
      {"leaky_relu_", [] { leaky_relu_(none); }},
      {"lerp_", [] { lerp_(none, x, 0.5); }},
      {"lerp_", [] { lerp_(x, none, 0.5); }},
      {"masked_fill_", [] { masked_fill_(none, mask, 1); }},
      {"masked_fill_", [] { masked_fill_(x, none, 1); }},
      {"max_pool1d_with_indices", [] { max_pool1d_with_indices(none, {.kernel = 2}); }},
      {"max_pool2d_with_indices", [] { max_pool2d_with_indices(none, {.kernel = 2}); }},
      {"max_pool3d_with_indices", [] { max_pool3d_with_indices(none, {.kernel = 2}); }},
      {"adaptive_max_pool3d_with_indices", [] { adaptive_max_pool3d_with_indices(none, 1); }},
      {"mul_", [] { mul_(none, x); }},
      {"mul_", [] { mul_(x, none); }},
      {"mul_", [] { mul_(none, 1); }},
      {"multinomial", [] { multinomial(none, 1); }},
      {"poisson", [] { poisson(none); }},
      {"neg_", [] { neg_(none); }},
      {"normal_", [] { normal_(none); }},
      {"one_hot", [] { one_hot(none, 2); }},
      {"ones_like", [] { ones_like(none); }},
      {"relu_", [] { relu_(none); }},
      {"remainder_", [] { remainder_(none, x); }},
      {"remainder_", [] { remainder_(x, none); }},
      {"remainder_", [] { remainder_(none, 2); }},
      {"sigmoid_", [] { sigmoid_(none); }},
      {"sqrt_", [] { sqrt_(none); }},
      {"sub_", [] { sub_(none, x); }},
      {"sub_", [] { sub_(x, none); }},
      {"tanh_", [] { tanh_(none); }},
      {"unbind", [] { unbind(none); }},
      {"pack_padded_sequence", [] { pack_padded_sequence(none, {1}); }},
      {"unpad_sequence", [] { unpad_sequence(none, {1}); }},
      {"uniform_", [] { uniform_(none); }},
      {"view", [] { view(none, {4}); }},
      {"zero_", [] { zero_(none); }},
      {"zeros_like", [] { zeros_like(none); }},
      // Overloads with a number that no table covers.
      {"fmod", [] { fmod(none, 2); }},
      {"fmod", [] { fmod(2, none); }},
      {"remainder", [] { remainder(none, 2); }},
      {"remainder", [] { remainder(2, none); }},
      {"floor_divide", [] { floor_divide(none, 2); }},
      {"floor_divide", [] { floor_divide(2, none); }},
      {"bitwise_and", [] { bitwise_and(none, 2); }},
      {"bitwise_or", [] { bitwise_or(none, 2); }},
      {"bitwise_xor", [] { bitwise_xor(none, 2); }},
      {"where", [] { where(none, 1, 0); }},
      {"where", [] { where(mask, none, 0); }},
      {"where", [] { where(mask, 0, none); }},
      {"max_pool2d", [] { max_pool2d(none, 2); }},
      {"avg_pool2d", [] { avg_pool2d(none, 2); }},
      {"max_pool1d", [] { max_pool1d(none, 2); }},
      {"avg_pool1d", [] { avg_pool1d(none, 2); }},
      {"index", [] { index(x, {none}); }},
      {"bincount", [] { bincount(none); }},
      {"median", [] { median(none); }},
      {"nanmedian", [] { nanmedian(none); }},
      {"quantile", [] { quantile(none, 0.5); }},
      {"tensordot", [] { tensordot(x, none, 1); }},
      {"deform_conv2d", [] { deform_conv2d(none, x, x); }},
      {"deform_conv2d", [] { deform_conv2d(x, none, x); }},
      {"deform_conv2d", [] { deform_conv2d(x, x, none); }},
      {"drop_block2d", [] { drop_block2d(none, 0.5, 2); }},
      {"drop_block3d", [] { drop_block3d(none, 0.5, 2); }},
      {"fractional_max_pool2d", [] { fractional_max_pool2d(none, {.kernel = 2, .size = 1}); }},
      {"fractional_max_pool2d_with_indices",
       [] { fractional_max_pool2d_with_indices(none, {.kernel = 2, .size = 1}); }},
      {"fractional_max_pool3d", [] { fractional_max_pool3d(none, {.kernel = 2, .size = 1}); }},
      {"fractional_max_pool3d_with_indices",
       [] { fractional_max_pool3d_with_indices(none, {.kernel = 2, .size = 1}); }},
      {"roi_pool", [] { roi_pool(none, x); }},
      {"roi_pool", [] { roi_pool(x, none); }},
      {"ps_roi_pool", [] { ps_roi_pool(none, x); }},
      {"ps_roi_pool", [] { ps_roi_pool(x, none); }},
      {"ps_roi_align", [] { ps_roi_align(none, x); }},
      {"ps_roi_align", [] { ps_roi_align(x, none); }},
      {"triplet_margin_with_distance_loss", [] { triplet_margin_with_distance_loss(none, x, x); }},
      {"triplet_margin_with_distance_loss", [] { triplet_margin_with_distance_loss(x, none, x); }},
      {"triplet_margin_with_distance_loss", [] { triplet_margin_with_distance_loss(x, x, none); }},
  };
  return all;
}

TEST(UndefinedInputs, AreRefusedByNameWithoutATableToo) {
  for (const BadUse& use : without_table()) {
    try {
      use.call();
      ADD_FAILURE() << use.name << ": nothing was thrown";
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("undefined"), std::string::npos) << use.name << ": " << text;
    }
  }
}

TEST(UndefinedInputs, NoFunctionIsLeftOut) {
  std::set<std::string> known;
  for (const BadUse& use : without_table()) known.insert(use.name);
  for (const OpCases& cases : all_op_cases()) {
    std::istringstream words(cases.name());
    for (std::string word; words >> word;) known.insert(word);
  }
  int found = 0;
  for (const auto& [name, overloads] : declarations()) {
    const bool takes_tensor = std::any_of(overloads.begin(), overloads.end(), [](const std::string& parameters) {
      return parameters.find("const Tensor&") != std::string::npos;
    });
    found += takes_tensor;
    EXPECT_TRUE(!takes_tensor || known.contains(name)) << name << ": call it with an undefined tensor in this file";
  }
  EXPECT_GT(found, 150);
}

}  // namespace
}  // namespace minima::undefined_test
