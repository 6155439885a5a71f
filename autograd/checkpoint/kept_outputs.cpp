#include <minima/autograd/checkpoint/kept_outputs.h>

#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/autograd/checkpoint/offload.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <string_view>
#include <utility>

namespace minima::detail {

void KeptOutputs::put(const char* op, const Tensor* outputs, int count) {
  if (is_replaying_ || !policy_) return;
  const Keep keep = policy_(op);
  if (keep == Keep::recompute) return;
  Entry& entry = entries_.emplace_back(Entry{op, {}});
  for (int i = 0; i < count; ++i) {
    Output& output = entry.outputs.emplace_back();
    if (!outputs[i].defined()) continue;
    if (keep == Keep::offload) output.away = offload(outputs[i], *memory_);
    if (output.away) continue;
    output.value = outputs[i].detach();
    output.version = outputs[i].version();
  }
}

bool KeptOutputs::take(const char* op, Tensor* outputs, int count) {
  if (!is_replaying_ || !policy_ || policy_(op) == Keep::recompute) return false;
  if (next_ == entries_.size())
    throw AutogradError(str("checkpoint: the recomputation calls ", op,
                            " more often than the forward did; the function ",
                            "must do the same each time it is called"));
  Entry& entry = entries_[next_++];
  if (std::string_view(entry.op) != op)
    throw AutogradError(str("checkpoint: the recomputation calls ", op, " where the forward called ", entry.op,
                            "; the function must do the same each time it is called"));
  if (entry.outputs.empty()) return false;
  for (int i = 0; i < count; ++i) {
    Output& output = entry.outputs[static_cast<std::size_t>(i)];
    if (output.away) {
      outputs[i] = output.away->unpack();
      std::exchange(output.away, nullptr)->release();
      continue;
    }
    if (output.value.defined() && output.value.version() != output.version)
      throw AutogradError(str("checkpoint: the policy keeps what ", op,
                              " computed, but that was changed in place: it is at ", "version ", output.value.version(),
                              ", expected version ", output.version,
                              "; let the policy recompute it, or use the out-of-place operator"));
    outputs[i] = std::move(output.value);
  }
  entry.outputs.clear();
  return true;
}

void KeptOutputs::clear() noexcept {
  for (Entry& entry : entries_) {
    for (Output& output : entry.outputs)
      if (output.away) output.away->release();
    entry.outputs.clear();
  }
}

}  // namespace minima::detail
