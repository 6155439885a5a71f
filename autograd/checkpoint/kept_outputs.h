#pragma once

#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/autograd/checkpoint/offload.h>
#include <minima/autograd/checkpoint/operator_tape.h>

#include <vector>

namespace minima {

namespace detail {

/// The outputs kept by a region's policy, in call order.
class MINIMA_API KeptOutputs final : public OperatorTape {
 public:
  KeptOutputs(Function<Keep(const char* op)> policy, SecondMemory* memory)
      : policy_(std::move(policy)), memory_(memory) {}
  KeptOutputs(const KeptOutputs&) = delete;
  ~KeptOutputs() { clear(); }

  bool take(const char* op, Tensor* outputs, int count) override;
  void put(const char* op, const Tensor* outputs, int count) override;

  bool has_policy() const { return static_cast<bool>(policy_); }
  /// Recomputation is about to start: resets the call counter.
  void rewind() {
    next_ = 0;
    is_replaying_ = true;
  }
  /// Recomputation has ended.
  void end_replay() { is_replaying_ = false; }
  /// Frees everything; it will be recomputed.
  void clear() noexcept;

  template <class F>
  void for_each(F&& f) const {
    for (const Entry& entry : entries_)
      for (const Output& output : entry.outputs)
        if (output.value.defined()) f(output.value);
  }

 private:
  struct Output {
    Tensor value;
    std::uint32_t version = 0;
    PackedTensor* away = nullptr;
  };
  struct Entry {
    const char* op;
    std::vector<Output> outputs;  ///< empty once returned
  };

  Function<Keep(const char* op)> policy_;
  SecondMemory* memory_;
  std::vector<Entry> entries_;
  std::size_t next_ = 0;
  bool is_replaying_ = false;
};

}  // namespace detail
}  // namespace minima
