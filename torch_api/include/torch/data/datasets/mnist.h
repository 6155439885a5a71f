#pragma once

#include <torch/data/datasets/base.h>

#include <string>

namespace torch::data::datasets {

/// Reads the files of MNIST, and of data sets in its format, from the folder `root`: images float32 [1, 28, 28] in
/// [0, 1], targets int64. Unlike LibTorch it also reads them compressed (`.gz`), and takes any number of images.
class MNIST : public Dataset<MNIST> {
 public:
  enum class Mode { kTrain, kTest };

  explicit MNIST(const std::string& root, Mode mode = Mode::kTrain);

  Example<> get(size_t index) override;
  std::optional<size_t> size() const override;
  bool is_train() const noexcept { return is_train_; }
  /// All images, float32 [N, 1, 28, 28].
  const Tensor& images() const { return images_; }
  /// All targets, int64 [N].
  const Tensor& targets() const { return targets_; }

 private:
  bool is_train_;
  Tensor images_, targets_;
};

}  // namespace torch::data::datasets
