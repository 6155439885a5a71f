#include <minima/autograd/gradcheck.h>

#include <minima/autograd/backward.h>
#include <minima/autograd/mode.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/complex/parts.h>
#include <minima/tensor/random/philox.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/transfer.h>
#include <minima/tensor/zero_memory.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace minima {

namespace {

/// Element i, in row-major order, of a float64 tensor on any device; those of a complex128 tensor are its parts.
class Element {
 public:
  Element(const Tensor& x, std::int64_t i) : x_(detail::parts_of(x)), address_(x_.data<double>()) {
    for (int dim = x_.rank() - 1; dim >= 0; --dim) {
      address_ += i % x_.shape()[dim] * x_.strides()[dim];
      i /= x_.shape()[dim];
    }
  }
  double value() const {
    double value = 0;
    copy(&value, Device::cpu(), address_, x_.device());
    return value;
  }
  void set(double value) const { copy(address_, x_.device(), &value, Device::cpu()); }

 private:
  void copy(double* to, Device to_device, const double* from, Device from_device) const {
    if (x_.device().is_cpu()) *to = *from;
    else detail::gpu_copy(to, to_device, from, from_device, sizeof *to, x_.impl()->storage.get());
  }

  Tensor x_;
  double* address_;
};

/// The number of real numbers in a tensor.
std::int64_t entries_of(const Tensor& x) { return is_complex(x.dtype()) ? 2 * x.numel() : x.numel(); }
std::vector<double> numbers_of(const Tensor& x) { return detail::parts_of(x).to_vector<double>(); }

bool is_checked(const Tensor& input) { return input.defined() && input.requires_grad(); }

void expect_checkable(const std::vector<Tensor>& inputs) {
  bool any = false;
  for (const Tensor& input : inputs) {
    if (!is_checked(input)) continue;
    any = true;
    if (real_dtype(input.dtype()) != DType::float64)
      throw DTypeError(
          str("gradcheck: needs float64 or complex128 inputs, since differences in less precision say little; got ",
              input));
    if (input.layout().may_overlap())
      throw ValueError(str("gradcheck: elements of ", input, " share memory; clone it"));
  }
  if (!any) throw ValueError("gradcheck: no input requires grad");
}

/// The outputs of f without recording, which must have the shapes of those with it.
std::vector<std::vector<double>> values_of(const TensorFunction& f, const std::vector<Tensor>& inputs,
                                           const std::vector<Tensor>& recorded) {
  NoGrad guard;
  const std::vector<Tensor> outputs = f(inputs);
  if (outputs.size() != recorded.size())
    throw ValueError(str("gradcheck: f returned ", recorded.size(), " outputs at first, then ", outputs.size(),
                         " without recording or for other inputs"));
  std::vector<std::vector<double>> values;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (outputs[o].shape() != recorded[o].shape())
      throw ShapeError(str("gradcheck: output ", o, " was ", recorded[o], " at first, then ", outputs[o],
                           " without recording or for other inputs"));
    values.push_back(numbers_of(outputs[o]));
  }
  return values;
}

/// One column of the Jacobian: the change of every output element with element `i` of `input`.
std::vector<std::vector<double>> differences(const TensorFunction& f, const std::vector<Tensor>& inputs,
                                             const std::vector<Tensor>& outputs, const Tensor& input, std::int64_t i,
                                             double eps) {
  const Element x(input, i);
  const double kept = x.value();
  x.set(kept + eps);
  auto above = values_of(f, inputs, outputs);
  x.set(kept - eps);
  const auto below = values_of(f, inputs, outputs);
  x.set(kept);
  for (std::size_t o = 0; o < above.size(); ++o)
    for (std::size_t j = 0; j < above[o].size(); ++j) above[o][j] = (above[o][j] - below[o][j]) / (2 * eps);
  return above;
}

struct Worst {
  double excess = 0;
  std::string text;
  std::int64_t count = 0;
};

}  // namespace

GradcheckReport gradcheck(const TensorFunction& f, const std::vector<Tensor>& inputs, GradcheckOptions options) {
  expect_checkable(inputs);
  detail::check_number("gradcheck", "eps", options.eps, detail::positive);
  for (const auto& [name, value] : {std::pair("atol", options.atol), {"rtol", options.rtol}})
    detail::check_number("gradcheck", name, value, {.low = 0, .has_low = true, .has_high = true});
  EnableGrad guard;
  const std::vector<Tensor> outputs = f(inputs);
  std::vector<Tensor> wanted;
  std::vector<std::size_t> position;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (is_checked(inputs[i])) {
      wanted.push_back(inputs[i]);
      position.push_back(i);
    }

  // numeric[w][o][j · numel(input) + i]: output element j by input element i
  Worst worst;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (!is_differentiable(outputs[o].dtype()) || !outputs[o].requires_grad()) continue;
    const std::int64_t rows = entries_of(outputs[o]);
    std::vector<std::vector<std::vector<double>>> analytic(wanted.size());  // [w][j][i]
    for (std::int64_t j = 0; j < rows; ++j) {
      const Tensor one_hot =
          detail::zeroed(outputs[o].shape(), {.dtype = outputs[o].dtype(), .device = outputs[o].device()});
      Element(one_hot, j).set(1);
      const auto gradients = grad({outputs[o]}, wanted, {one_hot}, {.retain_graph = true, .allow_unused = true});
      for (std::size_t w = 0; w < wanted.size(); ++w) {
        if (gradients[w].defined() && gradients[w].shape() != wanted[w].shape())
          return {false, str("gradient of input ", position[w], " has shape ", gradients[w].shape(), ", the input ",
                             wanted[w].shape())};
        analytic[w].push_back(gradients[w].defined()
                                  ? numbers_of(gradients[w])
                                  : std::vector<double>(static_cast<std::size_t>(entries_of(wanted[w]))));
      }
    }
    for (std::size_t w = 0; w < wanted.size(); ++w)
      for (std::int64_t i = 0; i < entries_of(wanted[w]); ++i) {
        const auto numeric = differences(f, inputs, outputs, wanted[w], i, options.eps)[o];
        for (std::int64_t j = 0; j < rows; ++j) {
          const double got = analytic[w][static_cast<std::size_t>(j)][static_cast<std::size_t>(i)];
          const double expected = numeric[static_cast<std::size_t>(j)];
          const double allowed = options.atol + options.rtol * std::fabs(expected);
          const double difference = std::fabs(got - expected);
          if (difference <= allowed) continue;
          ++worst.count;
          if (difference / allowed <= worst.excess && !std::isnan(difference)) continue;
          worst.excess = std::isnan(difference) ? INFINITY : difference / allowed;
          worst.text = str("output ", o, " element ", j, " by input ", position[w], " element ", i, ": gradient ", got,
                           ", central difference ", expected);
        }
      }
  }
  if (worst.count == 0) return {};
  return {false, str(worst.count, " entries of the Jacobian differ; the worst: ", worst.text)};
}

GradcheckReport gradgradcheck(const TensorFunction& f, const std::vector<Tensor>& inputs, GradcheckOptions options) {
  expect_checkable(inputs);
  const std::size_t count = inputs.size();
  std::vector<Tensor> all = inputs;
  std::vector<bool> differentiable;
  {
    EnableGrad guard;
    std::uint64_t counter = 0;
    for (const Tensor& output : f(inputs)) {
      differentiable.push_back(is_differentiable(output.dtype()) && output.requires_grad());
      if (!differentiable.back()) continue;
      const DType dtype = is_complex(output.dtype()) ? complex128 : float64;
      Tensor gradient = empty(output.shape(), {.dtype = dtype, .device = output.device()});
      for (std::int64_t i = 0; i < entries_of(gradient); ++i) {
        const auto block = Philox::at(20230717, counter++);
        Element(gradient, i).set(2 * uniform_double(block.word[0], block.word[1]) - 1);
      }
      all.push_back(gradient.requires_grad(true));
    }
  }
  const TensorFunction first_order = [&](const std::vector<Tensor>& values) {
    EnableGrad guard;
    const std::vector<Tensor> given(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
    const std::vector<Tensor> gradients(values.begin() + static_cast<std::ptrdiff_t>(count), values.end());
    std::vector<Tensor> outputs, wanted;
    const auto results = f(given);
    for (std::size_t o = 0; o < results.size(); ++o)
      if (differentiable[o]) outputs.push_back(results[o]);
    for (const Tensor& input : given)
      if (is_checked(input)) wanted.push_back(input);
    std::vector<Tensor> defined;
    for (const Tensor& g : grad(outputs, wanted, gradients, {.create_graph = true, .allow_unused = true}))
      if (g.defined()) defined.push_back(g);
    return defined;
  };
  return gradcheck(first_order, all, options);
}

}  // namespace minima
