#pragma once

#include <minima/autograd/node.h>
#include <minima/profiler/causes/value_range.h>
#include <minima/profiler/causes/value_trace.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace minima::profiler {

struct NonFiniteOptions {
  bool infinities = true;  ///< find Inf, too; false where masks of -Inf are meant
};

/// Finds the first NaN or Inf of a step, forward or backward.
///
///     profiler::NonFiniteTracker tracker;
///     tracker.watch(net);
///     cross_entropy(net(x), y).backward();
///     if (tracker.found()) std::puts(tracker.text().c_str());
///
/// Reads every value back, so steps take several times longer. Modules and operators as in Divergence: operators that
/// are not recorded show in the modules around them.
class MINIMA_API NonFiniteTracker final : private detail::ValueTrace {
 public:
  explicit NonFiniteTracker(const NonFiniteOptions& options = {}) : options_(options) {}

  /// Names modules, and parameters among the inputs. The network must outlive the tracker.
  template <class Module>
  NonFiniteTracker& watch(Module& network) {
    ValueTrace::watch(network);
    for (const auto& [name, tensor] : network.named_parameters()) add_parameter(name, tensor);
    return *this;
  }

  struct Input {
    std::string name;  ///< what made it: `linear in encoder`, `parameter encoder.weight`
    ValueRange range;
  };
  struct Found {
    Origin origin;
    ValueRange range;
    std::vector<Input> inputs;  ///< of the operator, as far as they need gradients; of a module's output its inputs
  };
  /// The first one; null if all values were finite.
  const Found* found() const { return found_ ? &*found_ : nullptr; }
  /// `log in loss made float32 [8] in [-3, 0], 1 NaN, 2 Inf`, and a line for each input.
  std::string text() const;

 private:
  void add_parameter(const std::string& name, const Tensor& tensor);
  void see(const Origin& origin, const Tensor& value) override;
  void recorded(const Origin& origin, const Node& node) override;
  void written(const Origin& origin, const Tensor& grad) override { see(origin, grad); }
  std::vector<Input> inputs_of(const Node& node) const;

  struct Seen {
    std::string name;
    ValueRange range;
  };

  NonFiniteOptions options_;
  std::optional<Found> found_;
  bool awaits_node_ = false;                         ///< of the operator that was found
  std::vector<Seen> outputs_;                        ///< of the operator whose node comes next
  std::map<std::uint64_t, std::vector<Seen>> made_;  ///< by the node's number
  std::map<Origin, std::vector<Input>> inputs_;      ///< of operators, for their gradients
  std::vector<Input> module_inputs_;                 ///< of the module that was entered last
  std::vector<std::pair<std::string, Tensor>> parameters_;
};

}  // namespace minima::profiler
