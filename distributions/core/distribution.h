#pragma once

#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <type_traits>
#include <vector>

// Probability distributions with the names, formulas and shapes of torch.distributions. Parameters broadcast to the
// batch shape; a draw has the shape sample shape + batch shape + event shape. Everything is made of operators, so it
// runs on any device and differentiates, to any order, with respect to parameters and values. Parameters are checked
// on the CPU only, since a check on a GPU would wait for it.

namespace minima::distributions {

/// A parameter: a floating tensor, or a number that takes the dtype and device of the other parameters.
class MINIMA_API Argument {
 public:
  Argument(Tensor tensor) : tensor_(std::move(tensor)) {}
  template <class T>
  requires std::is_arithmetic_v<T> Argument(T number) : number_(static_cast<double>(number)) {}
  const Tensor& tensor() const { return tensor_; }  ///< undefined for a number
  double number() const { return number_; }

 private:
  Tensor tensor_;
  double number_ = 0;
};

/// Base of all distributions. Objects are values; copies share their parameters' memory.
class MINIMA_API Distribution {
 public:
  virtual ~Distribution();
  /// The shape of independent distributions of different parameters.
  const Shape& batch_shape() const { return batch_shape_; }
  /// The shape of one draw from one distribution: {} for a number, {C} for a vector.
  const Shape& event_shape() const { return event_shape_; }

  /// Draws without gradient: `shape` draws from each distribution, [shape..., batch..., event...].
  Tensor sample(const Shape& shape = {}, RandomGenerator* generator = nullptr) const;
  /// Draws that are differentiable functions of the parameters. Throws ValueError unless `has_rsample`.
  Tensor rsample(const Shape& shape = {}, RandomGenerator* generator = nullptr) const;
  virtual bool has_rsample() const { return false; }

  /// The logarithm of the density or probability of values that broadcast with [batch..., event...]: [..., batch...].
  /// -∞ outside the support: for counts also of fractions, for vectors of classes also of what is not one-hot, does not
  /// add up to 1 (but for 1e-6 or C roundings) or, of Multinomial, to total_count. Categorical takes numbers that are
  /// no classes for an IndexError.
  virtual Tensor log_prob(const Tensor& value) const = 0;
  /// [batch...], in nats. Throws ValueError where there is no formula.
  virtual Tensor entropy() const;
  /// [batch..., event...]
  virtual Tensor mean() const;
  /// [batch..., event...]
  virtual Tensor variance() const;
  /// The square root of the variance.
  Tensor stddev() const;
  /// The probability of a draw of at most `value`. Throws ValueError where there is no formula.
  virtual Tensor cdf(const Tensor& value) const;
  /// The inverse of `cdf`.
  virtual Tensor icdf(const Tensor& probability) const;
  /// `Normal`
  virtual const char* name() const = 0;

 protected:
  Distribution(Shape batch_shape, Shape event_shape);
  Distribution(const Distribution&) = default;
  Distribution(Distribution&&) noexcept = default;
  Distribution& operator=(const Distribution&) = default;
  Distribution& operator=(Distribution&&) noexcept = default;

  /// Draws of the full shape [..., batch..., event...]; recorded if the caller's mode records.
  virtual Tensor draw(const Shape& shape, RandomGenerator* generator) const = 0;
  /// Lets a distribution draw from another.
  static Tensor draw_from(const Distribution& other, const Shape& shape, RandomGenerator* generator) {
    return other.draw(shape, generator);
  }

 private:
  [[noreturn]] void refuse(const char* what) const;

  Shape batch_shape_, event_shape_;
};

/// Probabilities or their logarithms, of which exactly one is given. Logits need not be normalised; probabilities over
/// classes neither.
struct ProbsOrLogits {
  Tensor probs = {};
  Tensor logits = {};
};

namespace detail {

/// Parameters of one distribution, broadcast with each other and of one dtype. Throws DTypeError for a tensor that is
/// not floating.
MINIMA_API std::vector<Tensor> broadcast_arguments(const char* name, const std::vector<Argument>& arguments);
/// Throws ValueError unless every element is positive. Tests nothing on a GPU.
MINIMA_API void expect_positive(const char* name, const char* parameter, const Tensor& x);
/// Throws ValueError unless every element is in [0, 1]. Tests nothing on a GPU.
MINIMA_API void expect_probabilities(const char* name, const Tensor& probs);
/// The one of the two that is given; throws ValueError unless it is exactly one, DTypeError unless it is floating.
MINIMA_API const Tensor& given(const char* name, const ProbsOrLogits& options);
/// Throws ValueError if an element is NaN. Tests nothing on a GPU.
MINIMA_API void expect_real(const char* name, const char* parameter, const Tensor& x);
/// Throws ValueError if an element is negative or NaN. Tests nothing on a GPU.
MINIMA_API void expect_nonnegative(const char* name, const char* parameter, const Tensor& x);
/// Probabilities away from 0 and 1 by the dtype's epsilon, so that their logarithms are finite.
MINIMA_API Tensor clamp_probs(const Tensor& probs);
/// x moved into (0, 1) by the dtype's smallest number and epsilon.
MINIMA_API Tensor open_unit(const Tensor& x);
/// `value` where it is in the support, else `inside`, a value of the support: formulas then have finite gradients.
MINIMA_API Tensor within(const Tensor& supported, const Tensor& value, double inside);
/// Whether each element is one of 0, 1, 2, …
MINIMA_API Tensor is_count(const Tensor& value);
/// Whether vectors [..., C] are positive or 0 and add up to 1, but for 1e-6 or C roundings of either dtype: [...].
MINIMA_API Tensor on_simplex(const Tensor& value, const Tensor& parameter);
/// log x, -∞ at 0 with a derivative of 0.
MINIMA_API Tensor log_or_impossible(const Tensor& x);
/// The values in the support, 0 for others, as floating numbers: integers take the dtype of the parameter.
MINIMA_API Tensor counts_within(const Tensor& supported, const Tensor& value, const Tensor& parameter);
/// weights·x, 0 where a weight of 0 meets an infinite x or NaN.
MINIMA_API Tensor weighted(const Tensor& weights, const Tensor& x);
/// `density` where the value is in the support, else -∞.
MINIMA_API Tensor minus_infinity_outside(const Tensor& supported, const Tensor& density);
/// log(1 + x²) without overflow.
MINIMA_API Tensor log1p_square(const Tensor& x);
/// The dtype and device of a parameter.
MINIMA_API TensorOptions options_of(const Tensor& parameter);
/// a + b, as lists of sizes.
MINIMA_API Shape joined(const Shape& a, const Shape& b);
/// x summed over its last `count` dimensions.
MINIMA_API Tensor sum_rightmost(const Tensor& x, int count);
/// The smallest normal number of a floating dtype.
MINIMA_API double smallest_normal(DType dtype);
/// The distance from 1 to the next larger number of a floating dtype.
MINIMA_API double epsilon_of(DType dtype);
/// Uniform on (0, 1) on the device of a parameter, in its dtype, but float32 for half types: the tails of a draw come
/// from the digits of u next to 0 and 1. 0 is replaced by half the distance of two such numbers.
MINIMA_API Tensor open_uniform(const Shape& shape, const Tensor& parameter, RandomGenerator* generator);
/// A draw rounded to the dtype of its parameters, and to its largest number instead of ∞.
MINIMA_API Tensor rounded_draw(const Tensor& x, DType dtype);
/// The same for draws of positive numbers, which are at least the dtype's smallest.
MINIMA_API Tensor positive_draw(const Tensor& x, DType dtype);

}  // namespace detail

}  // namespace minima::distributions
