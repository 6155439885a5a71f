#include <minima/profiler/causes/divergence.h>

#include <minima/ops/core/op_support.h>
#include <minima/profiler/causes/value_range.h>
#include <minima/profiler/causes/value_trace.h>
#include <minima/tensor/base/check_option.h>
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

  Comparison(const Reference& reference, const DivergenceOptions& options, const detail::Ranks& ranks,
             Divergence& result)
      : reference_(reference), options_(options), ranks_(ranks), result_(result) {}

  void see(const Origin& origin, const Tensor& value) override {
    if (!seen_.insert(origin).second) return;
    const auto found = reference_.kept.find(origin);
    if (found == reference_.kept.end()) return result_.only_second.push_back(origin);
    const Kept& kept = found->second;
    Divergence::Value& row = result_.values.emplace_back(Divergence::Value{.origin = origin});
    if (value.shape() == kept.shape) {
      if (ranks_.size == 1) return compare(row, kept.values, detail::values_of(value));
      common_.push_back({result_.values.size() - 1, &kept, detail::values_of(value)});
    } else if (const int dim = dimension_of_samples(kept.shape, value.shape()); dim >= 0) {
      std::vector<double> values = detail::values_of(value);
      // The loss of the rank is a mean over fewer samples.
      if (origin.kind == Origin::Kind::gradient)
        for (double& number : values) number /= ranks_.size;
      compare(row, part_of(kept, dim), values);
    } else {
      row.problem = str("shapes ", kept.shape, " and ", value.shape());
      row.difference = row.relative = std::numeric_limits<double>::infinity();
      row.parts = true;
    }
  }

  void finish() {
    for (const Origin& origin : reference_.order)
      if (!seen_.contains(origin)) result_.only_first.push_back(origin);
    if (ranks_.size == 1) return;
    compare_means();
    take_worst();
  }

 private:
  /// A value without a dimension of samples, for its mean over the ranks.
  struct Common {
    std::size_t row;
    const Kept* kept;
    std::vector<double> values;
  };

  void compare(Divergence::Value& row, const std::vector<double>& first, const std::vector<double>& second) const {
    const detail::Distance distance = detail::distance(first, second);
    row.difference = distance.absolute;
    row.relative = distance.absolute == 0 ? 0 : distance.absolute / distance.scale;
    row.parts = !(distance.absolute <= options_.absolute + options_.relative * distance.scale);
    if (second.empty()) return;
    const auto place = static_cast<std::size_t>(distance.place);
    row.first = first[place];
    row.second = second[place];
  }

  /// The only dimension in which the shapes differ, if the whole has those of all ranks; otherwise -1.
  int dimension_of_samples(const Shape& whole, const Shape& part) const {
    if (whole.rank() != part.rank()) return -1;
    int found = -1;
    for (int d = 0; d < whole.rank(); ++d) {
      if (whole[d] == part[d]) continue;
      if (found >= 0 || whole[d] != part[d] * ranks_.size) return -1;
      found = d;
    }
    return found;
  }

  /// This rank's part of a value of the whole batch.
  std::vector<double> part_of(const Kept& kept, int dim) const {
    std::size_t outer = 1, row = 1;  // a row: what is contiguous of all ranks' parts
    for (int d = 0; d < kept.shape.rank(); ++d) (d < dim ? outer : row) *= static_cast<std::size_t>(kept.shape[d]);
    const std::size_t length = row / static_cast<std::size_t>(ranks_.size);
    std::vector<double> part;
    for (std::size_t i = 0; i < outer; ++i) {
      const auto begin = kept.values.begin() + static_cast<std::ptrdiff_t>(i * row + length * rank());
      part.insert(part.end(), begin, begin + static_cast<std::ptrdiff_t>(length));
    }
    return part;
  }
  std::size_t rank() const { return static_cast<std::size_t>(ranks_.rank); }

  /// The same numbers of all ranks, one after the other.
  std::vector<double> gathered(const std::vector<double>& numbers) const {
    return detail::values_of(ranks_.all_gather(from_vector(numbers, {static_cast<std::int64_t>(numbers.size())})));
  }

  void compare_means() {
    std::vector<double> mine;
    for (const Common& value : common_) mine.insert(mine.end(), value.values.begin(), value.values.end());
    const std::vector<double> sizes{static_cast<double>(result_.values.size()), static_cast<double>(mine.size())};
    const std::vector<double> all_sizes = gathered(sizes);
    for (std::size_t i = 0; i < all_sizes.size(); ++i)
      if (all_sizes[i] != sizes[i % 2])
        throw ValueError(str("find_divergence: the ranks' steps compute different numbers of values: ", sizes[i % 2],
                             " and ", all_sizes[i]));
    const std::vector<double> all = gathered(mine);
    std::size_t at = 0;
    for (Common& value : common_) {
      for (double& number : value.values) {
        number = 0;
        for (std::size_t i = at++; i < all.size(); i += mine.size()) number += all[i] / ranks_.size;
      }
      compare(result_.values[value.row], value.kept->values, value.values);
    }
  }

  /// Holds, for each value, what the rank found where it differs most.
  void take_worst() {
    constexpr std::size_t width = 5;
    std::vector<double> mine;
    for (const Divergence::Value& row : result_.values)
      mine.insert(mine.end(), {row.parts ? 1.0 : 0.0, row.difference, row.relative, row.first, row.second});
    const std::vector<double> all = gathered(mine);
    for (std::size_t i = 0; i < mine.size(); i += width) {
      const double* worst = &all[i];
      for (std::size_t at = i; at < all.size(); at += mine.size())
        if (std::pair(all[at], all[at + 1]) > std::pair(worst[0], worst[1])) worst = &all[at];
      Divergence::Value& row = result_.values[i / width];
      row.parts = worst[0] != 0;
      row.difference = worst[1], row.relative = worst[2], row.first = worst[3], row.second = worst[4];
    }
  }

  const Reference& reference_;
  const DivergenceOptions& options_;
  const detail::Ranks& ranks_;
  Divergence& result_;
  std::set<Origin> seen_;
  std::vector<Common> common_;
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
                                   const Function<void()>& second, const DivergenceOptions& options,
                                   const Ranks& ranks) {
  minima::detail::check_number("find_divergence", "relative", options.relative, minima::detail::not_negative);
  minima::detail::check_number("find_divergence", "absolute", options.absolute, minima::detail::not_negative);
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
  Comparison comparison(reference, options, ranks, result);
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
