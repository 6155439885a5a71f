#include <minima/distributed/split_parameters.h>

#include <minima/distributed/agreement.h>
#include <minima/distributed/backends/backend.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/distributed/process_group.h>
#include <minima/ops/copy/copy.h>
#include <minima/optim/update/parts.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace minima::distributed {

class SplitParameters::Ranks final : public optim::detail::Peers {
 public:
  explicit Ranks(ProcessGroup group) : group_(std::move(group)), ranks_(detail::rank_set(group_).ranks) {}
  void reduce(const Tensor& x, bool is_max) override {
    const detail::PlacementPause pause;
    const Tensor there = x.to(group_.device());
    group_.all_reduce(there, is_max ? Reduce::max : Reduce::sum, {.label = "sums or extremes over split parameters"})
        .wait();
    if (!there.is_same(x)) copy_(x, there);
  }
  const std::string& ranks() const override { return ranks_; }

 private:
  ProcessGroup group_;
  std::string ranks_;
};

SplitParameters::SplitParameters(const std::vector<Tensor>& parameters, const ProcessGroup& group)
    : parameters_(parameters) {
  if (!group.defined())
    throw ValueError("SplitParameters: the process group is undefined; distributed::init() makes one");
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!parameters[i].defined()) throw ValueError(str("SplitParameters: parameter ", i, " is undefined"));
  detail::expect_agreement("SplitParameters", "number of parameters", str(parameters.size()), group);
  ranks_ = std::make_unique<Ranks>(group);
  for (const Tensor& parameter : parameters_) optim::detail::add_peers(parameter, ranks_.get());
}

SplitParameters::~SplitParameters() { optim::detail::remove_peers(ranks_.get()); }

}  // namespace minima::distributed
