#pragma once

#include <minima/distributed/process_group.h>

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <exception>
#include <functional>
#include <vector>

namespace c10d {

inline constexpr std::chrono::milliseconds kNoTimeout{0};

/// Running operations. Results are in their tensors after `wait`, which throws if an operation has failed. Its timeout
/// is ignored: the operation has one (its options', or the group's).
class Work {
 public:
  /// `finish` copies results to where the caller wants them.
  explicit Work(std::vector<minima::distributed::Work> parts = {}, std::function<void()> finish = {},
                std::vector<at::Tensor> tensors = {});

  bool wait(std::chrono::milliseconds timeout = kNoTimeout);
  void synchronize() { wait(); }
  bool isCompleted() const;
  /// Whether `wait` has succeeded, or would without waiting.
  bool isSuccess();
  std::exception_ptr exception() const { return exception_; }
  std::vector<at::Tensor> result() { return wait(), tensors_; }

 private:
  std::vector<minima::distributed::Work> parts_;
  std::function<void()> finish_;
  std::vector<at::Tensor> tensors_;
  std::exception_ptr exception_;
  bool is_finished_ = false;
};

}  // namespace c10d
