#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace c10d {

/// Communication of tensors on the current GPU over NCCL.
class ProcessGroupNCCL : public ProcessGroup {
 public:
  struct Options {
    static c10::intrusive_ptr<Options> create(bool is_high_priority = false) {
      auto options = c10::make_intrusive<Options>();
      options->is_high_priority_stream = is_high_priority;
      return options;
    }
    std::chrono::milliseconds timeout = std::chrono::seconds(600);
    bool is_high_priority_stream = false;
  };

  ProcessGroupNCCL(const c10::intrusive_ptr<Store>& store, int rank, int size,
                   const c10::intrusive_ptr<Options>& options = Options::create())
      : ProcessGroup(detail::join(*store, rank, size, "nccl", options->timeout)) {}
};

}  // namespace c10d
