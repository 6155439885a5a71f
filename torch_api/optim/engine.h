#pragma once

#include <minima/autograd/mode.h>
#include <minima/optim/elementwise_optimizer.h>
#include <torch/optim/optimizer.h>

// LibTorch's optimizers compute their steps by minima's, which update all parameters of all groups in one pass. A Rule
// says how options and states of the two correspond:
//
//   struct AdamRule {
//     using Options = AdamOptions;
//     using State = AdamParamState;
//     using Native = minima::optim::AdamOptions;
//     static Native native(const Options&);
//     /// The state's tensors in the order of minima's rule, which may depend on the options.
//     static StateTensors tensors(State&, const Options&);
//     static bool has_state(const Options&);
//     /// Updates so far; `counted` is what the engine has counted itself.
//     static int64_t steps(const State&, int64_t counted);
//     static void set_steps(State&, int64_t steps);
//   };

namespace torch::optim::detail {

/// Pointers to the tensors of a state, at most three.
class StateTensors {
 public:
  StateTensors() = default;
  StateTensors(std::initializer_list<Tensor*> tensors) {
    for (Tensor* tensor : tensors) push_back(tensor);
  }
  void push_back(Tensor* tensor) { at_[size_++] = tensor; }
  size_t size() const { return size_; }
  Tensor* operator[](size_t i) const { return at_[i]; }
  Tensor* const* begin() const { return at_; }
  Tensor* const* end() const { return at_ + size_; }

 private:
  Tensor* at_[3] = {};
  size_t size_ = 0;
};

/// A parameter as minima's optimizers see it, and how many updates of it they have counted.
struct Entry {
  minima::optim::Optimizer::Slot slot;
  void* key = nullptr;  ///< of the parameter in Optimizer::state()
  int64_t counted = 0;
};

/// The parameters of all groups. Entries are kept while the parameters stay the same.
class Entries {
 public:
  /// Forgets what minima has counted, so that it is taken from the states.
  void clear() { all_.clear(); }
  void follow(const std::vector<OptimizerParamGroup>& groups);
  std::vector<Entry>& all() { return all_; }
  /// A parameter that is listed twice is updated twice, one after the other.
  bool has_repetitions() const { return has_repetitions_; }

 private:
  std::vector<Entry> all_;
  bool has_repetitions_ = false;
};

/// Hands the state of a parameter to minima: its tensors, in the parameter's memory order, and the number of updates.
void load_slot(Entry& entry, const StateTensors& tensors, int64_t steps);
/// Stores the handles back, since minima's step allocates them, or moves them to the parameter's device.
void store_slot(Entry& entry, const StateTensors& tensors);

template <class Rule>
class Engine final : public minima::optim::ElementwiseOptimizer<typename Rule::Native> {
  using Base = minima::optim::ElementwiseOptimizer<typename Rule::Native>;
  using Options = typename Rule::Options;
  using State = typename Rule::State;

 public:
  Engine() : Base(std::vector<minima::Tensor>{minima::empty({1})}, {}) {  // minima's optimizers refuse to have none
    this->slots_.clear();
  }

  void step(Optimizer& optimizer) {
    entries_.follow(optimizer.param_groups());
    this->options_.clear();
    for (OptimizerParamGroup& group : optimizer.param_groups())
      this->options_.push_back(Rule::native(static_cast<Options&>(group.options())));
    this->group_count_ = this->options_.size();
    std::vector<Entry>& all = entries_.all();
    const size_t batch = entries_.has_repetitions() ? 1 : all.size();
    for (size_t first = 0; first < all.size(); first += batch) run(optimizer, first, first + batch);
  }

 private:
  struct Pending {
    Entry* entry;
    State* state;  ///< null if the rule needs none
    StateTensors tensors;
  };

  void run(Optimizer& optimizer, size_t first, size_t last) {
    pending_.clear();
    this->slots_.clear();
    for (size_t i = first; i < last; ++i) {
      Entry& entry = entries_.all()[i];
      if (!entry.slot.parameter.grad().defined()) continue;
      pending_.push_back(prepare(optimizer, entry));
      this->slots_.push_back(std::move(entry.slot));
    }
    try {
      minima::optim::Optimizer::step();
    } catch (...) {
      entries_.clear();
      throw;
    }
    for (size_t i = 0; i < pending_.size(); ++i) {
      auto& [entry, state, tensors] = pending_[i];
      entry->slot = std::move(this->slots_[i]);
      ++entry->counted;
      store_slot(*entry, tensors);
      if (state) Rule::set_steps(*state, entry->counted);
    }
  }

  Pending prepare(Optimizer& optimizer, Entry& entry) {
    const auto& options = static_cast<Options&>(optimizer.param_groups()[entry.slot.group].options());
    if (!Rule::has_state(options)) {
      load_slot(entry, {}, entry.counted);
      return {&entry, nullptr, {}};
    }
    auto& held = optimizer.state()[entry.key];
    if (!held) held = std::make_unique<State>();
    auto& state = static_cast<State&>(*held);
    const StateTensors tensors = Rule::tensors(state, options);
    load_slot(entry, tensors, Rule::steps(state, entry.counted));
    return {&entry, &state, tensors};
  }

  std::vector<Pending> pending_;
  Entries entries_;
};

/// Evaluates the closure, if there is one, with gradients recorded.
Tensor evaluate(const Optimizer::LossClosure& closure);

template <class Rule>
Tensor step(Optimizer& optimizer, std::shared_ptr<void>& engine, const Optimizer::LossClosure& closure) {
  Tensor loss = evaluate(closure);
  if (!engine) engine = std::make_shared<Engine<Rule>>();
  static_cast<Engine<Rule>*>(engine.get())->step(optimizer);
  return loss;
}

}  // namespace torch::optim::detail
