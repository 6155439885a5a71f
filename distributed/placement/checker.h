#pragma once

#include <minima/autograd/leaf.h>
#include <minima/autograd/observe/formula_observer.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/distributed/placement/placement.h>
#include <minima/distributed/placement/rules.h>
#include <minima/ops/core/operator_call.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/storage/memory_observer.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace minima::nn {
class ModuleBase;
namespace detail {
struct ModuleState;
}
}  // namespace minima::nn

// The checker of placements of one thread. Internal.
//
// Values are replicated, varying or partial; that belongs to their memory, so that views need no rule. Whether a
// replicated value is invariant shows in the backward pass: the checker follows the gradients through the recorded
// calls, without looking at their numbers. A gradient is complete, a partial sum or varying; a replicated value that
// meets a varying one gets a partial gradient.

namespace minima::distributed::detail {

/// An axis whose ranks a tensor is placed on.
struct PlacementAxis {
  RankSet set;
  bool is_declared = false;  ///< by a PlacementCheck, which holds for all parameters
  bool is_data = false;      ///< tensors without a declaration vary along it
  bool is_mean = false;  ///< gradients are averaged: the loss of all is the ranks' mean, and each has its share of it
  bool has_shards = false;  ///< parameters were declared to vary along it
};

/// A value along one axis.
struct OnAxis {
  enum Kind : std::uint8_t { same, varying, partial, unknown };
  Kind kind = same;
  bool is_known = false;     ///< it comes from a parameter, a declaration or a collective
  bool is_shard = false;     ///< ranks have different parts of a dimension, whose sum over ranks means nothing
  bool is_last = false;      ///< that is the last dimension
  bool is_extreme = false;   ///< of a partial value: ranks have the largest or smallest of their shard
  bool is_gradient = false;  ///< a parameter's
  bool is_combined = false;  ///< a collective has made it the same, or a part of it if it is partial
  std::int8_t dim = -1;      ///< of a parameter: the dimension that ranks share, or -1
  int origin = -1;           ///< the text that says where it became varying or partial
};
using Places = std::vector<OnAxis>;  ///< for each axis

/// A gradient's bits along one axis.
inline constexpr std::uint8_t complete_bit = 1, partial_bit = 2, varying_bit = 4, unknown_bit = 8;

class PlacementChecker final : public Counted, Observer, MemoryObserver {
 public:
  /// This thread's.
  static Ref<PlacementChecker> here();
  ~PlacementChecker() override;

  void pause(int by) { depth_ += by; }
  void add_user();
  void drop_user();

  std::size_t add_axis(const RankSet& set);
  /// Notes which axes a set that is no axis is a grid of; divides the axis that is a grid of these sets.
  void fit_grids(const std::vector<RankSet>& sets);
  std::vector<PlacementAxis>& axes() { return axes_; }
  /// Values that were taken for replicated, without a reason, vary along this axis.
  void become_data(std::size_t axis);
  /// The axes that a collective over these ranks acts on; no value if the set is no axis, nor a grid of several.
  std::optional<std::vector<std::size_t>> axes_of(const std::string& ranks) const;
  void set_grid(const std::string& ranks, std::vector<std::size_t> axes) { grids_[ranks] = std::move(axes); }

  void declare(const Tensor& x, std::size_t axis, Placement placement, int dim);
  OnAxis place_of(const Tensor& x, std::size_t axis) { return places_of(x)[axis]; }
  void name_parameter(const Tensor& parameter, const std::string& name);
  void expect_reduction(const Tensor& parameter, const std::string& name, const Tensor& gradient, const RankSet& set);
  void reduced(const char* who, const std::vector<Tensor>& parameters, const RankSet& set, bool is_sum);
  void collective(const Operation& operation, const std::string& ranks);
  /// Throws PlacementError if a gradient that `reader` reads is a partial sum.
  void expect_complete(const char* reader, const std::vector<Tensor>& parameters, bool is_norm = false);

 private:
  struct Memory {
    Places places;
    const void* data = nullptr;
    Layout layout;             ///< of the tensor whose `dim` is known
    std::vector<Layout> last;  ///< of tensors whose last dimension ranks share
  };
  struct LeafRecord {
    std::optional<WeakLeaf> leaf;
    Places places;
    std::vector<bool> is_invariant;
    std::vector<std::uint8_t> bits;  ///< of the gradient in this pass
    std::vector<int> cause;          ///< why it is partial
    std::uint64_t pass = 0;          ///< to which `bits` belong
    bool is_dirty = false;           ///< `bits` are newer than what is known of the gradient's memory
  };
  struct Recorded {
    const char* name = nullptr;  ///< null for a view
    int where = -1;
    std::vector<Places> inputs;
    Places output;
    std::vector<std::size_t> axes{};  ///< of a collective
  };
  struct Pending {
    std::vector<std::uint8_t> bits;
    std::vector<int> complete_from, partial_from;
  };

  // checker.cpp: Observer
  void begin(const char* op, Cost cost) override;
  void call(const minima::detail::OperatorCall& call) override;
  void end() noexcept override;
  void view(const Tensor& x, const Tensor& y) override;
  void read(const Tensor& x) override;
  void change(const Storage& storage, std::int64_t bytes) noexcept override;
  bool is_listening() const;
  int intern(std::string text);
  const std::string& text(int index) const;
  /// `mul in module layers.0.norm (LayerNorm)`.
  std::string place_in_program(const std::string& op);
  void name_modules(const nn::ModuleBase& root);

  // values.cpp
  void divide_axis(std::size_t axis, const std::vector<RankSet>& sets);
  OnAxis default_place(std::size_t axis) const;
  Places places_of(const Tensor& x);
  void set_places(const Tensor& x, Places places);
  void join_places(const Tensor& x, const Places& places);
  LeafRecord* find_leaf(const Tensor& x);
  LeafRecord& record_of(Leaf& leaf);
  std::string name_of(const LeafRecord& record) const;
  void fit(Places& places) const;

  // forward.cpp
  /// The axes of a collective operator; no value if the group is unknown.
  std::optional<std::vector<std::size_t>> axes_of(const minima::detail::OperatorCall& call) const;
  Places propagate(const minima::detail::OperatorCall& call, const PlacementRule* rule,
                   const std::vector<Places>& inputs, const std::string& where);
  OnAxis of_partial(const minima::detail::OperatorCall& call, const PlacementRule& rule, std::size_t axis,
                    const std::vector<Places>& inputs, const std::string& where);
  OnAxis of_product(const minima::detail::OperatorCall& call, std::size_t axis, const std::vector<Places>& inputs,
                    const std::string& where);
  OnAxis on_axis(const minima::detail::OperatorCall& call, const PlacementRule& rule, std::size_t axis,
                 const std::vector<Places>& inputs, const std::string& where);
  /// Throws PlacementError: `where`: `what`; `fix`.
  [[noreturn]] void refuse(const std::string& where, const std::string& what, const std::string& fix) const;
  /// `axis "tensor"`.
  std::string along(std::size_t axis) const;
  /// ` (from linear in module fc)`.
  std::string from(const OnAxis& place) const;

  // over_ranks.cpp
  OnAxis over_ranks(const std::string& op, std::size_t axis, const OnAxis& x, const std::string& where);
  std::uint8_t over_ranks_gradient(const Recorded& call, std::size_t axis, std::uint8_t bits);

  // backward.cpp
  class Formulas final : public FormulaObserver {
   public:
    explicit Formulas(PlacementChecker& checker) : checker_(checker) {}
    void begin(const Node& node) override;
    void end() noexcept override;
    FormulaObserver* previous = nullptr;

   private:
    PlacementChecker& checker_;
    bool is_forwarding_ = false;
  };
  void follow(const Node& node);
  void start_pass();
  void end_pass(bool completed);
  void flush();
  std::vector<std::uint8_t> bits_in_memory(Leaf& leaf);
  void contribute(const Edge& edge, std::size_t axis, std::uint8_t bits, int from);

  std::vector<PlacementAxis> axes_;
  std::unordered_map<std::string, std::vector<std::size_t>> grids_;  ///< axes of sets that are none, by their ranks
  std::unordered_map<const Storage*, Memory> memory_;
  std::unordered_map<const Leaf*, LeafRecord> leaves_;
  std::unordered_map<const Leaf*, std::string> names_;
  std::unordered_set<const Leaf*> combined_;              ///< parameters of DistributedDataParallel and shard()
  std::unordered_map<std::uint64_t, Recorded> recorded_;  ///< by the node's number
  std::unordered_map<const Node*, Pending> pending_;

  std::vector<std::string> texts_;
  std::unordered_map<std::string, int> numbers_;
  std::unordered_map<const nn::detail::ModuleState*, std::string> modules_;
  const void* root_ = nullptr;

  int users_ = 0, depth_ = 0;
  int formula_depth_ = 0;
  bool in_pass_ = false, has_dirty_ = false, is_forwarding_ = false;
  std::uint64_t pass_ = 0;
  std::uint64_t last_pass_ = 0;  ///< the newest node when the last pass ended
  Formulas formulas_{*this};
  Observer* previous_ = nullptr;
  MemoryObserver* previous_memory_ = nullptr;
};

}  // namespace minima::distributed::detail
