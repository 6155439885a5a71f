#pragma once

#include "simulated/machine/schedule.h"

#include <driver_types.h>

#include <memory>
#include <set>
#include <thread>
#include <vector>

// CUDA's opaque handles point at these.

namespace simulated {

/// Work that a capture recorded, with the nodes that it follows.
struct Node {
  Work work;
  std::set<std::size_t> after;
};

/// A capture sequence, from cudaStreamBeginCapture to cudaStreamEndCapture.
struct Capture {
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  CUstream_st* origin;
  bool valid = true;
  bool ended = false;
  std::set<CUstream_st*> streams;  ///< the origin and those that joined by waiting for an event
  std::vector<Node> nodes;
};

}  // namespace simulated

struct CUstream_st {
  int device = 0;
  bool is_legacy = false;     ///< a device's default stream
  bool is_blocking = true;    ///< takes turns with the legacy stream
  simulated::TaskRef last{};  ///< the newest work
  std::shared_ptr<simulated::Capture> capture{};
  std::set<std::size_t> capture_after{};  ///< the nodes that the next one follows
};

struct CUevent_st {
  int device = 0;
  bool has_timing = true;
  bool sleeps = false;  ///< whoever waits for it
  simulated::TaskRef recorded{};
  std::shared_ptr<simulated::Capture> capture{};  ///< that it was last recorded in, kept when that has ended
  std::set<std::size_t> capture_after{};
};

struct CUgraph_st {
  std::vector<simulated::Node> nodes;
};

struct CUgraphExec_st {
  std::vector<simulated::Node> nodes;
  simulated::TaskRef last{};  ///< the end of the newest launch
};
