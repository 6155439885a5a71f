#pragma once

#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

// Initialisers with the formulas of torch.nn.init. They write in place to floating tensors on any device and record
// nothing. Random numbers come from the default generator unless one is passed.

namespace minima::nn::init {

/// The activation that follows a layer.
enum class Nonlinearity : std::uint8_t { linear, sigmoid, tanh, relu, leaky_relu, selu };
/// Chooses which of a weight's two sizes sets the scale: inputs or outputs.
enum class Fan : std::uint8_t { in, out };

/// The factor on a layer's weights that compensates for the activation after it: linear and sigmoid 1, tanh 5/3,
/// relu √2, leaky_relu √(2 / (1 + negative_slope²)), selu 3/4.
MINIMA_API double calculate_gain(Nonlinearity nonlinearity, double negative_slope = 0.01);

/// Fan in (in · Πk) and fan out (out · Πk) of a weight [out, in, k1, …].
struct Fans {
  double in;
  double out;
};
/// Throws ShapeError below rank 2.
MINIMA_API Fans fans(const Tensor& weight);

/// All elements `value`.
MINIMA_API const Tensor& constant_(const Tensor& x, double value);
/// All elements 1.
MINIMA_API const Tensor& ones_(const Tensor& x);
/// All elements 0.
MINIMA_API const Tensor& zeros_(const Tensor& x);
/// Uniform on [low, high).
MINIMA_API const Tensor& uniform_(const Tensor& x, double low = 0, double high = 1,
                                  RandomGenerator* generator = nullptr);
/// Normal with this mean and standard deviation.
MINIMA_API const Tensor& normal_(const Tensor& x, double mean = 0, double std = 1,
                                 RandomGenerator* generator = nullptr);

/// Parameters of `trunc_normal_`.
struct TruncatedNormal {
  double mean = 0;
  double std = 1;
  double low = -2;  ///< bounds of the values, not in standard deviations
  double high = 2;
};
/// Normal, truncated to [low, high], by inverse transform sampling.
MINIMA_API const Tensor& trunc_normal_(const Tensor& x, TruncatedNormal options = {},
                                       RandomGenerator* generator = nullptr);

/// Ones on the main diagonal of a matrix, zeros elsewhere.
MINIMA_API const Tensor& eye_(const Tensor& x);
/// A convolution weight [out, in, k1, …] (one to three spatial dimensions) that passes each channel through, per group.
MINIMA_API const Tensor& dirac_(const Tensor& x, std::int64_t groups = 1);

/// Uniform on ±gain · √(6 / (fan_in + fan_out)) (Glorot and Bengio 2010).
MINIMA_API const Tensor& xavier_uniform_(const Tensor& x, double gain = 1, RandomGenerator* generator = nullptr);
/// Normal with standard deviation gain · √(2 / (fan_in + fan_out)).
MINIMA_API const Tensor& xavier_normal_(const Tensor& x, double gain = 1, RandomGenerator* generator = nullptr);

/// Parameters of `kaiming_uniform_` and `kaiming_normal_`.
struct Kaiming {
  Fan mode = Fan::in;
  Nonlinearity nonlinearity = Nonlinearity::leaky_relu;
  double negative_slope = 0;  ///< for leaky_relu; at most 10⁶ in size
};
/// Uniform on ±gain · √(3 / fan) (He et al. 2015).
MINIMA_API const Tensor& kaiming_uniform_(const Tensor& x, Kaiming options = {}, RandomGenerator* generator = nullptr);
/// Normal with standard deviation gain / √fan.
MINIMA_API const Tensor& kaiming_normal_(const Tensor& x, Kaiming options = {}, RandomGenerator* generator = nullptr);

/// Views x as [size(0), rest] and fills it with gain times a random orthogonal matrix: orthonormal rows or columns,
/// whichever are fewer. Q of a normal matrix's QR decomposition, with signs chosen so it is uniformly distributed
/// (Saxe et al. 2014).
MINIMA_API const Tensor& orthogonal_(const Tensor& x, double gain = 1, RandomGenerator* generator = nullptr);
/// Normal, with ⌈sparsity · rows⌉ random zeros in every column of a matrix (Martens 2010).
MINIMA_API const Tensor& sparse_(const Tensor& x, double sparsity, double std = 0.01,
                                 RandomGenerator* generator = nullptr);

}  // namespace minima::nn::init
