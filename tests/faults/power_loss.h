#pragma once

#include "tests/faults/faults.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace faults {

/// Follows what a program does to a folder, and makes what a power loss would leave of it: contents that were flushed,
/// and names whose folder was flushed. Any of the later names may be there or not.
class Disk {
 public:
  /// The folder as it is, all of it flushed. Records calls until `stop`.
  explicit Disk(std::string root);
  ~Disk();
  void stop();
  /// The number of calls that change something.
  std::size_t size() const { return events_.size(); }
  /// Writes to a new folder what a loss after the first `count` calls leaves. `survives` is asked for every name that
  /// was not flushed.
  void restore(std::size_t count, const std::function<bool()>& survives, const std::string& to) const;

 private:
  struct Node;
  using NodePointer = std::shared_ptr<Node>;
  struct Change {
    std::string removed, added;  ///< names; may be empty
    NodePointer node;            ///< of the added one
  };
  struct Node {
    bool is_folder = false;
    std::string content, target;               ///< flushed content; of a link
    std::map<std::string, NodePointer> names;  ///< as the program sees them
    std::map<std::string, NodePointer> flushed;
    std::vector<Change> changes;  ///< since then
  };
  struct Event {
    std::string call, path, other, content;
  };

  void record(const Call& call);
  static NodePointer read(const std::string& path);
  static NodePointer copy(const NodePointer& node, std::map<const Node*, NodePointer>& copies);
  static void write(const Node& node, const std::function<bool()>& survives, const std::string& to);

  std::string root_;
  NodePointer start_;
  std::map<int, std::string> files_;  ///< open descriptors
  std::vector<Event> events_;
};

}  // namespace faults
