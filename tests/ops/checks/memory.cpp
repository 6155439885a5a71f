#include "tests/ops/checks/sample.h"
#include "tests/support/device.h"

#include <minima/autograd/backward.h>
#include <minima/autograd/mode.h>
#include <minima/autograd/saved_tensor.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/tensor/zero_memory.h>

#include <algorithm>
#include <set>

namespace minima::test {

namespace {

/// Lists the tensors that nodes save.
struct Witness final : SavedTensorHooks {
  PackedTensor* pack(const Tensor& tensor, const char*, bool) override {
    if (tensor.defined()) saved.push_back(tensor);
    return nullptr;
  }
  bool sees(const Tensor& x) const {
    return std::any_of(saved.begin(), saved.end(), [&](const Tensor& s) { return share(s, x); });
  }
  static bool share(const Tensor& a, const Tensor& b) { return a.impl()->storage.get() == b.impl()->storage.get(); }
  std::vector<Tensor> saved;
};

std::int64_t bytes_of(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs) {
  std::set<const Storage*> counted;
  for (const Tensor& input : inputs) counted.insert(input.impl()->storage.get());
  std::int64_t bytes = 0;
  for (const Tensor& output : outputs)
    if (counted.insert(output.impl()->storage.get()).second)
      bytes += static_cast<std::int64_t>(output.impl()->storage->bytes());
  return bytes;
}

/// Saved storages that are neither inputs nor outputs.
std::int64_t hidden_storages(const Witness& witness, const Sample& sample, const std::vector<Tensor>& outputs) {
  std::set<const Storage*> hidden;
  for (const Tensor& saved : witness.saved) {
    const auto is_known = [&](const Tensor& known) { return Witness::share(saved, known); };
    const bool known = std::any_of(sample.inputs.begin(), sample.inputs.end(), is_known) ||
                       std::any_of(outputs.begin(), outputs.end(), is_known);
    if (!known && saved.numel() > 0) hidden.insert(saved.impl()->storage.get());
  }
  return static_cast<std::int64_t>(hidden.size());
}

/// Changes every element in place, in any layout.
void overwrite(const Tensor& x) {
  const Storage& storage = *x.impl()->storage;
  const auto elements = static_cast<std::int64_t>(storage.bytes() / x.itemsize());
  detail::zero_memory(Tensor(new TensorImpl(x.impl()->storage, Layout::contiguous({elements}), x.dtype())));
}

}  // namespace

Complaints check_hidden(const OpCases& cases) {
  Complaints complaints;
  for_each_sample(cases, {.dtypes = {cases.dtypes().back()}, .requires_grad = true}, [&](const Sample& sample) {
    guarded(complaints, sample.text(), [&] {
      {
        NoGrad warm;
        sample.call->call(sample.inputs);
      }
      if (test_device().is_cuda()) empty_cache(test_device());  // releases what copies have kept alive
      const MemoryStats before = memory_stats(test_device());
      MemoryStats plain;
      {
        NoGrad guard;
        const auto outputs = sample.call->call(sample.inputs);
        plain = memory_stats(test_device());
        const std::int64_t kept = plain.requested - before.requested, own = bytes_of(outputs, sample.inputs);
        if (kept != own)
          complaints.push_back(
              str(sample.text(), "\n  not recording: ", kept, " bytes are kept, the outputs have ", own));
      }
      const std::int64_t allocations = plain.allocations - before.allocations;
      Witness witness;
      const std::int64_t start = memory_stats(test_device()).allocations;
      const auto outputs = sample.call->call(sample.inputs);
      const std::int64_t recorded = memory_stats(test_device()).allocations - start,
                         hidden = hidden_storages(witness, sample, outputs);
      // A composite operator keeps intermediate results, which it computes in any case.
      if (allocations + hidden > recorded && !cases.does_without("hidden"))
        complaints.push_back(str(sample.text(), "\n  ", hidden, " tensors are kept for the gradient alone, but not ",
                                 "recording takes ", allocations, " allocations and recording ", recorded));
    });
  });
  return complaints;
}

Complaints check_saved(const OpCases& cases) {
  Complaints complaints;
  const Wish wish{.dtypes = {float64}, .max_numel = 2000, .requires_grad = true, .overlaps = false};
  for_each_sample(cases, wish, [&](const Sample& sample) {
    if (sample.wanted().empty() || sample.numel() == 0) return;
    guarded(complaints, sample.text(), [&] {
      // The gradient without a change in between.
      const Sample undisturbed = again(sample, true);
      const auto reference_outputs = Sample::differentiable(sample.call->call(undisturbed.inputs));
      if (reference_outputs.empty()) return;
      const auto gradients = output_gradients(reference_outputs, false, float64);
      const auto expected = grad(reference_outputs, undisturbed.wanted(), gradients, {.allow_unused = true});

      for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
        const Sample fresh = again(sample, true);
        std::vector<Tensor> outputs;
        bool is_saved = false;
        {
          Witness witness;
          outputs = Sample::differentiable(fresh.call->call(fresh.inputs));
          is_saved = witness.sees(fresh.inputs[i]);
        }
        if (fresh.inputs[i].numel() == 0) continue;
        overwrite(fresh.inputs[i]);
        const std::string where = str(sample.text(), ", input ", i);
        try {
          const auto got = grad(outputs, fresh.wanted(), gradients, {.allow_unused = true});
          if (is_saved && !cases.is_gradient_in_forward())
            complaints.push_back(where + ": was saved, changed, and backward did not notice");
          for (std::size_t w = 0; !is_saved && w < got.size(); ++w)
            complain(complaints, where + ": is not saved, but its change changed a gradient",
                     compare_bitwise(got[w], expected[w]));
        } catch (const AutogradError& error) {
          if (!is_saved) complaints.push_back(where + ": is not saved, but backward threw: " + error.what());
        }
      }
    });
  });
  return complaints;
}

}  // namespace minima::test
