#pragma once

#include <minima/autograd/observe/formula_observer.h>
#include <minima/tensor/base/api.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/device/observer.h>

#include <string>
#include <string_view>
#include <vector>

namespace minima::profiler {

/// Names what the calling thread does for Nsight Systems and other tools that listen to NVTX: operators, gradients and,
/// of watched networks, modules, as ranges of the domain `minima`. A `Range` is one, too.
///
///     profiler::NvtxRanges ranges;
///     ranges.watch(network);
///     train();                      // nsys profile --trace=cuda,nvtx build/train
///
/// Where no tool listens it does not even attach to the thread. It must end on its thread; what observes operators
/// nests.
class MINIMA_API NvtxRanges final : public Observer, public FormulaObserver {
 public:
  NvtxRanges();
  NvtxRanges(const NvtxRanges&) = delete;
  ~NvtxRanges();

  /// The network must outlive the ranges.
  template <class Module>
  NvtxRanges& watch(Module& network) {
    if (!listening_) return *this;
    for (const auto& [path, module] : network.named_modules()) {
      auto watcher = module->add_forward_watcher([this, name = path] { push(name.c_str()); }, [this] { pop(); });
      unhook_.push_back([watcher]() mutable { watcher.remove(); });
    }
    return *this;
  }

  /// Whether a tool listens.
  bool is_listening() const { return listening_; }

  void begin(const char* op, Cost cost) override;
  void begin(const Node& node) override;
  void end() noexcept override;

 private:
  void push(const char* name);
  void pop() noexcept;

  bool listening_;
  int open_ = 0;
  std::vector<bool> is_formula_;  ///< of what is under way, innermost last
  std::vector<Function<void()>> unhook_;
  Observer* observer_ = nullptr;
  FormulaObserver* formulas_ = nullptr;
};

}  // namespace minima::profiler
