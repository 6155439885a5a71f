#include <minima/distributed/placement/checker.h>

#include <minima/autograd/backward.h>
#include <minima/autograd/leaf.h>
#include <minima/autograd/node.h>
#include <minima/autograd/observe/formula_observer.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/optim/update/parts.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/scope.h>
#include <minima/tensor/tensor_impl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Gradients, followed through the recorded calls.

namespace minima::distributed::detail {

namespace {

/// The gradient of an input along an axis, from that of the result.
std::uint8_t gradient_of(OnAxis::Kind input, OnAxis::Kind output, std::uint8_t bits) {
  if (input == OnAxis::unknown || output == OnAxis::unknown || (bits & unknown_bit) != 0) return unknown_bit;
  if (bits == 0) return 0;
  if (output == OnAxis::same) return input == OnAxis::same ? bits : unknown_bit;
  if (input == OnAxis::same) return partial_bit;  // each rank has its share of it
  if (input == OnAxis::varying) return varying_bit;
  return output == OnAxis::partial ? complete_bit : unknown_bit;
}

}  // namespace

void PlacementChecker::Formulas::begin(const Node& node) {
  if (previous && !is_forwarding_) {
    const Scoped forwarding(is_forwarding_, true);
    previous->begin(node);
  }
  if (checker_.formula_depth_ == 0 && checker_.is_listening()) {
    try {
      checker_.follow(node);
    } catch (...) {  // end() is not called for this call then
      if (previous) previous->end();
      throw;
    }
  }
  ++checker_.formula_depth_;
}

void PlacementChecker::Formulas::end() noexcept {
  --checker_.formula_depth_;
  if (!previous || is_forwarding_) return;
  const Scoped forwarding(is_forwarding_, true);
  previous->end();
}

void PlacementChecker::start_pass() {
  if (in_pass_) return;
  in_pass_ = true;
  ++pass_;
  // Products may write into `.grad` before the checker follows them to the leaf.
  for (auto& [key, record] : leaves_)
    if (const Ref<Leaf> leaf = record.leaf->lock()) {
      record_of(*leaf);  // for axes that are new
      record.bits = bits_in_memory(*leaf);
      record.pass = pass_;
    }
  pending_.clear();
  retain();
  after_backward([checker = Ref<PlacementChecker>(this)](bool completed) { checker->end_pass(completed); });
}

void PlacementChecker::end_pass(bool completed) {
  in_pass_ = false;
  pending_.clear();
  // Graphs that are kept may be used once more.
  std::erase_if(recorded_, [&](const auto& entry) { return entry.first <= last_pass_; });
  last_pass_ = newest_sequence();
  if (!completed || users_ == 0) {
    for (auto& [leaf, record] : leaves_) record.is_dirty = false;
    return;
  }
  for (const auto& [leaf, record] : leaves_)
    for (std::size_t axis = 0; record.is_dirty && axis < record.bits.size(); ++axis)
      if (record.is_invariant[axis] && (record.bits[axis] & partial_bit) != 0)
        refuse(str("the gradient of ", name_of(record)),
               str("is a partial sum along ", along(axis),
                   record.cause[axis] < 0 ? "" : ", since it meets a varying tensor in " + text(record.cause[axis]),
                   ", but the parameter was declared invariant"),
               "pass it through copy_to_ranks over this axis");
  flush();
}

void PlacementChecker::follow(const Node& node) {
  if (axes_.empty()) return;
  start_pass();
  const auto found = recorded_.find(node.sequence);
  const bool is_known = found != recorded_.end() &&
                        (!found->second.name || std::string(found->second.name) == node.name()) &&
                        found->second.output.size() <= axes_.size();
  const auto waiting = pending_.find(&node);
  std::vector<std::uint8_t> bits(axes_.size());
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (waiting != pending_.end()) {
      bits[axis] = waiting->second.bits[axis];
      continue;
    }
    // The pass starts here, with the gradient of a loss.
    if (!is_known || axis >= found->second.output.size()) {
      bits[axis] = unknown_bit;
      continue;
    }
    switch (found->second.output[axis].kind) {
      case OnAxis::same: bits[axis] = axes_[axis].is_mean ? partial_bit : complete_bit; break;
      case OnAxis::varying: bits[axis] = varying_bit; break;
      case OnAxis::partial: bits[axis] = complete_bit; break;
      case OnAxis::unknown: bits[axis] = unknown_bit; break;
    }
  }
  if (waiting != pending_.end()) pending_.erase(waiting);
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const bool acts =
        is_known && std::find(found->second.axes.begin(), found->second.axes.end(), axis) != found->second.axes.end();
    const std::uint8_t summed = acts ? over_ranks_gradient(found->second, axis, bits[axis]) : bits[axis];
    for (std::uint32_t i = 0; i < node.edge_count(); ++i) {
      if (!node.edges()[i]) continue;
      std::uint8_t given = summed;
      if (!is_known) {
        given = node.edge_count() == 1 ? summed : unknown_bit;
      } else if (!acts) {
        const Recorded& call = found->second;
        const bool has = i < call.inputs.size() && axis < call.inputs[i].size() && axis < call.output.size();
        given = has ? gradient_of(call.inputs[i][axis].kind, call.output[axis].kind, summed) : unknown_bit;
      }
      contribute(node.edges()[i], axis, given, is_known ? found->second.where : -1);
    }
  }
}

void PlacementChecker::contribute(const Edge& edge, std::size_t axis, std::uint8_t bits, int from) {
  Node& target = *edge.node();
  if (target.is_leaf()) {
    auto& leaf = static_cast<Leaf&>(target);
    LeafRecord& record = record_of(leaf);
    if (record.pass != pass_) {
      record.bits = bits_in_memory(leaf);
      record.pass = pass_;
    }
    record.is_dirty = has_dirty_ = true;
    record.bits[axis] |= bits;
    if ((bits & partial_bit) != 0) record.cause[axis] = from;
    return;
  }
  Pending& pending = pending_[&target];
  pending.bits.resize(axes_.size());
  pending.complete_from.resize(axes_.size(), -1);
  pending.partial_from.resize(axes_.size(), -1);
  if ((bits & complete_bit) != 0 && from >= 0) pending.complete_from[axis] = from;
  if ((bits & partial_bit) != 0 && from >= 0) pending.partial_from[axis] = from;
  pending.bits[axis] |= bits;
  if ((pending.bits[axis] & complete_bit) == 0 || (pending.bits[axis] & partial_bit) == 0 || target.output_count() != 1)
    return;
  const auto said = [&](int where) { return where < 0 ? std::string("another operator") : text(where); };
  refuse(str("the gradient of ", target.name()),
         str("adds a complete gradient, from ", said(pending.complete_from[axis]), ", and a partial one along ",
             along(axis), ", from ", said(pending.partial_from[axis])),
         str("pass the tensor through copy_to_ranks over this axis before ", said(pending.partial_from[axis])));
}

/// The present gradient, to which a pass adds.
std::vector<std::uint8_t> PlacementChecker::bits_in_memory(Leaf& leaf) {
  std::vector<std::uint8_t> bits(axes_.size());
  const Tensor gradient = leaf.gradient();
  if (!gradient.defined()) return bits;
  const auto found = memory_.find(gradient.impl()->storage.get());
  if (found == memory_.end() || found->second.data != gradient.impl()->storage->data()) return bits;
  for (std::size_t axis = 0; axis < axes_.size() && axis < found->second.places.size(); ++axis) {
    const OnAxis& place = found->second.places[axis];
    if (place.kind == OnAxis::partial) bits[axis] = place.is_combined ? partial_bit | complete_bit : partial_bit;
    if (place.kind == OnAxis::varying && place.is_known) bits[axis] = varying_bit;
    if (place.kind == OnAxis::same && place.is_known) bits[axis] = complete_bit;
  }
  return bits;
}

/// Notes at the gradients' memory what passes have found, so that operators and collectives on `.grad` are checked.
void PlacementChecker::flush() {
  if (!has_dirty_) return;
  has_dirty_ = false;
  for (auto& [key, record] : leaves_) {
    if (!record.is_dirty) continue;
    const Ref<Leaf> leaf = record.leaf->lock();
    const Tensor gradient = leaf ? leaf->gradient() : Tensor();
    if (!gradient.defined()) {
      record.is_dirty = leaf && in_pass_;
      has_dirty_ = has_dirty_ || record.is_dirty;
      continue;
    }
    record.is_dirty = false;
    record.pass = 0;
    const bool is_combined = combined_.contains(key);
    Places places(axes_.size());
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      const std::uint8_t bits = record.bits[axis];
      OnAxis& place = places[axis];
      place.is_known = true;
      if ((bits & unknown_bit) != 0) place.kind = OnAxis::unknown;
      else if ((bits & partial_bit) != 0) place.kind = OnAxis::partial;
      else if ((bits & varying_bit) != 0) place.kind = OnAxis::varying;
      place.is_gradient = true;
      place.is_combined = place.kind == OnAxis::partial && (bits & complete_bit) != 0;
      // Other nets than those that are data-parallel may see the same data on all ranks.
      if (!axes_[axis].is_declared && !is_combined) place = {.kind = OnAxis::unknown};
      if (place.kind == OnAxis::partial) place.origin = intern("the gradient of " + name_of(record));
    }
    set_places(gradient, std::move(places));
  }
}

void PlacementChecker::expect_complete(const char* reader, const std::vector<Tensor>& parameters, bool is_norm) {
  if (users_ == 0 || axes_.empty()) return;
  flush();
  for (const Tensor& parameter : parameters) {
    const LeafRecord* const record = find_leaf(parameter);
    const Tensor gradient = record ? parameter.grad() : Tensor();
    if (!gradient.defined()) continue;
    const Places places = places_of(gradient);
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      if (is_norm && record->places[axis].kind == OnAxis::varying &&
          !optim::detail::has_peers(parameter, axes_[axis].set.ranks))
        refuse(reader, str("counts only one rank's shard of ", name_of(*record), " along ", along(axis)),
               "declare the parts with SplitParameters over this axis, so that norms are those of all");
      if (places[axis].kind != OnAxis::partial) continue;
      refuse(
          reader,
          str("reads the gradient of ", name_of(*record), ", which is a partial sum along ", along(axis),
              record->cause[axis] < 0 ? std::string() : ": it meets a varying tensor in " + text(record->cause[axis])),
          combined_.contains(Leaf::find(parameter)) && axes_[axis].is_data
              ? "a backward() without no_sync() has to combine it first"
              : "the sum is missing: all_reduce its .grad, pass it through copy_to_ranks over this axis, or, "
                "if the axis has shares of the batch, use DistributedDataParallel over it");
    }
  }
}

void PlacementChecker::reduced(const char* who, const std::vector<Tensor>& parameters, const RankSet& set,
                               bool is_sum) {
  if (users_ == 0) return;
  const auto over = axes_of(set.ranks);
  if (!over) return;
  for (const Tensor& parameter : parameters) {
    LeafRecord* const record = find_leaf(parameter);
    if (!record) continue;
    const Tensor gradient = parameter.grad();
    if (!record->is_dirty) record->bits = bits_in_memory(*Leaf::find(parameter));
    for (const std::size_t axis : *over) {
      std::uint8_t& bits = record->bits[axis];
      if (record->places[axis].kind == OnAxis::varying || (bits & varying_bit) != 0)
        refuse(who,
               str("combines the gradients of ", name_of(*record), " along ", along(axis),
                   ", where each rank has a shard of its own"),
               "pass the group of the axis along which it is replicated");
      if (!is_sum && axes_[axis].has_shards && (bits & partial_bit) != 0)
        refuse(who,
               str("averages the gradient of ", name_of(*record), ", a partial sum along ", along(axis),
                   ", whose ranks share one computation"),
               "pass the group of the data axis, and sum over this one");
      if (is_sum && (bits & complete_bit) != 0)
        refuse(who,
               str("sums the gradient of ", name_of(*record), " along ", along(axis),
                   ", of which a part is complete already: it was combined before, or all ranks compute the same loss"),
               "leave one of the collectives out, or hold no_sync() during all but the last backward");
      bits = complete_bit;
    }
    record->is_dirty = gradient.defined();
    has_dirty_ = has_dirty_ || record->is_dirty;
  }
  flush();
}

}  // namespace minima::distributed::detail
