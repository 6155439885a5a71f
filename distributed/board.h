#pragma once

#include <minima/distributed/process_group.h>
#include <minima/io/states/board.h>

namespace minima::distributed::detail {

/// The board of a group: over the job's store, or in memory for ranks that are threads and for a group of one. Its
/// calls are no operations of the group: any thread may make them, at any time. An undefined group is a group of one.
/// Throws ValueError for a group over a custom backend with several ranks.
MINIMA_API Ref<minima::detail::Board> board(const ProcessGroup& group);

/// Implemented by backends that have a board of their own.
class BoardSource {
 public:
  virtual Ref<minima::detail::Board> board() = 0;

 protected:
  ~BoardSource() = default;
};

}  // namespace minima::distributed::detail
