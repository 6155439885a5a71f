#pragma once

#include <minima/nn/containers/list.h>
#include <minima/nn/module/module.h>
#include <minima/tensor/base/error.h>

#include <string>
#include <vector>

// Modules that need no operator, so tests of the module contract test nothing else.

namespace toy {

using minima::Tensor;
namespace nn = minima::nn;

inline Tensor values(std::initializer_list<float> list) { return minima::tensor<float>(list); }

/// An input that Shift rejects.
inline Tensor nothing() { return minima::empty({0}); }

/// y = x + amount, computed by hand.
struct Shift : nn::Module {
  explicit Shift(float amount = 0, bool with_bias = true)
      : bias(parameter("bias", with_bias ? values({amount}) : Tensor())) {}
  nn::Parameter bias;
  nn::Buffer calls = buffer("calls", values({0}));
  nn::Buffer scratch = buffer("scratch", values({7}), /*persistent=*/false);
  Tensor forward(const Tensor& x) {
    if (x.numel() == 0) throw minima::ValueError("shift: the input is empty");
    std::vector<float> result = x.to_vector<float>();
    for (float& value : result) value += bias.defined() ? bias.item<float>() : 0;
    calls.data<float>()[0] += 1;
    return minima::from_vector(result, x.shape());
  }
};

/// The style the documentation shows.
struct Net : nn::Module {
  nn::ListOf<Shift> layers = child("layers", nn::ListOf<Shift>());
  Shift a = child("a", Shift(1));
  Shift b = child("b", Shift(10));
  Tensor forward(const Tensor& x) { return b(a(x)); }
};

template <class Named>
std::vector<std::string> names(const std::vector<Named>& list) {
  std::vector<std::string> result;
  for (const Named& entry : list) result.push_back(entry.name);
  return result;
}

using Names = std::vector<std::string>;

inline float call(nn::Module& module, float x) { return module(values({x})).item<float>(); }

}  // namespace toy
