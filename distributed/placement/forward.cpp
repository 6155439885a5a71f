#include <minima/distributed/placement/checker.h>

#include <minima/distributed/placement/placement.h>
#include <minima/distributed/placement/rules.h>
#include <minima/ops/core/operator_call.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Operators turn their inputs' placements into their results'.

namespace minima::distributed::detail {

namespace {

using minima::detail::OperatorCall;

/// The facts that an operator tells of itself.
class Told final : public minima::detail::AttributeVisitor {
 public:
  explicit Told(const OperatorCall& call) {
    if (call.list_attributes) call.list_attributes(call.op, *this);
  }
  void integer(const char* name, std::int64_t value) override { numbers[name] = static_cast<double>(value); }
  void number(const char* name, double value) override { numbers[name] = value; }
  void word(const char* name, const char* value) override { words[name] = value; }
  void integers(const char* name, const Shape& values) override { lists[name] = values; }

  std::map<std::string, double> numbers;
  std::map<std::string, std::string> words;
  std::map<std::string, Shape> lists;
};

const OnAxis* place_at(const std::vector<Places>& inputs, std::size_t i, std::size_t axis) {
  return i < inputs.size() && !inputs[i].empty() ? &inputs[i][axis] : nullptr;
}

bool is_kind(const OnAxis* place, OnAxis::Kind kind) { return place && place->kind == kind; }

/// Whether the operator computes with the last dimension of input 0 as a whole.
bool needs_last(const OperatorCall& call) {
  const Told told(call);
  const auto rank = static_cast<int>(call.inputs[0]->rank());
  if (const auto dim = told.numbers.find("dim"); dim != told.numbers.end())
    return static_cast<int>(dim->second) == rank - 1 || dim->second == -1;
  return std::string(call.name) != "argmax";
}

bool sums_last(const OperatorCall& call) {
  const Told told(call);
  const auto found = told.lists.find("dims");
  const int rank = call.inputs[0]->rank();
  if (found == told.lists.end() || found->second.rank() == 0) return true;
  return std::any_of(found->second.begin(), found->second.end(),
                     [&](std::int64_t dim) { return dim == rank - 1 || dim == -1; });
}

std::string activation_of(const OperatorCall& call) {
  Told told(call);
  const std::string word = told.words["activation"];
  return word == "none" ? "" : word;
}

}  // namespace

void PlacementChecker::refuse(const std::string& where, const std::string& what, const std::string& fix) const {
  throw PlacementError(str("placement: ", where, ' ', what, "; ", fix));
}

std::string PlacementChecker::along(std::size_t axis) const { return str("axis \"", axes_[axis].set.name, "\""); }

std::string PlacementChecker::from(const OnAxis& place) const {
  return place.origin < 0 ? std::string() : str(" (from ", text(place.origin), ")");
}

std::optional<std::vector<std::size_t>> PlacementChecker::axes_of(const OperatorCall& call) const {
  Told told(call);
  return axes_of(told.words["ranks"]);
}

Places PlacementChecker::propagate(const OperatorCall& call, const PlacementRule* rule,
                                   const std::vector<Places>& inputs, const std::string& where) {
  Places output(axes_.size());
  const bool is_collective = rule && rule->form == Form::collective;
  std::vector<std::size_t> over;
  if (is_collective) {
    const auto found = axes_of(call);
    if (!found) return Places(axes_.size(), {.kind = OnAxis::unknown});
    over = *found;
  }
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (is_collective) {
      OnAxis x = inputs[0][axis];
      const bool acts = std::find(over.begin(), over.end(), axis) != over.end();
      if (acts && x.kind != OnAxis::unknown) x = over_ranks(call.name, axis, x, where);
      x.dim = -1;
      output[axis] = x;
      continue;
    }
    if (!rule) {
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (const OnAxis* const place = place_at(inputs, i, axis);
            place && place->kind != OnAxis::same && place->kind != OnAxis::unknown)
          refuse(where,
                 str("has no rule, and its input ", i, place->kind == OnAxis::partial ? " is a partial sum" : " varies",
                     " along ", along(axis)),
                 str("distributed::declare_operator(\"", call.name, "\", …) gives it one"));
    }
    output[axis] = on_axis(call, rule ? *rule : PlacementRule{}, axis, inputs, where);
  }
  return output;
}

OnAxis PlacementChecker::on_axis(const OperatorCall& call, const PlacementRule& rule, std::size_t axis,
                                 const std::vector<Places>& inputs, const std::string& where) {
  if (rule.form == Form::fill) return default_place(axis);  // the number may be a rank's own
  if (rule.form == Form::copy) {
    OnAxis source = inputs[1][axis];
    source.is_last = false;
    source.dim = -1;
    return source;
  }
  OnAxis result;
  bool has_partial = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const OnAxis* const place = place_at(inputs, i, axis);
    if (!place) continue;
    if (place->kind == OnAxis::unknown) return {.kind = OnAxis::unknown};
    result.is_known = result.is_known || place->is_known;
    has_partial = has_partial || place->kind == OnAxis::partial;
    if (place->kind != OnAxis::varying) continue;
    if (result.kind != OnAxis::varying || result.origin < 0) result.origin = place->origin;
    result.kind = OnAxis::varying;
    const Tensor& x = *call.inputs[i];
    const Tensor& y = call.outputs[0];
    const bool fits = y.defined() && x.rank() > 0 && y.rank() > 0 && x.size(-1) == y.size(-1);
    result.is_last = result.is_last || (rule.is_pointwise && place->is_last && fits);
    const bool keeps_rows = rule.is_pointwise || rule.form == Form::normalized || rule.form == Form::weighted ||
                            (rule.form == Form::product && inputs.size() == 1 && std::string(call.name) != "mean");
    result.is_shard = result.is_shard || (keeps_rows && place->is_shard);
    if (inputs.size() == 1 && fits && x.shape() == y.shape()) result.dim = place->dim;
  }
  if (has_partial) return of_partial(call, rule, axis, inputs, where);
  if (rule.form == Form::weighted || rule.form == Form::matmul) {
    const OnAxis product = of_product(call, axis, inputs, where);
    if (product.kind != OnAxis::same) return product;
  }
  const OnAxis* const first = place_at(inputs, 0, axis);
  const bool is_split = is_kind(first, OnAxis::varying) && first->is_last;
  if ((rule.form == Form::normalized && is_split && needs_last(call)) ||
      (rule.form == Form::classes && is_split && call.inputs[0]->rank() == 2))
    refuse(where,
           str("needs the whole last dimension, of which the ranks of ", along(axis), " have shards", from(*first)),
           "join them before: gather_from_ranks over this axis");
  if (const OnAxis* const classes = place_at(inputs, 1, axis);
      std::string(call.name) == "linear_cross_entropy" && is_kind(classes, OnAxis::varying) && classes->dim == 0)
    refuse(where, str("needs all classes, of which the ranks of ", along(axis), " have shards"),
           "compute logits with linear, and gather_from_ranks them over this axis");
  if ((rule.form == Form::sum || rule.form == Form::extreme) && is_split && sums_last(call))
    return {
        .kind = OnAxis::partial, .is_known = true, .is_extreme = rule.form == Form::extreme, .origin = intern(where)};
  return result;
}

/// Products with a weight that ranks share, which is the last input but for the bias.
OnAxis PlacementChecker::of_product(const OperatorCall& call, std::size_t axis, const std::vector<Places>& inputs,
                                    const std::string& where) {
  const OnAxis *const x = place_at(inputs, 0, axis), *const weight = place_at(inputs, 1, axis);
  if (!is_kind(weight, OnAxis::varying) || weight->dim < 0) return {};
  const bool is_matmul = std::string(call.name) == "matmul";
  const int rank = call.inputs[1]->rank(), columns = is_matmul ? rank - 2 : 1, rows = is_matmul ? rank - 1 : 0;
  OnAxis result{.kind = OnAxis::varying, .is_known = true, .origin = intern(where)};
  if (weight->dim == rows) {
    if (is_kind(x, OnAxis::varying))
      refuse(where,
             str("multiplies a tensor that varies along ", along(axis), from(*x),
                 " by a weight whose outputs are sharded along the same axis"),
             "join the tensor before: gather_from_ranks over this axis");
    result.is_shard = true;
    result.is_last = is_matmul || std::string(call.name) == "linear";
    return result;
  }
  if (weight->dim != columns) return result;
  if (const OnAxis* const bias = place_at(inputs, 2, axis); is_kind(bias, OnAxis::same) && bias->is_known)
    refuse(where,
           str("adds its bias on every rank of ", along(axis), " to a partial sum, ", axes_[axis].set.size,
               " times in all"),
           "add the bias behind sum_from_ranks over this axis");
  if (const std::string activation = activation_of(call); !activation.empty())
    refuse(where, str("applies ", activation, " to a partial sum along ", along(axis)),
           "call sum_from_ranks over this axis between product and activation");
  result.kind = OnAxis::partial;
  return result;
}

OnAxis PlacementChecker::of_partial(const OperatorCall& call, const PlacementRule& rule, std::size_t axis,
                                    const std::vector<Places>& inputs, const std::string& where) {
  const OnAxis* part = nullptr;  // the partial input
  int parts = 0;
  std::uint32_t linear = rule.linear;
  if (rule.form == Form::weighted || rule.form == Form::matmul) linear = 0b11;
  bool is_linear = rule.form != Form::nonlinear && rule.form != Form::normalized && rule.form != Form::classes &&
                   rule.form != Form::extreme;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (const OnAxis* const place = place_at(inputs, i, axis); is_kind(place, OnAxis::partial)) {
      if (!part) part = place;
      ++parts;
      is_linear = is_linear && i < 32 + (rule.form == Form::additive ? inputs.size() : 0) &&
                  (i >= 32 || (linear >> i & 1u) != 0);
    }
  if (part->is_extreme && (rule.form != Form::product || inputs.size() > 1))
    refuse(where,
           str("gets the extremes of one rank's shards along ", along(axis), from(*part), " instead of those of all"),
           "all_reduce them over this axis with Reduce::max or min");
  const std::string fix = str(
      part->is_gradient ? "combine it before: all_reduce over " : "sum it before: sum_from_ranks over ", along(axis));
  const std::string name = call.name;
  Told told(call);
  if (name == "div" && told.numbers.contains("reversed")) is_linear = false;
  if (!is_linear) refuse(where, str("is not linear, but gets a partial sum along ", along(axis), from(*part)), fix);
  OnAxis result{.kind = OnAxis::partial,
                .is_known = true,
                .is_extreme = part->is_extreme,
                .is_gradient = part->is_gradient,
                .origin = part->origin};
  if (rule.form == Form::additive) {
    if ((name == "add" || name == "sub") && inputs.size() == 1 && told.numbers["value"] != 0)
      refuse(where, str("adds a number to a partial sum along ", along(axis), from(*part), " on every rank"), fix);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const OnAxis* const place = place_at(inputs, i, axis);
      const bool counts = i >= 32 || (linear >> i & 1u) != 0;
      if (counts && is_kind(place, OnAxis::same) && (place->is_known || name == "add" || name == "sub"))
        refuse(where,
               str("adds a replicated tensor to a partial sum along ", along(axis), from(*part), ", ",
                   axes_[axis].set.size, " times in all"),
               fix);
    }
    return result;
  }
  if (rule.form == Form::weighted) {
    if (const OnAxis* const bias = place_at(inputs, 2, axis); is_kind(bias, OnAxis::same))
      refuse(where, str("adds its bias on every rank of ", along(axis), " to a partial sum", from(*part)), fix);
    if (const std::string activation = activation_of(call); !activation.empty())
      refuse(where, str("applies ", activation, " to a partial sum along ", along(axis), from(*part)), fix);
  }
  if (parts > 1) refuse(where, str("multiplies two partial sums along ", along(axis)), fix);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (is_kind(place_at(inputs, i, axis), OnAxis::varying))
      refuse(where, str("multiplies a partial sum along ", along(axis), from(*part), " by a tensor that varies there"),
             fix);
  return result;
}

}  // namespace minima::distributed::detail
