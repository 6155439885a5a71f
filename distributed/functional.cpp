#include <minima/distributed/functional.h>

#include <minima/autograd/mode.h>
#include <minima/distributed/backends/backend.h>
#include <minima/distributed/group.h>
#include <minima/distributed/process_group.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/op.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::distributed {

namespace {

struct AllReduceSum {
  static constexpr Traits traits{.name = "all_reduce_sum"};
  ProcessGroup group;

  void list_attributes(minima::detail::AttributeVisitor& visitor) const { detail::tell_ranks(group, visitor); }
  TensorSpec result(const Tensor& x) const {
    if (!group.defined())
      throw ValueError("all_reduce_sum: the process group is undefined; distributed::init() makes one");
    return spec_of(x.shape(), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = count * (group.size() - 1), .bytes = 2 * count * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, Tensor& y) const { reduce(x, y); }
  void cuda(const Tensor& x, Tensor& y) const { reduce(x, y); }
  Tensor gradient(Grad g) const { return all_reduce_sum(contiguous(g), group); }

 private:
  void reduce(const Tensor& x, Tensor& y) const {
    copy_(y, x.detach());
    group.all_reduce(y, Reduce::sum, {.label = "all_reduce_sum"}).wait();
  }
};

}  // namespace

Tensor all_reduce_sum(const Tensor& x, const ProcessGroup& group) { return apply(AllReduceSum{group}, x); }

std::vector<double> sum_over_ranks(const std::vector<double>& values, const ProcessGroup& group) {
  NoGrad guard;
  const Tensor x = from_vector(values, {static_cast<std::int64_t>(values.size())}).to(group.device());
  return group.all_reduce(x, Reduce::sum, {.label = "sum_over_ranks"}).result().to_vector<double>();
}

Tensor cat_over_ranks(const Tensor& x, const ProcessGroup& group) {
  const NoGrad guard;
  if (x.rank() == 0) throw ShapeError(str("cat_over_ranks: needs a first dimension to join, got ", x));
  const Tensor length = from_vector<std::int64_t>({x.size(0)}, {1}).to(group.device());
  const std::vector<std::int64_t> lengths =
      group.all_gather(length, {.label = "cat_over_ranks"}).result().to_vector<std::int64_t>();
  Shape longest = x.shape();
  longest[0] = *std::max_element(lengths.begin(), lengths.end());
  const Tensor own = zeros(longest, {.dtype = x.dtype(), .device = group.device()});
  copy_(narrow(own, 0, 0, x.size(0)), x.detach());
  const Tensor all = group.all_gather(own, {.label = "cat_over_ranks"}).result();
  std::vector<Tensor> parts;
  parts.reserve(lengths.size());
  for (std::size_t rank = 0; rank < lengths.size(); ++rank)
    parts.push_back(narrow(select(all, 0, static_cast<std::int64_t>(rank)), 0, 0, lengths[rank]));
  return cat(parts);
}

void synchronize_batch_norm(nn::ModuleBase& module, const ProcessGroup& group) {
  module.for_each([&](nn::ModuleBase& inner) {
    if (auto* norm = inner.as<nn::BatchNorm>())
      norm->sum_over_ranks = [group](const Tensor& x) { return all_reduce_sum(x, group); };
  });
}

}  // namespace minima::distributed
