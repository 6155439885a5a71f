#include "simulated/dryrun/labels.h"

#include "simulated/census/census.h"

#include <minima/autograd/node.h>

#include <iterator>
#include <utility>

namespace simulated {

using namespace minima;

Labels::Labels(nn::ModuleBase& network) : observer_(set_observer(this)), formulas_(set_formula_observer(this)) {
  for (const auto& [path, module] : network.named_modules())
    hooks_.push_back(module->add_forward_watcher([this, path] { enter(path); }, [this] { leave(); }));
}

Labels::~Labels() {
  for (nn::ForwardHookHandle& hook : hooks_) hook.remove();
  set_formula_observer(formulas_);
  set_observer(observer_);
  if (!outer_.empty()) set_label(outer_.front());
}

void Labels::enter(const std::string& module) {
  modules_.push_back(module);
  recorded_[newest_sequence()] = module;
}

void Labels::leave() {
  modules_.pop_back();
  recorded_[newest_sequence()] = modules_.empty() ? "" : modules_.back();
}

std::string Labels::module_of(std::uint64_t sequence) const {
  const auto next = recorded_.lower_bound(sequence);
  return next == recorded_.begin() ? "" : std::prev(next)->second;
}

void Labels::begin(const char* op, minima::Cost cost) {
  Label label = set_label({});
  outer_.push_back(label);
  if (label.op.empty() && !modules_.empty()) label.module = modules_.back();
  if (!label.op.empty()) label.op += '/';
  label.op += op;
  set_label(std::move(label));
  if (observer_) observer_->begin(op, cost);
}

void Labels::begin(const Node& node) {
  const bool is_leaf = node.edge_count() == 0;
  outer_.push_back(
      set_label({.op = is_leaf ? "leaf" : node.name(), .module = module_of(node.sequence), .backward = true}));
}

void Labels::end() noexcept {
  set_label(std::move(outer_.back()));
  outer_.pop_back();
}

}  // namespace simulated
