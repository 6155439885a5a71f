#pragma once

#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/autograd/checkpoint/offload.h>
#include <minima/autograd/checkpoint/operator_tape.h>

#include <vector>

namespace minima {

namespace detail {

/// The outputs that a region's policy keeps, in the order of the calls.
class MINIMA_API KeptOutputs final : public OperatorTape {
 public:
  KeptOutputs(Function<Keep(const char* op)> policy, SecondMemory* memory)
      : policy_(std::move(policy)), memory_(memory) {}
  KeptOutputs(const KeptOutputs&) = delete;
  ~KeptOutputs() { clear(); }

  bool take(const char* op, Tensor* outputs, int count) override;
  void put(const char* op, const Tensor* outputs, int count) override;

  bool has_policy() const { return static_cast<bool>(policy_); }
  /// The region is about to be run again: calls are counted from the start.
  void rewind() {
    next_ = 0;
    is_replaying_ = true;
  }
  /// That run is over.
  void end_replay() { is_replaying_ = false; }
  /// Lets go of everything; it will be computed.
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
    std::vector<Output> outputs;  ///< empty once they were handed out
  };

  Function<Keep(const char* op)> policy_;
  SecondMemory* memory_;
  std::vector<Entry> entries_;
  std::size_t next_ = 0;
  bool is_replaying_ = false;
};

}  // namespace detail
}  // namespace minima
