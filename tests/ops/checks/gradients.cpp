#include "tests/ops/checks/random_rules.h"
#include "tests/ops/checks/sample.h"
#include "tests/support/device.h"

#include <minima/autograd/backward.h>
#include <minima/autograd/gradcheck.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace minima::test {

namespace {

constexpr std::int64_t checkable_by_differences = 64;

/// All forms but stride 0, whose elements cannot be changed one by one.
Complaints check_by_differences(const OpCases& cases, bool second) {
  Complaints complaints;
  int checked = 0;
  Wish wish{.dtypes = {float64},
            .arrangement = {0, static_cast<int>(Form::gaps), static_cast<int>(Form::channels_last)},
            .max_numel = checkable_by_differences,
            .requires_grad = true};
  // Gradients of gradients are made of operators that are checked themselves.
  if (second && tests_briefly()) wish.arrangement = {static_cast<int>(Form::gaps)};
  for_each_sample(cases, wish, [&](const Sample& sample) {
    if (sample.wanted().empty()) return;
    guarded(complaints, sample.text(), [&] {
      const std::vector<Tensor> outputs = sample.call->call(sample.inputs);
      if (Sample::differentiable(outputs).empty()) {
        complaints.push_back(sample.text() + "\n  no output requires grad");
        return;
      }
      const TensorFunction f = [&](const std::vector<Tensor>& in) { return sample.call->call(in); };
      const GradcheckReport report = second ? gradgradcheck(f, sample.inputs) : gradcheck(f, sample.inputs);
      ++checked;
      if (!report) complaints.push_back(sample.text() + "\n  " + report.message);
    });
  });
  if (checked == 0) complaints.push_back("no row is small enough (64 elements in all) to be checked by differences");
  return complaints;
}

struct Gradients {
  std::vector<Tensor> of_inputs;  ///< undefined if unwanted or zero
};

/// By backward(), as in training: fast gradients, into `.grad`.
Gradients by_backward(const Sample& sample, bool expanded) {
  const auto outputs = Sample::differentiable(sample.call->call(sample.inputs));
  if (!outputs.empty()) backward(outputs, output_gradients(outputs, expanded, sample.dtype));
  Gradients result;
  for (const Tensor& input : sample.inputs) result.of_inputs.push_back(input.requires_grad() ? input.grad() : Tensor());
  return result;
}

/// By the composite formulas, which are differentiable.
Gradients by_formula(const Sample& sample, bool expanded, DType gradient_dtype, bool create_graph) {
  const auto outputs = Sample::differentiable(sample.call->call(sample.inputs));
  const auto wanted = sample.wanted();
  std::vector<Tensor> found(wanted.size());
  if (!outputs.empty() && !wanted.empty())
    found = grad(outputs, wanted, output_gradients(outputs, expanded, gradient_dtype),
                 {.create_graph = create_graph, .allow_unused = true});
  Gradients result;
  std::size_t next = 0;
  for (const Tensor& input : sample.inputs)
    result.of_inputs.push_back(input.requires_grad() ? found[next++] : Tensor());
  return result;
}

Doubles values_or_zero(const Tensor& gradient, const Shape& shape) {
  return gradient.defined() ? doubles_of(gradient) : Doubles(shape);
}

double largest(const Doubles& x) {
  double result = 0;
  for (const double value : x.values)
    if (std::isfinite(value)) result = std::max(result, std::fabs(value));
  return result;
}

/// The mean number of products in the sum that an element of the input's gradient is; 1 if the call claims none.
double terms_of_gradient(const Sample& sample, std::size_t input) {
  const double elements = static_cast<double>(sample.values[input].numel());
  if (sample.call->contraction == 0 || elements == 0) return 1;
  std::vector<Doubles> ones = sample.values;  // for which an output is the number of its products
  for (Doubles& values : ones) std::fill(values.values.begin(), values.values.end(), 1.0);
  double products = 0;
  for (const Doubles& output : sample.call->reference(ones))
    products = std::accumulate(output.values.begin(), output.values.end(), products);
  return std::max(products / elements, 1.0);
}

/// The usual tolerance, with an absolute part that grows with the largest gradient, since sums cancel. CUDA's libraries
/// may add up float32 products one after the other: the error grows with their number, the sum with its root.
Tolerance gradient_tolerance(const OpCases& cases, const Sample& sample, std::size_t input, const Doubles& expected) {
  const DType dtype = sample.dtype;
  Tolerance tolerance = Tolerance::of(dtype);
  const double scale = cases.does_gradient_cancel() ? 1.0 : std::min(1.0, largest(expected));
  const double terms = runs_cuda_kernels() && dtype == float32 ? terms_of_gradient(sample, input) : 1;
  const double chain = std::max(1.0, std::sqrt(terms) / 16);
  tolerance.absolute = std::max(tolerance.absolute * scale, 8 * epsilon_of(dtype) * largest(expected) * chain);
  // CUDA's products round their factors to the dtype, and where everything cancels that error remains.
  if (cases.does_gradient_cancel() && runs_cuda_kernels() && is_half(dtype))
    tolerance.absolute = std::max(tolerance.absolute, epsilon_of(dtype) / 8);
  return tolerance.scaled(cases.tolerance_factor());
}

void compare_gradients(const OpCases& cases, const Sample& sample, const Gradients& got, const Gradients& expected,
                       const std::string& what, Complaints& complaints) {
  for (std::size_t i = 0; i < got.of_inputs.size(); ++i) {
    if (!sample.inputs[i].requires_grad()) continue;
    const Doubles want = values_or_zero(expected.of_inputs[i], sample.inputs[i].shape());
    const std::string where = str(sample.text(), ", ", what, " of input ", i);
    if (!got.of_inputs[i].defined()) {
      if (largest(want) > 0) complaints.push_back(where + ": undefined, but not zero");
      continue;
    }
    complain(complaints, where, compare(got.of_inputs[i], want, gradient_tolerance(cases, sample, i, want)));
  }
}

/// `.grad` has the parameter's layout.
void check_grad_layout(const Sample& sample, Complaints& complaints) {
  for (const Tensor& input : sample.wanted()) {
    const Tensor gradient = input.grad();
    if (!gradient.defined() || input.layout().may_overlap() || input.numel() == 0) continue;
    const Layout expected = Layout::dense_like(input.layout());
    for (int d = 0; d < input.rank(); ++d)
      if (input.shape()[d] != 1 && gradient.strides()[d] != expected.strides[d]) {
        complaints.push_back(
            str(sample.text(), "\n  .grad has strides ", gradient.strides(), ", expected ", expected.strides));
        break;
      }
  }
}

/// A second backward accumulates and one after zero_grad overwrites: bitwise two times and one time the first gradient,
/// except that a product that accumulates into `.grad` rounds differently from one that overwrites it, and that an
/// engine of cuDNN's may vary.
void check_accumulation(const OpCases& cases, const Sample& sample, const Gradients& first, bool expanded,
                        Complaints& complaints) {
  std::vector<Doubles> once;
  for (const Tensor& gradient : first.of_inputs) once.push_back(gradient.defined() ? doubles_of(gradient) : Doubles());
  by_backward(sample, expanded);
  for (std::size_t i = 0; i < once.size(); ++i) {
    if (!first.of_inputs[i].defined()) continue;
    Doubles twice = once[i];
    for (double& value : twice.values) value *= 2;
    const Tolerance allowed =
        accumulates(cases) || cases.may_vary() ? gradient_tolerance(cases, sample, i, twice) : Tolerance{};
    complain(complaints, str(sample.text(), ", added up in .grad of input ", i),
             compare(sample.inputs[i].grad(), twice, allowed));
    sample.inputs[i].zero_grad();
  }
  by_backward(sample, expanded);
  for (std::size_t i = 0; i < once.size(); ++i)
    if (first.of_inputs[i].defined()) {
      const Tolerance allowed = cases.may_vary() ? gradient_tolerance(cases, sample, i, once[i]) : Tolerance{};
      complain(complaints, str(sample.text(), ", after zero_grad, gradient of input ", i),
               compare(sample.inputs[i].grad(), once[i], allowed));
    }
}

}  // namespace

Complaints check_gradient(const OpCases& cases) { return check_by_differences(cases, false); }
Complaints check_second_gradient(const OpCases& cases) { return check_by_differences(cases, true); }

Complaints check_no_gradient(const OpCases& cases) {
  Complaints complaints;
  for_each_sample(cases, {.dtypes = {cases.dtypes().back()}, .requires_grad = true}, [&](const Sample& sample) {
    for (const Tensor& output : sample.call->call(sample.inputs))
      if (output.requires_grad()) complaints.push_back(sample.text() + "\n  an output requires grad");
  });
  return complaints;
}

Complaints check_fast_gradient(const OpCases& cases) {
  Complaints complaints;
  for (const bool expanded : {false, true}) {
    Wish wish{.dtypes = full_floating_dtypes(), .requires_grad = true};
    if (expanded && tests_briefly()) wish = {.dtypes = {float32}, .arrangement = {0}, .requires_grad = true};
    for_each_sample(cases, wish, [&](const Sample& sample) {
      guarded(complaints, sample.text(), [&] {
        if (sample.wanted().empty()) return;
        const Gradients fast = by_backward(sample, expanded);
        check_grad_layout(sample, complaints);
        const bool create_graph = !cases.is_first_order_only();
        const Gradients truth = by_formula(again(sample, true), expanded, sample.dtype, create_graph);
        compare_gradients(cases, sample, fast, truth, "backward() against grad(create_graph)", complaints);
        if (sample.dtype == float32 || !tests_briefly()) check_accumulation(cases, sample, fast, expanded, complaints);
      });
    });
  }
  return complaints;
}

Complaints check_low_precision_gradient(const OpCases& cases) {
  Complaints complaints;
  if (!cases.claims(float64)) return complaints;
  const auto compare_with_float64 = [&](const Sample& sample) {
    guarded(complaints, sample.text(), [&] {
      if (sample.wanted().empty()) return;
      const Gradients got = by_backward(sample, false);
      const Gradients truth = by_formula(again(sample, true, float64), false, sample.dtype, false);
      compare_gradients(cases, sample, got, truth, "gradient", complaints);
    });
  };
  for_each_sample(cases, {.dtypes = {float16, bfloat16}, .requires_grad = true}, compare_with_float64);
  Wish single{.dtypes = {float32}, .requires_grad = true};
  if (tests_briefly()) single.arrangement = {0};
  for_each_sample(cases, single, compare_with_float64);
  return complaints;
}

}  // namespace minima::test
