#pragma once

#include "simulated/machine/schedule.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simulated {

/// Hears, under the machine's lock, what a program asks of the GPUs. The census is one, CUPTI another.
class Recorder {
 public:
  virtual ~Recorder() = default;
  /// Work of a stream, once per replay if a graph holds it.
  virtual void submitted(const CUstream_st& stream, const TaskRef& task) = 0;
  /// A call of the runtime, the driver or a library.
  virtual void called(const std::string& function) = 0;
  /// A capture has recorded work as this node.
  virtual void captured(std::uint64_t) {}
  /// An executable graph has a copy of this node, by another number.
  virtual void copied(std::uint64_t /*node*/, std::uint64_t /*copy*/) {}
};

/// The label of what this thread submits.
Label& label();

/// The values that copies to the host read while nothing is computed.
struct DryValues {
  std::map<const void*, std::vector<char>> known;
  Access refused{};  ///< the last read of anything else
};

}  // namespace simulated
