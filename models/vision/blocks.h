#pragma once

#include <minima/nn/containers/sequential.h>
#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>
#include <minima/nn/norm/batch_norm.h>

#include <cstdint>

// The image models share these blocks, with the names and the initial weights of torchvision's. Internal to models.

namespace minima::models::detail {

/// `channels` rounded to a multiple of 8, but by no more than a tenth downwards.
std::int64_t multiple_of_8(double channels);

/// A convolution without bias that keeps the image's size but for the stride.
nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1,
                std::int64_t groups = 1);

/// Weights of all convolutions normal with variance 2 / fan out (He et al. 2015), their biases 0.
void init_convolutions(nn::ModuleBase& module);
/// Weights of all linear layers normal with this standard deviation, their biases 0.
void init_linear_layers(nn::ModuleBase& module, double std);

/// The mean over the pixels of each channel: x [N, C, H, W] → [N, C].
Tensor pooled(const Tensor& x);

/// Channels scaled by a small network's view of their means (Hu et al. 2018): x · scale(fc2(activation(fc1(mean x)))).
class SqueezeExcitation : public nn::Module {
 public:
  using Function = Tensor (*)(const Tensor&);
  SqueezeExcitation(std::int64_t channels, std::int64_t squeezed, Function activation, Function scale);
  Tensor forward(const Tensor& x) override;

  nn::Conv2d fc1, fc2;

 private:
  Function activation_, scale_;
};

/// x with whole samples set to 0, each with probability p, and the others scaled by 1 / (1 - p), in training; otherwise
/// x (Huang et al. 2016).
Tensor stochastic_depth(const Tensor& x, double p, bool training);

}  // namespace minima::models::detail
