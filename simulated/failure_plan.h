#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace simulated {

/// A plan of the calls that fail. A failed call has no effect; an error after which CUDA rejects all work ends
/// everything.
class FailurePlan {
 public:
  FailurePlan() = default;
  /// Reads a text as in MINIMA_SIMULATED_FAILURES: "cudaMalloc:3=2,cuMemMap:1=2" returns 2 from the third cudaMalloc
  /// and the first cuMemMap. Throws std::invalid_argument.
  explicit FailurePlan(const std::string& text);

  /// The `n`-th call of the function from now on, counted from 1, returns `status`, a cudaError_t or CUresult.
  void fail(const std::string& function, std::int64_t n, int status);
  /// From now on no call fails.
  void clear() { failures_.clear(); }
  /// Counts a call and says what it is to return, or 0.
  int count(const std::string& function);
  /// The number of calls so far.
  std::int64_t calls(const std::string& function) const;
  const std::map<std::string, std::int64_t>& calls() const { return calls_; }
  /// Calls listener(function) at each call, until the next one is set.
  void listen(std::function<void(const std::string& function)> listener) { listener_ = std::move(listener); }

 private:
  std::function<void(const std::string&)> listener_;
  std::map<std::string, std::int64_t> calls_;
  std::map<std::string, std::map<std::int64_t, int>> failures_;  ///< by function and number of the call
};

}  // namespace simulated
