#include <minima/ops/convolution/conv_ending.h>

#include <minima/ops/pointwise/functors/activation.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/threads/parallel.h>

#include <cstdint>

namespace minima::detail {

void finish(const ConvEnding& ending, const ConvBlock& block, float* result) {
  const float *const scale = ending.scale + block.channel, *const shift = ending.shift + block.channel;
  const std::int64_t channels = block.channels;
  const auto pass = [&](const auto& last) {
    for (std::int64_t i = block.position; i < block.position + block.positions; ++i) {
      float* const y = result + i * block.stride + block.channel;
      const float* const added = ending.residual ? ending.residual + (y - result) : y;
      MINIMA_IVDEP
      for (std::int64_t c = 0; c < channels; ++c) y[c] = last(y[c] * scale[c] + shift[c], added[c]);
    }
  };
  const pointwise::functor::Relu relu;
  if (ending.residual && ending.relu) pass([=](float y, float r) { return relu(y + r); });
  else if (ending.residual) pass([](float y, float r) { return y + r; });
  else if (ending.relu) pass([=](float y, float) { return relu(y); });
  else pass([](float y, float) { return y; });
}

void finish(const ConvEnding& ending, float* result, std::int64_t positions, std::int64_t channels) {
  const double cost = 0.5 * static_cast<double>(channels);
  parallel_for(0, positions, grain_for(cost), [&](std::int64_t first, std::int64_t last) {
    finish(ending, {first, 0, last - first, channels, channels}, result);
  });
}

}  // namespace minima::detail
