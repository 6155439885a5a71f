#pragma once

#include <minima/distributed/watchdog.h>

#include <cstdint>
#include <string>
#include <vector>

// The ranks of a captured step exchange messages here to come to the same decisions. Internal.

namespace minima::distributed::detail {

/// "Whether an operation launch is graph-captured is considered a collective property of that operation and therefore
/// must be uniform over all ranks" (NCCL User Guide, "Using NCCL with CUDA Graphs"). So ranks agree before each call of
/// a step on what they do, through the store, while their GPUs work. Every rank makes the same calls; one that does not
/// come is named in the DistributedError of the others after the timeout.
class CaptureAgreement {
 public:
  /// `members` are world ranks, of which this is one. Agreements of one name are told apart by their order of creation.
  CaptureAgreement(Ref<Watchdog> watchdog, const std::string& name, std::vector<int> members, double timeout);
  ~CaptureAgreement();
  CaptureAgreement(const CaptureAgreement&) = delete;

  /// Whether all ranks say yes: two messages of each rank, if no rank is late.
  bool all(bool yes);
  /// Returns what each rank says, by rank of the group. Takes a message for each of the other ranks.
  std::vector<std::string> exchange(const std::string& text);

 private:
  void begin(const char* what);
  template <class F>
  void wait_until(const F& is_there);
  [[noreturn]] void fail(const std::string& reason);
  std::string key() const;

  Ref<Watchdog> watchdog_;
  std::string name_;
  std::vector<int> members_;
  double timeout_;
  std::string what_;
  std::int64_t turn_ = 0;
  /// The counters of even and odd turns as all ranks have seen them last. Two suffice, as with keys, since no rank is
  /// two turns ahead of another.
  std::int64_t counted_[2] = {};
};

}  // namespace minima::distributed::detail
