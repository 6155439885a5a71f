#include "tests/ops/checks/sample.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>

namespace minima::test {

std::int64_t Sample::numel() const {
  std::int64_t total = 0;
  for (const Doubles& value : values) total += value.numel();
  return total;
}

std::string Sample::text() const {
  std::string out = call->text.empty() ? "" : call->text + ": ";
  for (std::size_t i = 0; i < inputs.size(); ++i)
    out += str(i ? ", " : "", inputs[i], " strides ", inputs[i].strides());
  return out;
}

std::vector<Tensor> Sample::differentiable(const std::vector<Tensor>& outputs) {
  std::vector<Tensor> chosen;
  for (const Tensor& output : outputs)
    if (is_floating(output.dtype()) && output.requires_grad()) chosen.push_back(output);
  return chosen;
}

std::vector<Tensor> Sample::wanted() const {
  std::vector<Tensor> chosen;
  for (const Tensor& input : inputs)
    if (input.requires_grad()) chosen.push_back(input);
  return chosen;
}

namespace {

Form form_of(int arrangement, std::size_t input) {
  return static_cast<Form>(arrangement < form_count ? static_cast<std::size_t>(arrangement) : (input + 1) % form_count);
}

bool is_special(const std::vector<Draw>& row) {
  for (const Draw& draw : row)
    for (const double value : draw.values)
      if (!std::isfinite(value)) return true;
  return false;
}

bool makes_sense(const std::vector<Draw>& row, int arrangement) {
  const auto any = [&](auto&& test) { return std::any_of(row.begin(), row.end(), test); };
  if (static_cast<Form>(arrangement) == Form::row_major) return true;
  if (static_cast<Form>(arrangement) == Form::channels_last)
    return any([](const Draw& d) { return d.shape.rank() == 4 || d.shape.rank() == 5; });
  return any([](const Draw& d) { return d.shape.rank() > 0; });
}

/// The values that a layout with stride 0 can hold.
Doubles repeat_first(Doubles values) {
  if (values.shape.rank() == 0 || values.numel() == 0) return values;
  const std::size_t inner = values.values.size() / static_cast<std::size_t>(values.shape[0]);
  for (std::size_t i = inner; i < values.values.size(); ++i) values.values[i] = values.values[i - inner];
  return values;
}

void make_inputs(Sample& sample, bool requires_grad) {
  for (std::size_t i = 0; i < sample.row->size(); ++i) {
    const Draw& draw = (*sample.row)[i];
    const DType dtype = draw.dtype.value_or(sample.dtype);
    Tensor input = lay_out(sample.values[i], dtype, form_of(sample.arrangement, i));
    if (requires_grad && draw.differentiated && is_floating(dtype)) input.requires_grad(true);
    sample.inputs.push_back(std::move(input));
  }
}

}  // namespace

namespace {

/// One row in one dtype, in every arrangement that is wished for and makes sense.
void for_each_arrangement(const OpCall& call, std::size_t row_index, DType dtype, const Wish& wish,
                          const std::function<void(const Sample&)>& f) {
  constexpr std::int64_t large = 20'000;
  const std::vector<Draw>& row = call.rows[row_index];
  if (is_special(row) && (!wish.specials || !is_floating(dtype))) return;
  std::int64_t total = 0;
  for (const Draw& one : row) total += numel(one.shape);
  if (total > wish.max_numel) return;
  std::vector<Doubles> values;
  for (std::size_t i = 0; i < row.size(); ++i)
    values.push_back(draw(row[i], row[i].dtype.value_or(dtype), 1000 * row_index + i));

  for (int a = 0; a < arrangements; ++a) {
    const bool wanted = wish.arrangement.empty() ||
                        std::find(wish.arrangement.begin(), wish.arrangement.end(), a) != wish.arrangement.end();
    if (!wanted || !makes_sense(row, a)) continue;
    const bool reversed = a == static_cast<int>(Form::reversed) && dtype == wish.dtypes.back();
    if (total > large && a != 0 && !reversed) continue;
    Sample sample{&call, &row, dtype, a, values, {}};
    bool repeats = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (form_of(a, i) != Form::repeated || row[i].shape.rank() == 0 || row[i].shape[0] < 2) continue;
      repeats = true;
      sample.values[i] = repeat_first(std::move(sample.values[i]));
    }
    if (repeats && !wish.overlaps) continue;
    make_inputs(sample, wish.requires_grad);
    f(sample);
  }
}

}  // namespace

void for_each_sample(const OpCases& cases, const Wish& wish, const std::function<void(const Sample&)>& f) {
  for (const OpCall& call : cases.calls())
    for (std::size_t row = 0; row < call.rows.size(); ++row)
      for (const DType dtype : wish.dtypes)
        if (cases.claims(dtype)) for_each_arrangement(call, row, dtype, wish, f);
}

Sample again(const Sample& sample, bool requires_grad, DType as) {
  Sample copy{sample.call, sample.row, as, sample.arrangement, sample.values, {}};
  make_inputs(copy, requires_grad);
  return copy;
}

std::vector<Tensor> output_gradients(const std::vector<Tensor>& outputs, bool expanded, DType dtype) {
  std::vector<Tensor> gradients;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (expanded) {
      const Tensor one = lay_out(Doubles({1}, {0.75}), outputs[i].dtype(), Form::row_major);
      const Layout layout{outputs[i].shape(), Strides::filled(outputs[i].rank(), 0), 0};
      gradients.push_back(Tensor(new TensorImpl(one.impl()->storage, layout, outputs[i].dtype())));
    } else {
      gradients.push_back(
          lay_out(draw(normal(outputs[i].shape()), dtype, 77 + i), outputs[i].dtype(), Form::row_major));
    }
  }
  return gradients;
}

void complain(Complaints& complaints, const std::string& where, const Comparison& comparison) {
  if (!comparison) complaints.push_back(where + "\n  " + comparison.message);
}

void guarded(Complaints& complaints, const std::string& where, const std::function<void()>& f) {
  try {
    f();
  } catch (const std::exception& error) {
    complaints.push_back(where + "\n  threw: " + error.what());
  }
}

}  // namespace minima::test
