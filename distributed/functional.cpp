#include <minima/distributed/functional.h>

#include <minima/autograd/mode.h>
#include <minima/distributed/backends/backend.h>
#include <minima/distributed/process_group.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/op.h>

#include <cstdint>
#include <vector>

namespace minima::distributed {

namespace {

struct AllReduceSum {
  static constexpr Traits traits{.name = "all_reduce_sum"};
  ProcessGroup group;

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

void synchronize_batch_norm(nn::ModuleBase& module, const ProcessGroup& group) {
  module.for_each([&](nn::ModuleBase& inner) {
    if (auto* norm = inner.as<nn::BatchNorm>())
      norm->sum_over_ranks = [group](const Tensor& x) { return all_reduce_sum(x, group); };
  });
}

}  // namespace minima::distributed
