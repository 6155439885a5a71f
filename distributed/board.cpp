#include <minima/distributed/board.h>

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/group.h>
#include <minima/distributed/process_group.h>
#include <minima/distributed/watchdog.h>
#include <minima/io/states/board.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace minima::distributed::detail {

namespace {

/// Keeps the connection to the store, and in rank 0's process the store itself.
class StoreBoard final : public minima::detail::Board {
 public:
  StoreBoard(Ref<Watchdog> watchdog, const Group& group)
      : watchdog_(std::move(watchdog)),
        prefix_(str("board/", group.name(), "/")),
        rank_(group.rank()),
        members_(group.members()) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(members_.size()); }
  void set(const std::string& key, const std::string& text) override { watchdog_->store().set(prefix_ + key, text); }
  std::optional<std::string> get(const std::string& key) override { return watchdog_->store().get(prefix_ + key); }
  std::string failure() override {
    const std::optional<Diagnosis> known = watchdog_->known_failure(members_);
    return known ? known->text : "";
  }

 private:
  Ref<Watchdog> watchdog_;
  std::string prefix_;
  int rank_;
  std::vector<int> members_;
};

}  // namespace

Ref<minima::detail::Board> board(const ProcessGroup& process_group) {
  const Ref<Group>& group = GroupAccess::of(process_group);
  if (!group) return minima::detail::in_memory_boards(1)[0];
  if (group->watchdog()) return Ref<minima::detail::Board>(new StoreBoard(group->watchdog(), *group));
  if (auto* const source = dynamic_cast<BoardSource*>(&group->backend())) return source->board();
  if (group->size() == 1) return minima::detail::in_memory_boards(1)[0];
  throw ValueError(str("distributed: a group of ", group->size(), " ranks over the backend ", group->backend().name(),
                       " has no store; groups of distributed::init and in_process_groups have one"));
}

}  // namespace minima::distributed::detail
