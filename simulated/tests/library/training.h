#pragma once

#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>

#include <vector>

// A small training on a simulated GPU: operators, gradients and updates by kernels of this program, everything else by
// the library. Float32 arithmetic in one order, so its weights are the CPU's bit for bit.

namespace minima::test {

/// a·b and a - b, elementwise, of float32 tensors on a GPU.
Tensor product(const Tensor& a, const Tensor& b);
Tensor difference(const Tensor& a, const Tensor& b);

/// Fits w·w·x = t by gradient descent on ½ Σ (w·w·x - t)².
class Training {
 public:
  static constexpr std::int64_t size = 64;

  explicit Training(Device device);
  /// x and t float32 [64] on the device.
  void step(const Tensor& x, const Tensor& t) const;
  Tensor error(const Tensor& x, const Tensor& t) const;  ///< forward
  void descend(const Tensor& error) const;               ///< backward and update
  std::vector<float> weights() const { return w_.to_vector<float>(); }
  const Tensor& parameter() const { return w_; }

 private:
  Tensor w_;
};

/// The same on the CPU, by loops.
std::vector<float> expected_weights(int steps);

/// How a training of some steps goes about it.
enum class Mode {
  loader,    ///< batches come from a DataLoader's copying thread
  captured,  ///< batches of the CPU go into a captured step
  streams    ///< two streams take turns with the forwards, backward is called on the default stream
};
inline constexpr const char* mode_names[] = {"loader", "captured", "streams"};
/// The weights after a training on the first GPU.
std::vector<float> train(Mode mode, int steps);

/// The n-th batch: x and t, float32 [64], on the CPU.
std::vector<Tensor> batch(int n);

}  // namespace minima::test
