#include "tests/ops/checks/sample.h"

#include <minima/autograd/backward.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/observer.h>

namespace minima::test {

namespace {

/// Records whether any operator reports FLOPs or bytes.
class Listener final : public Observer {
 public:
  Listener() : previous_(set_observer(this)) {}
  Listener(const Listener&) = delete;
  ~Listener() { set_observer(previous_); }
  void begin(const char*, Cost cost) override { heard = heard || cost.flops > 0 || cost.bytes > 0; }
  void end() noexcept override {}
  bool heard = false;

 private:
  Observer* previous_;
};

bool is_new(const Tensor& y, const std::vector<Tensor>& old) {
  if (!y.defined() || y.numel() == 0) return false;
  for (const Tensor& x : old)
    if (x.defined() && x.impl()->storage.get() == y.impl()->storage.get()) return false;
  return true;
}

}  // namespace

/// A call that returns new memory has written it, so one that reports nothing lacks a cost. The same goes for
/// gradients.
Complaints check_cost(const OpCases& cases) {
  Complaints complaints;
  const auto expect = [&](const Sample& sample, const char* what, bool heard, const std::vector<Tensor>& made,
                          const std::vector<Tensor>& old) {
    if (heard) return;
    for (const Tensor& y : made)
      if (is_new(y, old))
        return complaints.push_back(str(sample.text(), "\n  ", what, " reports neither arithmetic nor bytes"));
  };
  const OpCall* seen = nullptr;
  const Wish wish{
      .dtypes = {cases.dtypes().back()}, .arrangement = {0}, .requires_grad = cases.has_gradient(), .overlaps = false};
  for_each_sample(cases, wish, [&](const Sample& sample) {
    if (sample.call == seen || sample.numel() < 2) return;
    seen = sample.call;
    guarded(complaints, sample.text(), [&] {
      std::vector<Tensor> outputs;
      {
        Listener listener;
        outputs = sample.call->call(sample.inputs);
        expect(sample, "the call", listener.heard, outputs, sample.inputs);
      }
      const std::vector<Tensor> differentiable = Sample::differentiable(outputs), wanted = sample.wanted();
      if (!cases.has_gradient() || differentiable.empty() || wanted.empty()) return;
      const std::vector<Tensor> upstream = output_gradients(differentiable, false, sample.dtype);
      Listener listener;
      const std::vector<Tensor> gradients = grad(differentiable, wanted, upstream, {.allow_unused = true});
      expect(sample, "its gradient", listener.heard, gradients, upstream);
    });
  });
  return complaints;
}

}  // namespace minima::test
