#pragma once

#include "simulated/machine/cost.h"

#include <minima/autograd/observe/formula_observer.h>
#include <minima/nn/module/forward_hook.h>
#include <minima/nn/module/module_base.h>
#include <minima/tensor/device/observer.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simulated {

/// While it exists, work that this thread submits is labelled with the operator and the path of the module that called
/// it, in backward with those of the call whose gradient is computed. An operator that another one runs is named after
/// it: `linear_cross_entropy/matmul`.
class Labels final : public minima::Observer, public minima::FormulaObserver {
 public:
  explicit Labels(minima::nn::ModuleBase& network);
  ~Labels();
  Labels(const Labels&) = delete;

  void begin(const char* op, minima::Cost cost) override;
  void begin(const minima::Node& node) override;
  void end() noexcept override;

 private:
  void enter(const std::string& module);
  void leave();
  /// The module whose call recorded this node.
  std::string module_of(std::uint64_t sequence) const;

  minima::Observer* observer_;
  minima::FormulaObserver* formulas_;
  std::vector<minima::nn::ForwardHookHandle> hooks_;
  std::vector<std::string> modules_;               ///< calls under way, innermost last
  std::map<std::uint64_t, std::string> recorded_;  ///< the module from the node after this one on
  std::vector<Label> outer_;
};

}  // namespace simulated
