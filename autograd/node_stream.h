#pragma once

#include <minima/autograd/node.h>
#include <minima/tensor/device/stream.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace minima {

/// The streams of a backward pass. Each node runs on the stream that its forward ran on, as in PyTorch: after all work
/// of the stream that called backward, which then waits for the node. Caller and nodes therefore use gradients, saved
/// tensors and their memory in order.
class PassStreams {
 public:
  PassStreams() = default;
  PassStreams(const PassStreams&) = delete;
  PassStreams& operator=(const PassStreams&) = delete;
  /// The nodes' streams wait for the caller's, which may have read memory that belongs to them and that they reuse.
  ~PassStreams() {
    for (const Stream& stream : used_) detail::follow(stream, current_stream(stream.device()));
  }

  /// Makes the node's device and stream current.
  class Scope {
   public:
    Scope(PassStreams& streams, const Node& node) {
      const Device device = node.outputs()[0].device;
      if (!node.stream) {
        device_.emplace(device);
        return;
      }
      const Stream caller = current_stream(device), own(node.stream);
      if (!(own == caller)) {
        streams.note(own);
        own.wait(caller);
        caller_.emplace(caller);
      }
      stream_.emplace(own);
    }
    ~Scope() {
      if (caller_) detail::follow(*caller_, current_stream(caller_->device()));
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    std::optional<DeviceGuard> device_;
    std::optional<StreamGuard> stream_;
    std::optional<Stream> caller_;
  };

 private:
  void note(Stream stream) {
    if (std::find(used_.begin(), used_.end(), stream) == used_.end()) used_.push_back(stream);
  }

  std::vector<Stream> used_;
};

}  // namespace minima
