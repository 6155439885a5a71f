#pragma once

#include <torch/data/example.h>
#include <torch/data/transforms/base.h>

#include <functional>

namespace torch::data::transforms {

/// Changes the data of examples and leaves their targets alone.
template <typename Target = Tensor>
class TensorTransform : public Transform<Example<Tensor, Target>, Example<Tensor, Target>> {
 public:
  using E = Example<Tensor, Target>;

  virtual Tensor operator()(Tensor input) = 0;

  E apply(E input) override {
    input.data = (*this)(std::move(input.data));
    return input;
  }
};

template <typename Target = Tensor>
class TensorLambda : public TensorTransform<Target> {
 public:
  using FunctionType = std::function<Tensor(Tensor)>;

  explicit TensorLambda(FunctionType function) : function_(std::move(function)) {}
  Tensor operator()(Tensor input) override { return function_(std::move(input)); }

 private:
  FunctionType function_;
};

namespace detail {
/// A number for each channel: float32 [C, 1, 1].
Tensor per_channel(ArrayRef<double> numbers);
Tensor normalized(const Tensor& input, const Tensor& mean, const Tensor& stddev);
}  // namespace detail

/// Subtracts `mean` and divides by `stddev`: one number, or one for each channel of images [C, H, W].
template <typename Target = Tensor>
struct Normalize : public TensorTransform<Target> {
  Normalize(ArrayRef<double> mean, ArrayRef<double> stddev)
      : mean(detail::per_channel(mean)), stddev(detail::per_channel(stddev)) {}
  Tensor operator()(Tensor input) override { return detail::normalized(input, mean, stddev); }

  Tensor mean, stddev;
};

}  // namespace torch::data::transforms
