#include <minima/distributed/placement/checker.h>

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/backends/collective.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

// Collectives convert placements.

namespace minima::distributed::detail {

namespace {

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  for (const char* const each : words)
    if (word == each) return true;
  return false;
}

}  // namespace

/// The differentiable ones.
OnAxis PlacementChecker::over_ranks(const std::string& op, std::size_t axis, const OnAxis& x,
                                    const std::string& where) {
  const std::string there = along(axis);
  if (x.kind == OnAxis::partial && x.is_extreme && op != "gather_from_ranks")
    refuse(where, str("gets the extremes of one rank's shards along ", there, from(x)),
           "all_reduce them over this axis with Reduce::max or min");
  const OnAxis same{.kind = OnAxis::same, .is_known = true};
  if (op == "copy_to_ranks") {
    if (x.kind == OnAxis::partial)
      refuse(where, str("gets a partial sum along ", there, from(x)), "sum it before: sum_from_ranks over this axis");
    if (x.kind == OnAxis::varying)
      refuse(where,
             str("gets a tensor that varies along ", there, from(x), ", whose gradient must not be summed there"),
             "leave copy_to_ranks out, or pass the group of the axis along which x is replicated");
    return same;
  }
  const bool sums = is_one_of(op, {"sum_from_ranks", "all_reduce_sum", "scatter_sum_to_ranks"});
  if (x.kind == OnAxis::same && x.is_known)
    refuse(where,
           str(sums ? "sums a tensor that is replicated along " : "joins copies of a tensor that is replicated along ",
               there, sums ? str(": the result is ", axes_[axis].set.size, " times too large") : std::string()),
           str("leave this ", op, " out: a collective came before it, or another axis is meant"));
  if (sums && x.kind == OnAxis::varying && x.is_shard)
    refuse(where, str("sums tensors along ", there, " that are different parts of one", from(x)),
           "join them by gather_from_ranks over this axis, or leave this collective out");
  if (!sums && x.kind == OnAxis::partial)
    refuse(where, str("moves a partial sum along ", there, from(x)),
           "sum it: scatter_sum_to_ranks or sum_from_ranks over this axis");
  if (is_one_of(op, {"scatter_sum_to_ranks", "all_to_all_ranks"}))
    return {.kind = OnAxis::varying, .is_known = x.is_known, .is_shard = true, .origin = intern(where)};
  return same;
}

/// The gradient of its input.
std::uint8_t PlacementChecker::over_ranks_gradient(const Recorded& call, std::size_t axis, std::uint8_t bits) {
  const std::string op = call.name, where = str("the gradient of ", text(call.where)), there = along(axis);
  if ((bits & unknown_bit) != 0 || bits == 0) return bits;
  const OnAxis::Kind kind = call.inputs[0][axis].kind;
  if (kind == OnAxis::unknown) return unknown_bit;
  const std::uint8_t of_summand = kind == OnAxis::varying ? varying_bit : complete_bit;
  if (op == "sum_from_ranks") {
    if ((bits & partial_bit) != 0)
      refuse(where, str("is a partial sum along ", there, ", since ranks go on differently, and passes unsummed"),
             "use all_reduce_sum, or copy_to_ranks over this axis behind it");
    return of_summand;
  }
  if (is_one_of(op, {"copy_to_ranks", "all_reduce_sum", "gather_from_ranks"})) {
    if ((bits & complete_bit) != 0)
      refuse(
          where,
          str("is complete along ", there, ", and would be summed again: ", axes_[axis].set.size, " times too large"),
          op == "copy_to_ranks"    ? "leave copy_to_ranks out where all ranks compute alike"
          : op == "all_reduce_sum" ? "use sum_from_ranks where all ranks go on alike"
                                   : "let ranks go on with different parts of the result, or divide the loss by the "
                                     "number of ranks and sum it");
    return op == "copy_to_ranks" ? complete_bit : of_summand;
  }
  return op == "scatter_sum_to_ranks" ? of_summand : varying_bit;
}

/// The collectives of a ProcessGroup, which have no gradient.
void PlacementChecker::collective(const Operation& operation, const std::string& ranks) {
  if (depth_ != 0 || !is_listening() || axes_.empty() || !operation.input.defined()) return;
  flush();
  const auto over = axes_of(ranks);
  Places places = places_of(operation.input);
  const std::string where = place_in_program(
      str(name(operation.kind), operation.label.empty() ? std::string() : str(" '", operation.label, "'")));
  const CollectiveTraits& traits = traits_of(operation.kind);
  const bool reduces = traits.reduces;
  for (const std::size_t axis : over ? *over : std::vector<std::size_t>{}) {
    OnAxis& place = places[axis];
    if (place.kind == OnAxis::unknown) continue;
    const std::string there = along(axis);
    if (reduces && operation.reduce == Reduce::sum && place.kind == OnAxis::same && place.is_known)
      refuse(where,
             str("sums a tensor that is replicated along ", there, ": the result is ", axes_[axis].set.size,
                 " times too large"),
             "leave it out: a collective came before it, or another axis is meant");
    if (reduces && operation.reduce == Reduce::sum && place.kind == OnAxis::partial && place.is_combined)
      refuse(where, str("sums a gradient along ", there, " of which a part was combined there before"),
             "combine it once, after the last backward");
    if (reduces && operation.reduce == Reduce::mean && place.kind == OnAxis::same && place.is_combined)
      refuse(where, str("averages a gradient along ", there, " that was combined there before"),
             "leave one of the two collectives out, or pass another axis");
    if (reduces && place.kind == OnAxis::varying && place.is_gradient)
      refuse(where, str("combines gradients of shards along ", there, ", which are different parts of one"),
             "leave it out: each rank has the whole gradient of its shard");
    const bool is_extreme = operation.reduce == Reduce::max || operation.reduce == Reduce::min;
    if (reduces && place.kind == OnAxis::partial && place.is_extreme && !is_extreme)
      refuse(where, str("adds up the extremes of shards along ", there, from(place)), "use Reduce::max or min");
    if (reduces && place.kind == OnAxis::partial && !place.is_extreme && operation.reduce != Reduce::sum &&
        operation.reduce != Reduce::mean)
      refuse(where, str("takes the ", name(operation.reduce), " of a partial sum along ", there, from(place)),
             "sum it before: all_reduce over this axis");
    if (operation.reduce == Reduce::mean && reduces && place.kind == OnAxis::partial && axes_[axis].has_shards)
      refuse(where, str("averages a partial sum along ", there, from(place), ", whose ranks share one computation"),
             "use Reduce::sum");
    if (operation.kind == Collective::broadcast && place.kind == OnAxis::partial)
      refuse(where, str("copies one rank's summand of a partial sum along ", there, from(place)),
             "sum it: all_reduce over this axis");
    const bool is_combined = reduces && place.kind == OnAxis::partial && place.is_gradient;
    place = {.kind = OnAxis::same, .is_known = true, .is_combined = is_combined};
    // Ranks have rows of their own, or only the root has the result.
    if (traits.input.has_rows || traits.output.is_root) place.kind = OnAxis::varying;
  }
  for (OnAxis& place : places) {
    place.is_last = false;
    place.dim = -1;
    if (!over) place = {.kind = OnAxis::unknown};
  }
  if (operation.output.defined()) set_places(operation.output, std::move(places));
}

}  // namespace minima::distributed::detail
