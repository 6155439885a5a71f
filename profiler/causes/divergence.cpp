#include <minima/profiler/causes/divergence.h>

#include <minima/ops/core/op_support.h>
#include <minima/profiler/causes/value_range.h>
#include <minima/profiler/causes/value_trace.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace minima::profiler {

namespace {

using detail::TracedNetwork;

struct Kept {
  Shape shape;
  std::vector<double> values;
};
/// The values of the first run.
struct Reference {
  std::map<Origin, Kept> kept;
  std::vector<Origin> order;
};

class Keeping final : public detail::ValueTrace {
 public:
  using ValueTrace::end_step;

  explicit Keeping(Reference& reference) : reference_(reference) {}

  void see(const Origin& origin, const Tensor& value) override {
    if (reference_.kept.contains(origin)) return;
    reference_.kept.emplace(origin, Kept{value.shape(), detail::values_of(value)});
    reference_.order.push_back(origin);
  }

 private:
  Reference& reference_;
};

/// Compares the values of the second run with them.
class Comparison final : public detail::ValueTrace {
 public:
  using ValueTrace::end_step;

  Comparison(const Reference& reference, const DivergenceOptions& options, Divergence& result)
      : reference_(reference), options_(options), result_(result) {}

  void see(const Origin& origin, const Tensor& value) override {
    if (!seen_.insert(origin).second) return;
    const auto found = reference_.kept.find(origin);
    if (found == reference_.kept.end()) result_.only_second.push_back(origin);
    else result_.values.push_back(compare(origin, found->second, value));
  }

  void finish() {
    for (const Origin& origin : reference_.order)
      if (!seen_.contains(origin)) result_.only_first.push_back(origin);
  }

 private:
  Divergence::Value compare(const Origin& origin, const Kept& kept, const Tensor& value) const {
    Divergence::Value row{.origin = origin};
    if (value.shape() != kept.shape) {
      row.problem = str("shapes ", kept.shape, " and ", value.shape());
      row.difference = row.relative = std::numeric_limits<double>::infinity();
      row.parts = true;
      return row;
    }
    const std::vector<double> values = detail::values_of(value);
    const detail::Distance distance = detail::distance(kept.values, values);
    row.difference = distance.absolute;
    row.relative = distance.absolute == 0 ? 0 : distance.absolute / distance.scale;
    row.parts = !(distance.absolute <= options_.absolute + options_.relative * distance.scale);
    if (values.empty()) return row;
    const auto place = static_cast<std::size_t>(distance.place);
    row.first = kept.values[place];
    row.second = values[place];
    return row;
  }

  const Reference& reference_;
  const DivergenceOptions& options_;
  Divergence& result_;
  std::set<Origin> seen_;
};

using Values = std::map<std::string, Tensor>;

Values copies(const TracedNetwork& network) {
  Values result;
  for (const auto& [name, tensor] : network.tensors) result.emplace(name, minima::detail::clone_values(tensor));
  return result;
}

/// Gives the network these values, and no gradients.
void assign(const TracedNetwork& network, const Values& values) {
  for (const auto& [name, tensor] : network.tensors) {
    const auto found = values.find(name);
    if (found == values.end()) throw ValueError("find_divergence: the first network has no tensor named " + name);
    if (found->second.shape() != tensor.shape())
      throw ShapeError(str("find_divergence: ", name, " is ", found->second, " in the first network and ", tensor,
                           " in the second"));
    minima::detail::copy_values(found->second.to(tensor.device()), tensor);
    if (tensor.requires_grad()) tensor.zero_grad();
  }
}

/// Restores the network and the random numbers, also after an exception.
class Restored {
 public:
  explicit Restored(const TracedNetwork& network) : network_(network), values_(copies(network)) {}
  Restored(const Restored&) = delete;
  ~Restored() {
    assign(network_, values_);
    default_generator().set_state(random_);
  }
  const Values& values() const { return values_; }
  RandomGenerator::Position random() const { return random_; }

 private:
  const TracedNetwork& network_;
  Values values_;
  RandomGenerator::Position random_ = default_generator().state();
};

template <class Trace>
void run(Trace& trace, const TracedNetwork& network, const Function<void()>& step) {
  network.watch(trace);
  step();
  trace.end_step();
  for (const auto& [name, tensor] : network.tensors) {
    trace.see({.kind = Origin::Kind::tensor, .op = name}, tensor);
    if (const Tensor gradient = tensor.requires_grad() ? tensor.grad() : Tensor(); gradient.defined())
      trace.see({.kind = Origin::Kind::tensor_gradient, .op = name}, gradient);
  }
}

std::string by_how_much(const Divergence::Value& value) {
  if (!value.problem.empty()) return value.problem;
  return str(detail::digits(value.first), " against ", detail::digits(value.second), ", ",
             detail::digits(100 * value.relative), "% of the largest value");
}

std::string listed(const char* title, const std::vector<Origin>& origins, int most) {
  if (origins.empty()) return "";
  std::string text = title;
  for (std::size_t i = 0; i < origins.size() && i < static_cast<std::size_t>(most); ++i)
    text += "  " + origins[i].text() + "\n";
  if (origins.size() > static_cast<std::size_t>(most))
    text += str("  and ", origins.size() - static_cast<std::size_t>(most), " more\n");
  return text;
}

}  // namespace

Divergence detail::find_divergence(const TracedNetwork& a, const Function<void()>& first, const TracedNetwork& b,
                                   const Function<void()>& second, const DivergenceOptions& options) {
  if (options.relative < 0 || options.absolute < 0)
    throw ValueError("find_divergence: relative and absolute must not be negative");
  const Restored state_a(a), state_b(b);
  Divergence result;
  Reference reference;
  {
    assign(a, state_a.values());
    Keeping keeping(reference);
    run(keeping, a, first);
  }
  assign(b, state_a.values());
  default_generator().set_state(state_a.random());
  Comparison comparison(reference, options, result);
  run(comparison, b, second);
  comparison.finish();
  return result;
}

const Divergence::Value* Divergence::first() const {
  const auto found = std::find_if(values.begin(), values.end(), [](const Value& value) { return value.parts; });
  return found == values.end() ? nullptr : &*found;
}

std::string Divergence::text(int most) const {
  std::string text;
  if (const Value* value = first())
    text = str("The runs part at ", value->origin.text(), ": ", by_how_much(*value), ".\n");
  else text = str("The runs agree in ", values.size(), " values.\n");
  text += listed("Only the first run has\n", only_first, most);
  text += listed("Only the second run has\n", only_second, most);
  std::vector<const Value*> largest;
  for (const Value& value : values)
    if (value.difference > 0) largest.push_back(&value);
  std::stable_sort(largest.begin(), largest.end(),
                   [](const Value* x, const Value* y) { return x->relative > y->relative; });
  if (largest.size() > static_cast<std::size_t>(most)) largest.resize(static_cast<std::size_t>(most));
  if (!largest.empty()) text += "Largest differences\n";
  for (const Value* value : largest) text += str("  ", value->origin.text(), ": ", by_how_much(*value), "\n");
  return text;
}

}  // namespace minima::profiler
