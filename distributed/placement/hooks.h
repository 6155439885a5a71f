#pragma once

#include <minima/distributed/backends/backend.h>

#include <string>
#include <vector>

// Collectives, data parallelism and sharding tell the checker of placements, if there is one. Internal.

namespace minima::distributed::detail {

class PlacementChecker;
extern MINIMA_API constinit thread_local PlacementChecker* placement_checker;

/// Whether this thread's tensors are checked.
inline bool checks_placement() { return placement_checker != nullptr; }
/// Whether MINIMA_DISTRIBUTED_CHECK asks for it everywhere.
bool wants_placement_check();

/// A group as the checker knows it: `ranks` is the same text for groups of the same ranks (rank_set_text).
struct RankSet {
  std::string ranks;
  std::string name;
  int size = 1;
  std::vector<int> members = {};  ///< world ranks
};
/// World ranks as `first+step*count`, or a list.
std::string rank_set_text(const std::vector<int>& members);

/// Turns the checker on for the calling thread, as long as it and others live.
class PlacementUser {
 public:
  PlacementUser();
  ~PlacementUser();
  PlacementUser(const PlacementUser&) = delete;

 private:
  struct Shared;
  Ref<Counted> shared_;
};

/// While it exists, what the calling thread computes is part of something that the checker knows.
class PlacementPause {
 public:
  PlacementPause();
  ~PlacementPause();
  PlacementPause(const PlacementPause&) = delete;

 private:
  PlacementChecker* checker_;
};

// The functions below need checks_placement().

/// A collective outside of operators. Throws PlacementError.
void check_collective(const Operation& operation, const std::string& ranks);
/// Ranks of these sets compute with different data, and gradients are combined over all of them later. An axis is made
/// of a set that neither is one nor a grid of several; one that is a grid of the sets is divided into them. Throws
/// PlacementError if an axis shares parameters.
void use_data_axes(const char* who, std::vector<RankSet> sets, bool is_mean);
void name_parameter(const Tensor& parameter, const std::string& name);
/// `gradient`, a parameter's, stands for one that is reduced over the ranks later.
void expect_reduction(const Tensor& parameter, const std::string& name, const Tensor& gradient, const RankSet& set);
/// `who` combines the gradients of these parameters over the ranks. Throws PlacementError if they must not be.
void check_reduced(const char* who, const std::vector<Tensor>& parameters, const RankSet& set, bool is_sum);

}  // namespace minima::distributed::detail
