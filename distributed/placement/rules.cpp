#include <minima/distributed/placement/rules.h>

#include <minima/distributed/placement/placement.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <mutex>
#include <sstream>
#include <string>
#include <unordered_map>

namespace minima::distributed {

namespace {

using detail::Form;
using detail::PlacementRule;
using Rules = std::unordered_map<std::string, PlacementRule>;

void add_rules(Rules& rules, const PlacementRule& rule, const char* names) {
  std::istringstream words(names);
  for (std::string name; words >> name;) rules[name] = rule;
}

Rules make_rules() {
  Rules rules;
  add_rules(rules, {.form = Form::additive}, "add sub lerp complex");
  add_rules(rules, {.form = Form::additive, .is_pointwise = false}, "cat");
  add_rules(rules, {.form = Form::additive, .linear = 0b110}, "where");
  add_rules(rules, {.form = Form::additive, .linear = 0b101, .is_pointwise = false},
            "index_put scatter_add slice_gradient");
  add_rules(rules, {.form = Form::product}, "mul neg copy to dropout conj real imag");
  add_rules(rules, {.form = Form::product, .linear = 0b1}, "div tril triu rotary_embedding");
  add_rules(rules, {.form = Form::product, .linear = 0b10}, "swiglu");
  add_rules(rules, {.form = Form::product, .is_pointwise = false}, "cross");
  add_rules(rules, {.form = Form::product, .linear = 0b1, .is_pointwise = false},
            "as_strided avg_pool2d avg_pool2d_gradient cumsum diagonal embedding embedding_bag embedding_bag_gradient "
            "embedding_gradient expand fft fold gather gather_gradient interpolate irfft mean pad pad_gradient "
            "permute reshape rfft roll row_exchange select slice split_gradient transpose unfold view_as_complex "
            "view_as_real activation_gradient glu_gradient swiglu_gradient loss_gradient max_pool2d_gradient "
            "max_pool2d_gather softmax_gradient interpolate_gradient grid_sample_gradient");
  add_rules(rules, {.form = Form::weighted, .is_pointwise = false}, "linear conv2d conv3d");
  add_rules(rules, {.form = Form::matmul, .is_pointwise = false}, "matmul");
  add_rules(rules, {.form = Form::product, .is_pointwise = false},
            "conv2d_input_gradient conv3d_input_gradient conv2d_weight_gradient conv3d_weight_gradient");
  add_rules(rules, {.form = Form::sum, .linear = 0b1, .is_pointwise = false}, "sum");
  add_rules(rules, {.form = Form::extreme, .is_pointwise = false}, "amax amin max min");
  add_rules(rules, {.form = Form::fill}, "fill_");
  add_rules(rules, {.form = Form::copy}, "copy_");
  add_rules(rules, {.form = Form::normalized},
            "softmax log_softmax layer_norm rms_norm add_layer_norm add_rms_norm argmax");
  add_rules(rules, {.form = Form::classes, .is_pointwise = false}, "cross_entropy");
  add_rules(rules, {.form = Form::collective, .is_pointwise = false},
            "copy_to_ranks sum_from_ranks all_reduce_sum gather_from_ranks scatter_sum_to_ranks all_to_all_ranks");
  add_rules(rules, {.form = Form::nonlinear},
            "abs acos acosh addcdiv addcmul airy_ai asin asinh atan atan2 atanh bessel binary_cross_entropy "
            "binary_cross_entropy_with_logits bitwise_and bitwise_left_shift bitwise_not bitwise_or "
            "bitwise_right_shift bitwise_xor ceil celu change_pixels chebyshev_polynomial_t chebyshev_polynomial_u "
            "chebyshev_polynomial_v chebyshev_polynomial_w clamp copysign cos cosh digamma elu entr eq erf erfc erfcx "
            "erfinv exp exp2 expm1 floor floor_divide fmod frac frexp gcd ge gelu gelu_tanh gt hardshrink hardsigmoid "
            "hardswish hardtanh hermite_polynomial_h hermite_polynomial_he huber_loss hypot igamma isfinite isnan "
            "kl_div kl_div_log_target l1_loss laguerre_polynomial_l lcm le leaky_relu legendre_polynomial_p lgamma "
            "log log10 log1p log2 log_ndtr log_sigmoid logaddexp logical_and logical_not logical_or lt maximum "
            "minimum mish modified_bessel mse_loss nan_to_num ne nextafter polygamma pow reciprocal relu relu6 "
            "relu_squared remainder round rsqrt selu shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u "
            "shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w sigmoid sign signbit silu sin sinh "
            "smooth_l1_loss softplus softshrink softsign sqrt square tan tanh trunc xlog1py xlogy zeta");
  add_rules(rules, {.form = Form::nonlinear, .is_pointwise = false},
            "argmin argsort batch_norm batch_norm_relu bincount cdist cholesky cholesky_ex "
            "conv2d_batch_norm cross_entropy_targets cummax cummin cumprod det eig eigh eigvals eigvalsh feed_forward "
            "geqrf glu "
            "grid_sample group_norm histc inv ldl_factor ldl_solve linear_cross_entropy logcumsumexp lu_factor "
            "matrix_exp matrix_sqrth max_pool2d mean_square median nansum nms nonzero norm normalize_images "
            "pinv qr running_extreme scaled_dot_product_attention scatter_extreme searchsorted slogdet solve "
            "solve_transposed solve_triangular svd svdvals");
  return rules;
}

const Rules& own_rules() {
  static const Rules rules = make_rules();
  return rules;
}

struct Declared {
  std::mutex mutex;
  Rules rules;
};
Declared& declared_rules() {
  static Declared declared;
  return declared;
}

}  // namespace

const char* name(Placement placement) {
  static constexpr const char* names[] = {"replicated", "invariant", "varying", "partial"};
  return names[static_cast<int>(placement)];
}

void declare_operator(const std::string& name, OperatorPlacement placement) {
  if (name.empty()) throw ValueError("declare_operator: the name is empty; pass the operator's traits.name");
  if (own_rules().contains(name))
    throw ValueError(str("declare_operator: ", name, " is an operator of minima, which has its rule"));
  PlacementRule rule{.form = Form::nonlinear, .is_pointwise = false};
  if (placement == OperatorPlacement::linear) rule.form = Form::additive;
  if (placement == OperatorPlacement::product) rule.form = Form::product;
  Declared& declared = declared_rules();
  const std::lock_guard guard(declared.mutex);
  declared.rules.insert_or_assign(name, rule);
}

const PlacementRule* detail::find_rule(const std::string& op) {
  if (const auto found = own_rules().find(op); found != own_rules().end()) return &found->second;
  Declared& declared = declared_rules();
  const std::lock_guard guard(declared.mutex);
  const auto found = declared.rules.find(op);
  return found == declared.rules.end() ? nullptr : &found->second;
}

}  // namespace minima::distributed
