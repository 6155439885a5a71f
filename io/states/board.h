#pragma once

#include <minima/tensor/base/counted.h>

#include <optional>
#include <string>
#include <vector>

namespace minima::detail {

/// Short texts that the ranks of a job share. Thread-safe. Keys are never removed, so callers reuse them. Either call
/// throws if the connection to the other ranks is lost.
class MINIMA_API Board : public Counted {
 public:
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Sets or replaces the text of a key.
  virtual void set(const std::string& key, const std::string& text) = 0;
  /// Nothing if no rank has set the key yet.
  virtual std::optional<std::string> get(const std::string& key) = 0;
  /// Why some ranks will not answer any more; empty if nothing is known.
  virtual std::string failure() { return {}; }
};

/// Boards of ranks that are threads of this process, in the order of ranks.
MINIMA_API std::vector<Ref<Board>> in_memory_boards(int size);

}  // namespace minima::detail
