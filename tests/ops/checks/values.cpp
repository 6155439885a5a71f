#include "tests/ops/checks/sample.h"
#include "tests/support/device.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace minima::test {

namespace {

Tolerance tolerance(const OpCases& cases, DType dtype) { return Tolerance::of(dtype).scaled(cases.tolerance_factor()); }

/// For sums of products: 4·eps·√K·(|a|·|b|), and the rounding of the result.
std::vector<double> allowances(const Sample& sample, const Doubles& expected, std::size_t output, DType dtype) {
  std::vector<Doubles> absolute = sample.values;
  for (Doubles& values : absolute)
    for (double& value : values.values) value = std::fabs(value);
  const Doubles magnitude = sample.call->reference(absolute).at(output);
  const double eps = 4 * epsilon_of(is_half(dtype) ? float32 : dtype) * std::sqrt(sample.call->contraction);
  std::vector<double> allowed(expected.values.size());
  // CUDA's libraries round a sum to the dtype before our kernel applies the rest.
  const double between = runs_cuda_kernels() && is_half(dtype) ? epsilon_of(dtype) : 0;
  const double normal = dtype == float16 ? 0x1p-14 : 0;  // smaller numbers have fewer digits
  for (std::size_t i = 0; i < allowed.size(); ++i)
    allowed[i] = (eps + between) * std::fabs(magnitude.values[i]) +
                 epsilon_of(dtype) * std::max(normal, std::fabs(expected.values[i]));
  return allowed;
}

/// The usual tolerance, and half an epsilon of the products whose factor was rounded.
std::vector<double> allowances_of_rounded_factor(const OpCases& cases, const Sample& sample, const Doubles& expected,
                                                 std::size_t output, DType dtype) {
  const Doubles magnitude = sample.call->rounded_products(sample.values).at(output);
  const Tolerance usual = tolerance(cases, dtype);
  std::vector<double> allowed(expected.values.size());
  for (std::size_t i = 0; i < allowed.size(); ++i)
    allowed[i] =
        usual.absolute + usual.relative * std::fabs(expected.values[i]) + epsilon_of(dtype) / 2 * magnitude.values[i];
  return allowed;
}

/// The bytes and the version of an input's whole storage.
struct Snapshot {
  explicit Snapshot(const Tensor& x) : tensor(x), version(x.version()), bytes(bytes_of(x)) {}
  bool still_true() const { return tensor.version() == version && bytes == bytes_of(tensor); }
  static std::vector<std::uint8_t> bytes_of(const Tensor& x) {
    const StoragePtr& storage = x.impl()->storage;
    return Tensor(new TensorImpl(storage, Shape{static_cast<std::int64_t>(storage->bytes())}, uint8))
        .to_vector<std::uint8_t>();
  }
  Tensor tensor;
  std::uint32_t version;
  std::vector<std::uint8_t> bytes;
};

/// Computes a reference again only when the values are new: they are the same in most arrangements.
class Expectation {
 public:
  const std::vector<Doubles>& operator()(const Sample& sample) {
    if (sample.call == call_ && same(sample.values, values_)) return expected_;
    expected_ = sample.call->reference(sample.values);
    values_ = sample.values;
    call_ = sample.call;
    return expected_;
  }

 private:
  static bool same(const std::vector<Doubles>& a, const std::vector<Doubles>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Doubles& x, const Doubles& y) {
      return x.shape == y.shape &&
             (x.values.empty() || std::memcmp(x.values.data(), y.values.data(), 8 * x.values.size()) == 0);
    });
  }
  const OpCall* call_ = nullptr;
  std::vector<Doubles> values_, expected_;
};

}  // namespace

Complaints check_values(const OpCases& cases) {
  Complaints complaints;
  Expectation reference;
  Wish wish{.dtypes = cases.dtypes(), .specials = true};
  // What has no gaps, and so could be read in packs.
  if (tests_briefly()) wish.arrangement = {0, static_cast<int>(Form::reversed), static_cast<int>(Form::channels_last)};
  for_each_sample(cases, wish, [&](const Sample& sample) {
    guarded(complaints, sample.text(), [&] {
      const std::vector<Snapshot> before(sample.inputs.begin(), sample.inputs.end());
      const std::vector<Tensor> got = sample.call->call(sample.inputs);
      for (std::size_t i = 0; i < before.size(); ++i)
        if (!before[i].still_true()) complaints.push_back(str(sample.text(), "\n  input ", i, " was changed"));
      const std::vector<Doubles>& expected = reference(sample);
      if (got.size() != expected.size())
        complaints.push_back(str(sample.text(), "\n  ", got.size(), " outputs, the reference has ", expected.size()));
      for (std::size_t i = 0; i < got.size() && i < expected.size(); ++i) {
        const DType dtype = cases.result_dtype_of(static_cast<int>(i), sample.dtype);
        if (got[i].dtype() != dtype)
          complaints.push_back(str(sample.text(), "\n  output ", i, " is ", got[i].dtype(), ", expected ", dtype));
        const std::string where = got.size() > 1 ? str(sample.text(), ", output ", i) : sample.text();
        if (sample.call->contraction > 0 && got[i].shape() == expected[i].shape && is_floating(dtype))
          complain(complaints, where, compare(got[i], expected[i], allowances(sample, expected[i], i, dtype)));
        else if (sample.call->rounded_products && runs_cuda_kernels() && is_half(dtype) &&
                 got[i].shape() == expected[i].shape)
          complain(complaints, where,
                   compare(got[i], expected[i], allowances_of_rounded_factor(cases, sample, expected[i], i, dtype)));
        else complain(complaints, where, compare(got[i], expected[i], tolerance(cases, dtype)));
      }
    });
  });
  return complaints;
}

Complaints check_dtypes(const OpCases& cases) {
  Complaints complaints;
  for (const OpCall& call : cases.calls()) {
    if (call.rows.empty()) continue;
    bool varies = false;
    for (const Draw& draw : call.rows.front()) varies |= !draw.dtype;
    for (int d = 0; varies && d < real_dtype_count; ++d) {
      const auto dtype = static_cast<DType>(d);
      if (cases.claims(dtype)) continue;
      std::vector<Tensor> inputs;
      for (const Draw& one : call.rows.front()) {
        const DType type = one.dtype.value_or(dtype);
        inputs.push_back(lay_out(draw(one, type, 1), type, Form::row_major));
      }
      const std::string where = str(call.text, " with ", dtype, ", which is not claimed: ");
      try {
        call.call(inputs);
        complaints.push_back(where + "did not throw");
      } catch (const DTypeError& error) {
        const std::string text = error.what();
        if (!names_operator(cases, text)) complaints.push_back(where + "the text does not name the operator: " + text);
        if (text.find(minima::name(dtype)) == std::string::npos)
          complaints.push_back(where + "the text does not name the dtype: " + text);
      } catch (const std::exception& error) {
        complaints.push_back(where + "threw something else than DTypeError: " + error.what());
      }
    }
  }
  return complaints;
}

namespace {

/// What is wrong with results for complex inputs without imaginary parts, given those for the same real inputs.
std::string beside_real(const std::vector<Tensor>& got, const std::vector<Tensor>& expected) {
  if (got.size() != expected.size()) return "returned another number of outputs than for real inputs";
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i].shape() != expected[i].shape())
      return str("returned ", got[i], ", but ", expected[i], " for real inputs");
    const std::vector<Complex<double>> z = got[i].to_vector<Complex<double>>();
    const std::vector<double> x = expected[i].to_vector<double>();
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (std::isnan(x[k])) continue;  // sqrt(-1)
      const double allowed = 1e-5 + 1e-5 * std::fabs(x[k]);
      if (std::fabs(z[k].re - x[k]) <= allowed && std::fabs(z[k].im) <= allowed) continue;
      return str("gave ", z[k].re, " + ", z[k].im, "i at position ", k, " of output ", i, ", but ", x[k],
                 " for real inputs");
    }
  }
  return {};
}

}  // namespace

Complaints check_complex(const OpCases& cases) {
  Complaints complaints;
  if (cases.does_without("complex")) return complaints;
  for (const OpCall& call : cases.calls()) {
    if (call.rows.empty()) continue;
    const std::vector<Draw>& row = call.rows.front();
    if (std::all_of(row.begin(), row.end(), [](const Draw& draw) { return draw.dtype.has_value(); })) continue;
    for (const DType dtype : {complex64, complex128}) {
      const auto inputs_of = [&](DType type) {
        std::vector<Tensor> inputs;
        for (const Draw& one : row) {
          const Doubles values = draw(one, one.dtype.value_or(real_dtype(dtype)), 1);
          inputs.push_back(lay_out(values, one.dtype.value_or(type), Form::row_major));
        }
        return inputs;
      };
      const std::string where = str(call.text, " with ", dtype, ": ");
      try {
        const std::vector<Tensor> got = call.call(inputs_of(dtype));
        const std::string wrong = beside_real(got, call.call(inputs_of(real_dtype(dtype))));
        if (!wrong.empty()) complaints.push_back(where + wrong);
      } catch (const DTypeError& error) {
        const std::string text = error.what();
        if (text.find("complex") == std::string::npos)
          complaints.push_back(where + "the text does not say so: " + text);
      } catch (const std::exception& error) {
        complaints.push_back(where + "threw something else than DTypeError: " + error.what());
      }
    }
  }
  return complaints;
}

namespace {

bool is_ordered_like(const Layout& got, const Layout& expected) {
  if (got.numel() == 0) return true;
  for (int d = 0; d < got.rank(); ++d)
    if (got.shape[d] != 1 && got.strides[d] != expected.strides[d]) return false;
  return true;
}

Layout expected_layout(ResultLayout rule, const Shape& shape, const std::vector<Tensor>& inputs) {
  if (rule == ResultLayout::convolved) {
    if (inputs[0].device().is_cpu()) return Layout::channels_last(shape);
    rule = ResultLayout::images;
  }
  for (const Tensor& input : inputs) {
    if (rule == ResultLayout::like_input && input.shape() == shape) return Layout::dense_like(input.layout());
    // What is both row-major and channels_last asks for nothing.
    if (rule == ResultLayout::images && (shape.rank() == 4 || shape.rank() == 5) && input.layout().is_channels_last() &&
        !input.is_contiguous())
      return Layout::channels_last(shape);
  }
  return Layout::contiguous(shape);
}

}  // namespace

Complaints check_result_layout(const OpCases& cases) {
  Complaints complaints;
  for_each_sample(cases, {.dtypes = {cases.dtypes().back()}}, [&](const Sample& sample) {
    guarded(complaints, sample.text(), [&] {
      const Tensor got = sample.call->call(sample.inputs).at(0);
      const Layout expected = expected_layout(cases.result_layout(), got.shape(), sample.inputs);
      if (!is_ordered_like(got.layout(), expected))
        complaints.push_back(
            str(sample.text(), "\n  strides of the result ", got.strides(), ", expected ", expected.strides));
    });
  });
  return complaints;
}

Complaints check_coverage(const OpCases& cases) {
  bool empty = false, large = false;
  for (const OpCall& call : cases.calls())
    for (const auto& row : call.rows) {
      std::int64_t total = 0;
      for (const Draw& draw : row) {
        total += numel(draw.shape);
        empty |= numel(draw.shape) == 0;
      }
      large |= total >= 40'000;
    }
  Complaints complaints;
  if (!empty && !cases.does_without("empty"))
    complaints.push_back("no row has an empty input; add one, or .without(\"empty\", why)");
  if (!large && !cases.does_without("large"))
    complaints.push_back(
        "no row has 40,000 elements, so that several threads run; add one, or .without(\"large\", why)");
  return complaints;
}

}  // namespace minima::test
