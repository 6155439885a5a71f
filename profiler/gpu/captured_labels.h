#pragma once

#include <minima/profiler/gpu/gpu_work.h>
#include <minima/profiler/spans/span.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace minima::profiler {

/// Nodes of graphs and the operators that captured them, for as long as the process lives: graphs are replayed long
/// after the profile that saw their capture has begun another recording. Any thread may use it.
class CapturedLabels {
 public:
  static CapturedLabels& all();

  /// Numbers an operator.
  std::int32_t add(CapturedOp op);
  void label(std::uint64_t node, std::int32_t op);
  /// `copy` is the same as `node`, in an executable graph.
  void copy(std::uint64_t node, std::uint64_t copy);
  /// The number of a node's operator, or -1.
  std::int32_t find(std::uint64_t node) const;
  CapturedOp op(std::int32_t number) const;

 private:
  mutable std::mutex mutex_;
  std::vector<CapturedOp> ops_;
  std::map<std::uint64_t, std::int32_t> of_node_;
};

/// The nodes that a thread's capture creates, each with the innermost open span.
struct CapturedNodes {
  const std::vector<std::int32_t>* open = nullptr;  ///< spans under way
  struct Node {
    std::uint64_t id;
    std::int32_t span;
  };
  std::vector<Node> nodes{};
};
/// Points to this thread's nodes; null while it captures nothing.
extern constinit thread_local CapturedNodes* captured_nodes;

/// Labels the nodes of a capture that has been recorded.
void label_nodes(const NamedSpans& recording, const CapturedNodes& captured);

/// From now on captures fill `captured_nodes`, and the labels hear of copies, where CUPTI allows it.
void listen_to_captures();

}  // namespace minima::profiler
