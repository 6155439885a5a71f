#include "tests/ops/checks/random_case.h"
#include "tests/ops/checks/random_rules.h"
#include "tests/ops/checks/sample.h"
#include "tests/support/device.h"

#include <minima/autograd/backward.h>
#include <minima/ops/copy/copy.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>

// Random cases of every operator, held to the operator itself on row-major float64 (or int64) inputs of the same
// numbers: what dtype, layout and size do to a result is found whatever the table's reference knows.
//
// - Floating results: within the dtype's tolerance (Tolerance::of, times the table's factor). Gradients may be off by
//   eight units of 1, too: those that are computed from a rounded result, as tanh's. A result beyond that still passes
//   if moving each input by two units in its last place moves the float64 result by a sixteenth of it: sums that
//   cancel, steep places, and steps that rounding may leave on either side.
// - NaN and infinities must be where float64 has them; what float64 has beyond the dtype's range is infinite. In a sum,
//   what some elements overflow to does not tell of the others: an element counts as overflown by others if it is right
//   where all numbers but its own are 1. What a function multiplies with on the way costs it at most the last ten
//   binades.
// - Operators that accumulate may leave the range on the way among huge numbers, and products of many numbers among the
//   smallest.
// - Integers: exactly those of int64, wrapped to the dtype. Logic is no arithmetic: bool is held to bool.
// - Layouts: the same bits as from row-major inputs, but for operators that accumulate.
// - In place: bit for bit what the call gives.
//
// MINIMA_RANDOM_CASES=1000 runs so many for each table, MINIMA_RANDOM_CASE=17 only that one.

namespace minima::test {

namespace {

struct Outcome {
  std::vector<Tensor> results;
  std::vector<Tensor> gradients;  ///< of each input, undefined where none is
  std::string error;              ///< what was thrown, with its type
};

/// How a case is called.
struct How {
  bool gradient = false;
  bool rows = true;         ///< the gradient that comes in is row-major
  std::uint64_t moved = 0;  ///< its numbers are moved a little
};

std::string type_of(const std::exception& error) { return typeid(error).name(); }

/// Every number moved by up to two units in its last place.
void move(std::vector<double>& values, DType dtype, RandomEngine& engine) {
  const double eps = 2 * epsilon_of(dtype), least = 2 * least_of(dtype);
  std::uniform_real_distribution<double> by(-1, 1);
  for (double& value : values)
    if (value != 0) value += (std::fabs(value) * eps + least) * by(engine);
}

/// The gradient of an output: the same numbers for every dtype and layout, and others near them if moved.
Tensor upstream(const Tensor& output, const RandomCase& one, std::size_t i, const How& how) {
  RandomEngine engine(one.seed + i), other(how.moved + i);
  const Layout layout = random_layout(output.shape(), false, engine);
  RandomInput g{.dtype = one.dtype,
                .layout = layout,
                .real = draw(normal(output.shape()), one.dtype, one.seed + i).values,
                .whole = {}};
  if (how.moved) move(g.real, one.dtype, other);
  return how.rows ? g.dense(output.dtype()) : g.tensor(output.dtype(), layout);
}

Outcome evaluate(const RandomCase& one, std::vector<Tensor> inputs, const How& how) {
  Outcome outcome;
  try {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (how.gradient && one.inputs[i].differentiated && is_floating(inputs[i].dtype())) inputs[i].requires_grad(true);
    const std::vector<Tensor> results = one.call->call(inputs);
    const std::vector<Tensor> outputs = Sample::differentiable(results);
    if (!outputs.empty()) {
      std::vector<Tensor> gradients;
      for (std::size_t i = 0; i < outputs.size(); ++i) gradients.push_back(upstream(outputs[i], one, i, how));
      backward(outputs, gradients);
    }
    for (const Tensor& result : results) outcome.results.push_back(result.detach());
    for (const Tensor& input : inputs)
      outcome.gradients.push_back(input.requires_grad() ? Tensor(input.grad()) : Tensor());
  } catch (const std::exception& error) {
    outcome.error = type_of(error) + ": " + error.what();
  }
  return outcome;
}

std::vector<Tensor> as_given(const RandomCase& one) {
  std::vector<Tensor> inputs;
  for (const RandomInput& input : one.inputs) inputs.push_back(input.tensor());
  return inputs;
}

/// Row-major; the inputs of the case's dtype in another.
std::vector<Tensor> as_rows(const RandomCase& one, DType as) {
  std::vector<Tensor> inputs;
  for (const RandomInput& input : one.inputs) inputs.push_back(input.dense(input.fixed ? input.dtype : as));
  return inputs;
}

RandomCase moved(const RandomCase& one, std::uint64_t seed) {
  RandomCase other = one;
  RandomEngine engine(seed);
  for (RandomInput& input : other.inputs) {
    if (!input.fixed && !is_floating(input.dtype)) {  // of integers, a floating result
      input.real.assign(input.whole.begin(), input.whole.end());
      input.dtype = float64;
    }
    move(input.real, is_floating(one.dtype) ? one.dtype : float32, engine);
  }
  return other;
}

/// Only the numbers that broadcasting aligns with an index; 1 everywhere else.
RandomCase alone(const RandomCase& one, const Shape& index) {
  RandomCase other = one;
  for (RandomInput& input : other.inputs) {
    const std::int64_t at = input.place(index);
    for (std::size_t i = 0; i < input.real.size(); ++i)
      if (static_cast<std::int64_t>(i) != at) input.real[i] = 1;
  }
  return other;
}

/// Of the finite ones.
double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values)
    if (std::isfinite(value)) result = std::max(result, std::fabs(value));
  return result;
}

/// Runs one case and complains.
class Trial {
 public:
  Trial(const OpCases& cases, const RandomCase& one, std::uint64_t number, Complaints& complaints)
      : cases_(cases), one_(one), where_(str("case ", number, ": ", one.text())), complaints_(complaints) {}

  void run() {
    const bool with_gradient = cases_.has_gradient() && is_floating(one_.dtype);
    const DType wide = is_floating(one_.dtype) ? float64 : one_.dtype == boolean ? boolean : int64;
    const Outcome expected =
        evaluate(one_, as_rows(one_, cases_.claims(wide) ? wide : one_.dtype), {.gradient = with_gradient});
    const Outcome got = evaluate(one_, as_given(one_), {.gradient = with_gradient, .rows = false});
    const auto kind = [](const std::string& error) { return error.substr(0, error.find(':')); };
    if (kind(expected.error) != kind(got.error))
      return complain("threw \"" + got.error + "\", row-major in " + std::string(minima::name(wide)) + " \"" +
                      expected.error + "\"");
    if (!got.error.empty()) return;
    compare_results(got, expected);
    if (with_gradient) compare_gradients(got, expected);
    compare_layouts(got);
    compare_in_place(got);
  }

 private:
  void complain(const std::string& what) { complaints_.push_back(where_ + "\n  " + what); }

  void compare_results(const Outcome& got, const Outcome& expected) {
    if (got.results.size() != expected.results.size()) return complain("another number of results");
    for (std::size_t i = 0; i < got.results.size(); ++i) {
      const Tensor& y = got.results[i];
      const DType dtype = cases_.result_dtype_of(static_cast<int>(i), one_.dtype);
      const std::string what = str("result ", i);
      if (y.dtype() != dtype) complain(str(what, " is ", y.dtype(), ", not ", dtype));
      if (y.shape() != expected.results[i].shape())
        complain(str(what, " has shape ", y.shape(), ", not ", expected.results[i].shape()));
      else if (is_floating(y.dtype()))
        compare_floating(y, floating_reference(expected, i), false, what,
                         [i](const Outcome& o) { return o.results.at(i); });
      else compare_whole(y, expected.results[i], what);
    }
  }

  /// Of integers, a floating result is float64's of the same numbers.
  Tensor floating_reference(const Outcome& expected, std::size_t i) {
    if (is_floating(one_.dtype) || !cases_.claims(float64)) return expected.results[i];
    // Integers become float32 on the way.
    RandomCase other = one_;
    for (RandomInput& input : other.inputs)
      if (!input.fixed) {
        for (const std::int64_t value : input.whole)
          input.real.push_back(static_cast<double>(static_cast<float>(value)));
        input.dtype = float64;
      }
    const Outcome real = evaluate(other, as_rows(other, float64), {});
    return real.error.empty() ? real.results.at(i) : expected.results[i];
  }

  void compare_gradients(const Outcome& got, const Outcome& expected) {
    for (std::size_t i = 0; i < got.gradients.size(); ++i) {
      const Tensor &g = got.gradients[i], &want = expected.gradients[i];
      if (g.defined() != want.defined())
        complain(str("gradient of input ", i, " is ", g.defined() ? "there" : "missing"));
      else if (g.defined())
        compare_floating(g, want, true, str("gradient of input ", i),
                         [i](const Outcome& o) { return o.gradients.at(i); });
    }
  }

  template <class Pick>
  void compare_floating(const Tensor& got, const Tensor& expected, bool is_gradient, const std::string& what,
                        const Pick& pick) {
    const DType dtype = got.dtype();
    const std::vector<double> values = got.to_vector<double>(), wanted = expected.to_vector<double>();
    Tolerance tolerance = Tolerance::of(dtype).scaled(cases_.tolerance_factor());
    const bool large_logits = cases_.name() == "scaled_dot_product_attention" && one_.extremes == Extremes::large;
    const double scale = large_logits ? 9e6 : accumulates(cases_) ? 1 : std::min(1.0, largest(wanted));
    if (is_gradient)
      tolerance.absolute =
          std::max({tolerance.absolute, 8 * epsilon_of(dtype) * scale, 2 * least_of(dtype) / epsilon_of(dtype)});
    const double most = most_of(dtype);
    std::vector<std::size_t> wrong;
    const auto is_close = [&](double value, double want, double more) {
      if (value == want || (std::isnan(value) && std::isnan(want))) return true;
      const double allowed = tolerance.absolute + tolerance.relative * std::fabs(want) + more;
      if (std::isfinite(value) && std::isfinite(want) && std::fabs(value - want) <= allowed) return true;
      // Beyond the dtype's range: infinite, or the largest number where rounding may have gone either way.
      if (!std::isfinite(want) || std::fabs(want) + allowed < most) return false;
      return std::isinf(value) && std::signbit(value) == std::signbit(want);
    };
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!is_close(values[i], wanted[i], 0)) wrong.push_back(i);
    if (wrong.empty()) return;
    std::vector<double> spread(wanted.size());
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const RandomCase other = moved(one_, seed);
      const Outcome outcome = evaluate(other, as_rows(other, float64),
                                       {.gradient = cases_.has_gradient() && is_floating(one_.dtype), .moved = seed});
      if (!outcome.error.empty()) continue;
      const Tensor moved_result = pick(outcome);
      if (!moved_result.defined() || moved_result.shape() != got.shape()) continue;
      const std::vector<double> moved_values = moved_result.to_vector<double>();
      for (const std::size_t i : wrong)
        if (std::isfinite(moved_values[i] - wanted[i]))
          spread[i] = std::max(spread[i], std::fabs(moved_values[i] - wanted[i]));
    }
    std::erase_if(wrong, [&](std::size_t i) { return is_close(values[i], wanted[i], 16 * spread[i]); });
    if (accumulates(cases_) &&
        (one_.extremes == Extremes::huge || (one_.extremes == Extremes::large && is_half(dtype) && is_gradient)))
      return;
    if (multiplies(cases_) && one_.extremes != Extremes::none) return;
    if (cases_.name() == "pow" && is_gradient && one_.extremes != Extremes::none) return;  // y·x^(y-1) leaves any range
    if (accumulates(cases_))
      std::erase_if(wrong, [&](std::size_t i) { return !std::isfinite(values[i]) && !std::isfinite(wanted[i]); });
    if (has_padding(cases_) && one_.extremes == Extremes::all)
      std::erase_if(wrong, [&](std::size_t i) { return std::isnan(values[i]) != std::isnan(wanted[i]); });
    std::erase_if(wrong, [&](std::size_t i) {
      return !std::isfinite(values[i]) && std::isfinite(wanted[i]) && std::fabs(wanted[i]) > most / 1024;
    });
    // A few of those that are infinite or NaN, each of which is a call.
    constexpr std::ptrdiff_t asked = 8;
    const auto infinite =
        std::stable_partition(wrong.begin(), wrong.end(), [&](std::size_t i) { return std::isfinite(values[i]); });
    const std::ptrdiff_t step = std::max<std::ptrdiff_t>(1, (wrong.end() - infinite) / asked);
    bool by_others = true;
    for (std::ptrdiff_t k = 0; by_others && k < wrong.end() - infinite; k += step) {
      const auto [here, there] = alone_at(got, infinite[k], pick);
      by_others = is_close(here, there, 0) || std::fabs(there) > most / 1024;
    }
    if (by_others) wrong.erase(infinite, wrong.end());
    if (!wrong.empty()) explain(got, values[wrong[0]], wanted[wrong[0]], wrong[0], wrong.size(), what);
  }

  void compare_whole(const Tensor& got, const Tensor& expected, const std::string& what) {
    const std::vector<std::int64_t> values = got.to_vector<std::int64_t>(),
                                    wanted = expected.to(got.dtype()).template to_vector<std::int64_t>();
    std::size_t count = 0, first = 0;
    for (std::size_t i = values.size(); i-- > 0;)
      if (values[i] != wanted[i]) ++count, first = i;
    if (count > 0) explain(got, values[first], wanted[first], first, count, what);
  }

  /// An element of the result where all numbers are 1 but those aligned with it, in the case's dtype and in float64:
  /// where they agree, what is infinite or NaN came from others, which were added up.
  template <class Pick>
  std::pair<double, double> alone_at(const Tensor& got, std::size_t at, const Pick& pick) {
    const RandomCase other = alone(one_, coordinates(got.shape(), at));
    const auto element = [&](DType dtype) {
      const Outcome outcome =
          evaluate(other, as_rows(other, dtype), {.gradient = cases_.has_gradient() && is_floating(one_.dtype)});
      const Tensor y = outcome.error.empty() ? pick(outcome) : Tensor();
      return y.defined() && y.shape() == got.shape() ? y.template to_vector<double>()[at] : NAN;
    };
    return {element(one_.dtype), element(float64)};
  }

  static Shape coordinates(const Shape& shape, std::size_t at) {
    Shape index = Shape::filled(shape.rank(), 0);
    for (int d = shape.rank() - 1; d >= 0; --d) {
      index[d] = static_cast<std::int64_t>(at) % shape[d];
      at /= static_cast<std::size_t>(shape[d]);
    }
    return index;
  }

  template <class T>
  void explain(const Tensor& got, T value, T want, std::size_t at, std::size_t count, const std::string& what) {
    const Shape index = coordinates(got.shape(), at);
    std::string text = str(what, ": ", count, " of ", got.numel(), " differ, the first at ", index, ": got ", value,
                           ", expected ", want);
    for (std::size_t i = 0; i < one_.inputs.size(); ++i)
      text += str(i == 0 ? "; inputs there: " : ", ", one_.inputs[i].near(index));
    complain(text);
  }

  void compare_layouts(const Outcome& got) {
    const Outcome rows = evaluate(one_, as_rows(one_, one_.dtype), {});
    if (!rows.error.empty()) return complain("row-major threw " + rows.error);
    for (std::size_t i = 0; i < got.results.size(); ++i) {
      const Tensor &y = got.results[i], &want = rows.results.at(i);
      if (y.shape() != want.shape())
        complain(str("result ", i, " has shape ", y.shape(), ", row-major ", want.shape()));
      else if (!accumulates(cases_)) compare_bits(y, want, str("result ", i, " in this layout"));
    }
  }

  /// NaN equals NaN, whatever its bits.
  void compare_bits(const Tensor& got, const Tensor& want, const std::string& what) {
    if (compare_bitwise(got, want)) return;
    if (!is_floating(got.dtype())) return compare_whole(got, want, what);
    const std::vector<double> values = got.to_vector<double>(), wanted = want.to_vector<double>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool same = values[i] == wanted[i] && std::signbit(values[i]) == std::signbit(wanted[i]);
      if (!same && !(std::isnan(values[i]) && std::isnan(wanted[i])))
        return explain(got, values[i], wanted[i], i, 1, what + ", bit for bit");
    }
  }

  void compare_in_place(const Outcome& got) {
    if (!one_.call->in_place || one_.inputs.empty() || one_.inputs[0].layout.may_overlap()) return;
    const std::vector<Tensor> inputs = as_given(one_);
    const Tensor& y = got.results.at(0);
    if (y.shape() != inputs[0].shape() || y.dtype() != inputs[0].dtype()) return;
    one_.call->in_place(inputs);
    compare_bits(inputs[0], y, "in place");
  }

  const OpCases& cases_;
  const RandomCase& one_;
  std::string where_;
  Complaints& complaints_;
};

std::int64_t number_in(const char* variable, std::int64_t otherwise) {
  const char* text = std::getenv(variable);
  return text && *text ? std::strtoll(text, nullptr, 10) : otherwise;
}

}  // namespace

Complaints check_random_cases(const OpCases& cases) {
  constexpr std::int64_t usual = 30;
  const std::int64_t only = number_in("MINIMA_RANDOM_CASE", -1);
  const std::int64_t count = only >= 0 ? only + 1 : number_in("MINIMA_RANDOM_CASES", usual);
  Complaints complaints;
  std::int64_t ran = 0, refused = 0;
  for (std::int64_t number = std::max<std::int64_t>(only, 0); number < count; ++number) {
    bool valid = false;
    const RandomCase one = random_case(cases, static_cast<std::uint64_t>(number), [&](const RandomCase& asked) {
      valid =
          evaluate(asked, as_rows(asked, is_floating(asked.dtype) && cases.claims(float64) ? float64 : asked.dtype), {})
              .error.empty();
      return valid;
    });
    if (!one.call) break;
    guarded(complaints, str("case ", number, ": ", one.text()),
            [&] { Trial(cases, one, static_cast<std::uint64_t>(number), complaints).run(); });
    ++(valid ? ran : refused);
  }
  if (count != usual)
    std::cout << cases.name() << ": " << ran << " random cases, " << refused << " that the operator refuses\n";
  return complaints;
}

}  // namespace minima::test
