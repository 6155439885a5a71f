#include <minima/distributed/placement/checker.h>

#include <minima/autograd/leaf.h>
#include <minima/autograd/mode.h>
#include <minima/autograd/observe/formula_observer.h>
#include <minima/distributed/backends/backend.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/distributed/placement/placement.h>
#include <minima/distributed/placement/rules.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/module_call.h>
#include <minima/nn/module/registry.h>
#include <minima/ops/core/operator_call.h>
#include <minima/optim/update/gradients.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/scope.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/storage/memory_observer.h>
#include <minima/tensor/tensor_impl.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minima::distributed::detail {

namespace {

constexpr std::size_t most_recorded = std::size_t{1} << 17;  // in programs without backward passes

}  // namespace

constinit thread_local PlacementChecker* placement_checker = nullptr;

bool wants_placement_check() {
  const char* const text = std::getenv("MINIMA_DISTRIBUTED_CHECK");
  return text && std::string_view(text) != "" && std::string_view(text) != "0";
}

std::string rank_set_text(const std::vector<int>& members) {
  if (members.empty()) return "none";
  const int step = members.size() > 1 ? members[1] - members[0] : 1;
  for (std::size_t i = 1; i < members.size(); ++i)
    if (members[i] - members[i - 1] != step) {
      std::string text;
      for (const int rank : members) text += str(text.empty() ? "" : ",", rank);
      return text;
    }
  return str(members[0], "+", step, "*", members.size());
}

// --- life ---

Ref<PlacementChecker> PlacementChecker::here() {
  static thread_local Ref<PlacementChecker> checker(new PlacementChecker);
  return checker;
}

PlacementChecker::~PlacementChecker() = default;

/// Observers that were set later may still forward to this one: it stays in the list and does nothing without users.
void PlacementChecker::add_user() {
  if (users_++ > 0) return;
  static const bool listens = [] {
    optim::detail::set_gradient_reader([](const char* reader, const std::vector<Tensor>& parameters, bool is_norm) {
      if (placement_checker) placement_checker->expect_complete(reader, parameters, is_norm);
    });
    return true;
  }();
  (void)listens;
  placement_checker = this;
  if (observer() != this) previous_ = set_observer(this);
  if (minima::detail::formula_observer() != &formulas_) formulas_.previous = set_formula_observer(&formulas_);
  if (MemoryObserver* const outer = set_memory_observer(this); outer != this) previous_memory_ = outer;
}

void PlacementChecker::drop_user() {
  if (--users_ > 0) return;
  if (placement_checker == this) {
    placement_checker = nullptr;
    if (observer() == this) set_observer(std::exchange(previous_, nullptr));
    if (minima::detail::formula_observer() == &formulas_)
      set_formula_observer(std::exchange(formulas_.previous, nullptr));
    if (MemoryObserver* const top = set_memory_observer(nullptr); top == this)
      set_memory_observer(std::exchange(previous_memory_, nullptr));
    else set_memory_observer(top);
  }
  axes_.clear();
  grids_.clear();
  memory_.clear();
  leaves_.clear();
  names_.clear();
  combined_.clear();
  recorded_.clear();
  pending_.clear();
  modules_.clear();
  root_ = nullptr;
}

struct PlacementUser::Shared final : Counted {
  Shared() : checker(PlacementChecker::here()) { checker->add_user(); }
  ~Shared() override { checker->drop_user(); }
  Ref<PlacementChecker> checker;
};
PlacementUser::PlacementUser() : shared_(new Shared) {}
PlacementUser::~PlacementUser() = default;

PlacementPause::PlacementPause() : checker_(placement_checker) {
  if (checker_) checker_->pause(1);
}
PlacementPause::~PlacementPause() {
  if (checker_) checker_->pause(-1);
}

// --- axes ---

std::size_t PlacementChecker::add_axis(const RankSet& set) {
  for (std::size_t i = 0; i < axes_.size(); ++i)
    if (axes_[i].set.ranks == set.ranks) return i;
  axes_.push_back({.set = set});
  return axes_.size() - 1;
}

namespace {

bool contains(const RankSet& all, const RankSet& some) {
  return std::all_of(some.members.begin(), some.members.end(), [&](int rank) {
    return std::find(all.members.begin(), all.members.end(), rank) != all.members.end();
  });
}

/// Whether the sets, which have this rank in common, are the axes of a grid of all ranks of `whole`.
bool is_grid(const RankSet& whole, const std::vector<RankSet>& sets) {
  int size = 1;
  for (const RankSet& set : sets) {
    if (!contains(whole, set)) return false;
    size *= set.size;
    for (const RankSet& other : sets)
      if (&other != &set && std::count_if(set.members.begin(), set.members.end(), [&](int rank) {
                              return std::find(other.members.begin(), other.members.end(), rank) != other.members.end();
                            }) != 1)
        return false;
  }
  return sets.size() > 1 && size == whole.size;
}

}  // namespace

void PlacementChecker::fit_grids(const std::vector<RankSet>& sets) {
  for (const RankSet& set : sets) {
    if (axes_of(set.ranks)) continue;
    std::vector<RankSet> parts;
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
      if (contains(set, axes_[axis].set)) {
        parts.push_back(axes_[axis].set);
        axes.push_back(axis);
      }
    if (is_grid(set, parts)) grids_[set.ranks] = axes;
  }
  for (std::size_t axis = 0; axis < axes_.size(); ++axis)
    if (!axes_[axis].is_declared && is_grid(axes_[axis].set, sets)) divide_axis(axis, sets);
}

/// A placement along the axis holds along each of the sets.
void PlacementChecker::divide_axis(std::size_t axis, const std::vector<RankSet>& sets) {
  const RankSet whole = std::exchange(axes_[axis].set, sets.front());
  std::vector<std::size_t> axes{axis};
  const auto spread = [&](auto& values, std::size_t to) {
    if (values.size() <= axis) return;
    values.resize(std::max(values.size(), to + 1));
    values[to] = values[axis];
  };
  for (std::size_t i = 1; i < sets.size(); ++i) {
    const std::size_t to = axes_.size();
    axes.push_back(to);
    axes_.push_back(axes_[axis]);
    axes_[to].set = sets[i];
    const auto spread_places = [&](Places& places) {
      if (places.size() > axis) fit(places);
      spread(places, to);
    };
    for (auto& [storage, memory] : memory_) spread_places(memory.places);
    for (auto& [leaf, record] : leaves_) {
      if (record.places.size() > axis) record.places.resize(to, {.kind = OnAxis::same, .is_known = true});
      spread(record.places, to);
      spread(record.is_invariant, to);
      spread(record.bits, to);
      spread(record.cause, to);
    }
    for (auto& [number, recorded] : recorded_) {
      for (Places& places : recorded.inputs) spread_places(places);
      spread_places(recorded.output);
      if (std::find(recorded.axes.begin(), recorded.axes.end(), axis) != recorded.axes.end())
        recorded.axes.push_back(to);
    }
    for (auto& [node, pending] : pending_) {
      spread(pending.bits, to);
      spread(pending.complete_from, to);
      spread(pending.partial_from, to);
    }
  }
  grids_[whole.ranks] = std::move(axes);
}

std::optional<std::vector<std::size_t>> PlacementChecker::axes_of(const std::string& ranks) const {
  for (std::size_t i = 0; i < axes_.size(); ++i)
    if (axes_[i].set.ranks == ranks) return std::vector<std::size_t>{i};
  if (const auto found = grids_.find(ranks); found != grids_.end()) return found->second;
  return std::nullopt;
}

void use_data_axes(const char* who, std::vector<RankSet> sets, bool is_mean) {
  std::erase_if(sets, [](const RankSet& set) { return set.size == 1; });
  PlacementChecker& checker = *placement_checker;
  checker.fit_grids(sets);
  for (const RankSet& set : sets) {
    const auto known = checker.axes_of(set.ranks);
    for (const std::size_t axis : known ? *known : std::vector<std::size_t>{checker.add_axis(set)}) {
      PlacementAxis& known_axis = checker.axes()[axis];
      if (known_axis.has_shards)
        throw PlacementError(str("placement: ", who, " gets a group that contains axis \"", known_axis.set.name,
                                 "\", along which parameters have shards; pass the group of the data axis"));
      if (!known_axis.is_data) checker.become_data(axis);
      known_axis.is_mean = is_mean;
    }
  }
}

void name_parameter(const Tensor& parameter, const std::string& name) {
  placement_checker->name_parameter(parameter, name);
}
void check_collective(const Operation& operation, const std::string& ranks) {
  placement_checker->collective(operation, ranks);
}
void expect_reduction(const Tensor& parameter, const std::string& name, const Tensor& gradient, const RankSet& set) {
  placement_checker->expect_reduction(parameter, name, gradient, set);
}
void check_reduced(const char* who, const std::vector<Tensor>& parameters, const RankSet& set, bool is_sum) {
  placement_checker->reduced(who, parameters, set, is_sum);
}

// --- words ---

int PlacementChecker::intern(std::string text) {
  const auto [place, is_new] = numbers_.try_emplace(std::move(text), static_cast<int>(texts_.size()));
  if (is_new) texts_.push_back(place->first);
  return place->second;
}

const std::string& PlacementChecker::text(int index) const { return texts_[static_cast<std::size_t>(index)]; }

void PlacementChecker::name_modules(const nn::ModuleBase& root) {
  modules_.clear();
  root_ = nn::detail::Registry::identity(root);
  for (const nn::NamedModule& module : root.named_modules())
    modules_.try_emplace(nn::detail::Registry::identity(*module.module),
                         module.name.empty() ? str("module ", module.module->type_name())
                                             : str("module ", module.name, " (", module.module->type_name(), ")"));
  for (const nn::NamedTensor& parameter : root.named_parameters())
    if (const Leaf* const leaf = Leaf::find(parameter.tensor)) names_[leaf] = parameter.name;
}

std::string PlacementChecker::place_in_program(const std::string& op) {
  const nn::detail::Call* const inner = nn::detail::Call::innermost;
  if (!inner) return op + " outside of modules";
  const nn::detail::Call* outermost = inner;
  while (outermost->outer) outermost = outermost->outer;
  if (root_ != nn::detail::Registry::identity(outermost->module)) name_modules(outermost->module);
  for (const nn::detail::Call* call = inner; call; call = call->outer)
    if (const auto found = modules_.find(nn::detail::Registry::identity(call->module)); found != modules_.end())
      return str(op, " in ", found->second);
  return str(op, " in module ", inner->module.type_name());
}

// --- Observer ---

/// Parts of operators, formulas and recomputations repeat what the checker has seen.
bool PlacementChecker::is_listening() const {
  return users_ > 0 && formula_depth_ == 0 && !minima::detail::mode().recomputing && placement_checker == this;
}

void PlacementChecker::begin(const char* op, Cost cost) {
  ++depth_;
  if (!previous_ || is_forwarding_) return;
  const Scoped forwarding(is_forwarding_, true);
  previous_->begin(op, cost);
}

void PlacementChecker::end() noexcept {
  if (depth_ > 0) --depth_;  // a call may have begun before the check
  if (!previous_ || is_forwarding_) return;
  const Scoped forwarding(is_forwarding_, true);
  previous_->end();
}

void PlacementChecker::read(const Tensor& x) {
  if (!previous_ || is_forwarding_) return;
  const Scoped forwarding(is_forwarding_, true);
  previous_->read(x);
}

void PlacementChecker::call(const minima::detail::OperatorCall& call) {
  if (previous_ && !is_forwarding_) {
    const Scoped forwarding(is_forwarding_, true);
    previous_->call(call);
  }
  if (depth_ != 1 || in_pass_ || !is_listening() || axes_.empty()) return;
  flush();
  const std::string where = place_in_program(call.name);
  std::vector<Places> inputs;
  bool is_recorded = false;
  for (std::size_t i = 0; i < call.input_count; ++i) {
    const Tensor& x = *call.inputs[i];
    inputs.push_back(x.defined() ? places_of(x) : Places());
    is_recorded = is_recorded || (x.defined() && x.requires_grad());
  }
  const PlacementRule* const rule = find_rule(call.name);
  const Places output = propagate(call, rule, inputs, where);
  const bool in_place = call.input_count > 0 && call.inputs[0]->defined() && call.outputs[0].defined() &&
                        call.outputs[0].impl() == call.inputs[0]->impl();
  for (int i = 0; i < call.output_count; ++i)
    if (call.outputs[i].defined()) {
      if (in_place && i == 0) join_places(call.outputs[i], output);
      else set_places(call.outputs[i], output);
    }
  if (!is_recorded || !minima::detail::mode().grad) return;
  Recorded recorded{.name = call.name, .where = intern(where), .inputs = std::move(inputs), .output = output};
  if (rule && rule->form == Form::collective)
    if (auto axes = axes_of(call)) recorded.axes = std::move(*axes);
  // A change in place is numbered before its kernel, other calls after it.
  if (recorded_.size() > most_recorded) recorded_.clear();
  recorded_.insert_or_assign(newest_sequence() + (in_place ? 0 : 1), std::move(recorded));
}

void PlacementChecker::view(const Tensor& x, const Tensor& y) {
  if (previous_ && !is_forwarding_) {
    const Scoped forwarding(is_forwarding_, true);
    previous_->view(x, y);
  }
  if (depth_ != 0 || in_pass_ || !is_listening() || axes_.empty()) return;
  Places places = places_of(x);
  const bool keeps_last = x.rank() > 0 && y.rank() > 0 && x.size(-1) == y.size(-1) &&
                          x.layout().strides[x.rank() - 1] == y.layout().strides[y.rank() - 1];
  Memory& memory = memory_[x.impl()->storage.get()];
  if (!memory.data || find_leaf(x)) {  // the operators that initialised a leaf do not say that ranks agree
    memory.places = places;
    memory.data = x.impl()->storage->data();
    memory.layout = x.layout();
    memory.last = {x.layout()};
  }
  for (OnAxis& place : places) {
    place.dim = -1;
    place.is_last = place.is_last && keeps_last;
  }
  if (std::any_of(places.begin(), places.end(), [](const OnAxis& place) { return place.is_last; }))
    memory.last.push_back(y.layout());
  if (!minima::detail::mode().grad || !x.requires_grad()) return;
  Recorded recorded{.name = nullptr, .where = -1, .inputs = {places}, .output = places};
  recorded_.insert_or_assign(newest_sequence() + 1, std::move(recorded));
}

void PlacementChecker::change(const Storage& storage, std::int64_t bytes) noexcept {
  if (previous_memory_ && previous_memory_ != this && !is_forwarding_) {
    const Scoped forwarding(is_forwarding_, true);
    previous_memory_->change(storage, bytes);
  }
  if (!memory_.empty()) memory_.erase(&storage);
}

}  // namespace minima::distributed::detail
