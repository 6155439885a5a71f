#pragma once

#include <minima/io/states/board.h>
#include <minima/tensor/base/counted.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace minima::detail {

/// Ranks that agree over a board. All call the same functions in the same order, each from one thread at a time. Keys
/// are used again and again: a rank sets its text only when all have read the one that it replaces.
class Channel {
 public:
  /// Channels of one name must be made in the same order on all ranks.
  Channel(Ref<Board> board, const std::string& name, double timeout);

  int rank() const { return board_->rank(); }
  int size() const { return board_->size(); }
  /// Rank 0's text, on all ranks.
  std::string announce(const std::string& text);
  /// The texts of all ranks, on rank 0; empty elsewhere.
  std::vector<std::string> collect(const std::string& text);
  /// Ends waiting soon, from any thread.
  void abandon() { is_abandoned_.store(true); }

 private:
  std::string wait(const std::string& key, std::int64_t number, int rank);

  Ref<Board> board_;
  std::string prefix_;
  double timeout_;
  std::int64_t announced_ = 0, collected_ = 0;
  std::atomic<bool> is_abandoned_ = false;
};

}  // namespace minima::detail
