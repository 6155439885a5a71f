#pragma once

#include <minima/minima.h>

/// Mixes channels frequency by frequency: multiplies the lowest `modes` frequencies of each axis by complex matrices
/// and drops the others. Its weights do not depend on the resolution of x [N, channels, H, W].
class SpectralConv2d : public minima::nn::Module {
 public:
  SpectralConv2d(std::int64_t channels, std::int64_t modes);
  minima::Tensor forward(const minima::Tensor& x) override;

  /// [2·modes · modes, in, out, 2]: real and imaginary parts for frequencies 0 … modes - 1, then -modes … -1, of the
  /// rows, and 0 … modes - 1 of the columns.
  minima::nn::Parameter weight;

 private:
  std::int64_t modes_;
};

/// gelu(spectral(x) + pointwise(x)), the last one without gelu.
struct FourierLayer : minima::nn::Module {
  FourierLayer(std::int64_t channels, std::int64_t modes, bool is_last);
  minima::Tensor forward(const minima::Tensor& x) override;

  SpectralConv2d spectral;
  minima::nn::Conv2d pointwise;
  bool is_last;
};

/// A Fourier neural operator: permeability [N, 1, H, W] to pressure [N, 1, H, W], of any resolution. It also sees each
/// cell's coordinates.
struct FourierNeuralOperator : minima::nn::Module {
  FourierNeuralOperator(std::int64_t channels, std::int64_t modes, std::int64_t layers);
  minima::Tensor forward(const minima::Tensor& a) override;

  minima::nn::Conv2d lift;
  minima::nn::ListOf<FourierLayer> layers;
  minima::nn::Conv2d project1, project2;
};
