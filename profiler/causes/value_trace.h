#pragma once

#include <minima/autograd/checkpoint/operator_tape.h>
#include <minima/autograd/mode.h>
#include <minima/autograd/observe/formula_observer.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace minima::profiler {

/// Where a value comes from.
struct Origin {
  enum class Kind : std::uint8_t {
    operation,       ///< an operator's output
    gradient,        ///< what an operator's formula computes for one of its inputs
    module_input,    ///< a tensor argument of a module
    module_output,   ///< a tensor in a module's result
    tensor,          ///< a parameter or buffer, by name
    tensor_gradient  ///< the `.grad` of a parameter
  };
  Kind kind = Kind::operation;
  std::string op = {};      ///< of `tensor`s, the name
  std::string module = {};  ///< the path of the innermost watched module
  std::int64_t call = 0;    ///< earlier calls of this operator in this module, or of this module
  std::int64_t index = 0;   ///< of the output or input

  /// `softmax in attention, call 2`, `gradient of softmax in attention by input 0`
  MINIMA_API std::string text() const;
  auto operator<=>(const Origin&) const = default;
};

namespace detail {

/// Shows a thread's values to a subclass: outputs of recorded operators, gradients that their formulas return, and
/// what goes into and comes out of watched modules. Operators without gradient, those in checkpointed regions and
/// in-place ones are seen through the modules around them. Destroy traces in reverse order, on their thread.
class MINIMA_API ValueTrace : private ModeGuard, private minima::detail::OperatorTape, private FormulaObserver {
 public:
  ValueTrace(const ValueTrace&) = delete;

  /// Names the modules that values belong to. The network must outlive the trace.
  template <class Module>
  void watch(Module& network) {
    for (const auto& [path, module] : network.named_modules()) {
      // Clones of the network keep the hooks, and may outlive this.
      add_removal(module->add_forward_pre_hook([self = self_, name = path](auto&, auto& inputs) {
        if (*self) (*self)->enter(name, inputs);
      }));
      add_removal(module->add_forward_hook([self = self_](auto&, auto&, auto& outputs) {
        if (*self) (*self)->leave(outputs);
      }));
    }
  }

 protected:
  ValueTrace();
  ~ValueTrace();

  /// Forgets what an exception left under way, and hears of the last operator's remaining outputs.
  void end_step();

  /// The innermost watched module that runs now; empty outside.
  std::string module() const { return modules_.empty() ? "" : modules_.back().path; }
  /// The last operator that was seen.
  const Origin& latest() const { return origin_; }

  virtual void see(const Origin& origin, const Tensor& value) = 0;
  /// After `see` of all outputs, once the call's node is in the graph.
  virtual void recorded(const Origin&, const Node&) {}
  /// The `.grad` of a leaf after a formula that returns no gradient for it: its kernel may have written there.
  virtual void written(const Origin&, const Tensor&) {}

 private:
  struct Module {
    std::string path;
    std::int64_t call;
  };

  template <class Handle>
  void add_removal(Handle handle) {
    unhook_.push_back([handle]() mutable { handle.remove(); });
  }
  bool take(const char*, Tensor*, int) override { return false; }
  void put(const char* op, const Tensor* outputs, int count) override;
  void begin(const Node& node) override;
  void end() noexcept override;
  void enter(const std::string& module, const std::vector<Tensor>& inputs);
  void leave(const std::vector<Tensor>& outputs);
  void finish_pending();
  std::int64_t count(Origin::Kind kind, const std::string& op);

  FormulaObserver* formulas_;
  std::vector<Module> modules_;
  std::map<std::pair<std::string, std::string>, std::int64_t> calls_;
  Origin origin_;                      ///< of the pending outputs
  std::vector<Tensor> pending_;        ///< outputs of the last operator, whose node was not yet there
  std::shared_ptr<ValueTrace*> self_;  ///< null once this is gone; the graph's hooks may outlive it
  std::vector<Function<void()>> unhook_;
};

}  // namespace detail

}  // namespace minima::profiler
