#include "tests/ops/checks/sample.h"
#include "tests/support/device.h"
#include "tests/support/limits.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdio>
#include <set>

namespace minima::test {

namespace {

constexpr std::int64_t huge_sizes[] = {std::int64_t{1} << 31, std::int64_t{1} << 62};

using Shapes = std::vector<Shape>;

/// Grows every size that occurs in the row, alone or with another one set to 0, then each dimension of each input.
std::vector<Shapes> enlarged(const std::vector<Draw>& row) {
  Shapes plain;
  std::set<std::int64_t> sizes;
  for (const Draw& draw : row) {
    plain.push_back(draw.shape);
    sizes.insert(draw.shape.begin(), draw.shape.end());
  }
  const auto replaced = [](Shapes shapes, std::int64_t from, std::int64_t to) {
    for (Shape& shape : shapes)
      for (std::int64_t& size : shape)
        if (size == from) size = to;
    return shapes;
  };
  std::vector<Shapes> result;
  for (const std::int64_t huge : huge_sizes) {
    for (const std::int64_t size : sizes) {
      result.push_back(replaced(plain, size, huge));
      for (const std::int64_t other : sizes)
        if (other != size) result.push_back(replaced(replaced(plain, size, huge), other, 0));
    }
    for (std::size_t i = 0; i < plain.size(); ++i)
      for (int d = 0; d < plain[i].rank(); ++d) {
        result.push_back(plain);
        result.back()[i][d] = huge;
      }
  }
  return result;
}

/// The draw's first value everywhere, expanded so that the shape needs no memory.
Tensor repeated(const Draw& source, DType dtype, const Shape& shape, bool requires_grad) {
  const Doubles values = draw(source, dtype, 1);
  const DType own = source.dtype.value_or(dtype);
  Shape unit = shape;
  for (std::int64_t& size : unit) size = size == 0 ? 0 : 1;
  Tensor one = full(unit, values.numel() > 0 ? values.values[0] : 0, {.dtype = own});
  if (requires_grad && source.differentiated && is_floating(own)) one.requires_grad(true);
  return expand(one, shape);
}

/// The call and, if it is differentiable, its gradient.
void run(const OpCases& cases, const OpCall& call, const std::vector<Tensor>& inputs) {
  const std::vector<Tensor> outputs = Sample::differentiable(call.call(inputs));
  if (!cases.has_gradient() || outputs.empty()) return;
  std::vector<Tensor> upstream;
  for (const Tensor& output : outputs)
    upstream.push_back(expand(ones(Shape::filled(output.rank(), 1), {.dtype = output.dtype()}), output.shape()));
  std::vector<Tensor> wanted;
  for (const Tensor& input : inputs)
    if (input.requires_grad()) wanted.push_back(input);
  grad(outputs, wanted, upstream, {.allow_unused = true});
}

std::string text(const OpCall& call, const Shapes& shapes) {
  std::string out = call.text.empty() ? "" : call.text + ": ";
  for (std::size_t i = 0; i < shapes.size(); ++i) out += str(i ? ", " : "", shapes[i]);
  return out;
}

}  // namespace

/// Inputs are expanded from one element to up to 2^62, so that only the operator can cost memory or time.
Complaints check_huge(const OpCases& cases) {
  Complaints complaints;
  Tally tally;
  const DType dtype = cases.dtypes().back();
  for (const OpCall& call : cases.calls())
    for (const std::vector<Draw>& row : call.rows)
      for (const Shapes& shapes : enlarged(row)) {
        std::vector<Tensor> inputs;
        try {
          for (std::size_t i = 0; i < row.size(); ++i)
            inputs.push_back(repeated(row[i], dtype, shapes[i], cases.has_gradient()));
        } catch (const ShapeError&) {
          continue;  // no tensor has so many elements
        }
        const Verdict verdict = within_limits([&] { run(cases, call, inputs); });
        tally.add(verdict.outcome);
        if (verdict.outcome == Outcome::intolerable) complaints.push_back(text(call, shapes) + "\n  " + verdict.text);
      }
  std::printf("%s\n", tally.text(cases.name()).c_str());
  std::fflush(stdout);
  return complaints;
}

}  // namespace minima::test
