#include <minima/distributed/captured_groups.h>

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/capture_agreement.h>
#include <minima/distributed/group.h>
#include <minima/distributed/store/environment.h>
#include <minima/distributed/store/error.h>
#include <minima/distributed/watchdog.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/device/stream.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace minima::distributed::detail {

namespace {

constinit thread_local CapturedGroups* current_groups = nullptr;

bool is_in(const std::vector<Ref<Group>>& groups, const Group& group) {
  return std::any_of(groups.begin(), groups.end(), [&](const Ref<Group>& each) { return each.get() == &group; });
}

bool contains(const Group& all, const Group& some) {
  return std::all_of(some.members().begin(), some.members().end(), [&](int rank) {
    return std::find(all.members().begin(), all.members().end(), rank) != all.members().end();
  });
}

}  // namespace

// --- CapturedOperations ---

CapturedOperations::CapturedOperations() = default;
CapturedOperations::CapturedOperations(CapturedOperations&&) noexcept = default;
CapturedOperations& CapturedOperations::operator=(CapturedOperations&&) noexcept = default;
CapturedOperations::~CapturedOperations() = default;

std::string CapturedOperations::text() const {
  std::string text;
  for (const Part& part : parts_) text += str(part.group->name(), ": ", part.count, " operations, ", part.hash, "\n");
  return text;
}

void CapturedOperations::before_replay() const {
  for (const Part& part : parts_) Group::before_replay(*part.group);
}

void CapturedOperations::after_replay() const {
  for (const Part& part : parts_) {
    Operation replay;
    replay.replayed = part.count;
    replay.timeout = 0;  // the group's
    Group::start(part.group, std::move(replay));
  }
  out_of_date();
}

void CapturedOperations::out_of_date() const noexcept {
  for (const Ref<CaptureListener>& listener : listeners_) listener->out_of_date();
}

// --- CapturedGroups ---

CapturedGroups::CapturedGroups() = default;
CapturedGroups::~CapturedGroups() = default;

CapturedGroups::Scope::Scope(CapturedGroups& groups) : before_(std::exchange(current_groups, &groups)) {}
CapturedGroups::Scope::~Scope() { current_groups = before_; }

CapturedGroups* CapturedGroups::current() { return current_groups; }

void CapturedGroups::note(const Ref<Group>& group) {
  if (group->backend().is_capturable() && !is_in(groups_, *group)) groups_.push_back(group);
}

bool CapturedGroups::settle() {
  if (!has_more()) return false;
  agreed_ = groups_;
  const auto whole = std::find_if(groups_.begin(), groups_.end(), [&](const Ref<Group>& all) {
    return std::all_of(groups_.begin(), groups_.end(), [&](const Ref<Group>& each) { return contains(*all, *each); });
  });
  const Ref<Group>& any = whole == groups_.end() ? groups_.front() : *whole;
  std::vector<int> members = any->members();
  if (whole == groups_.end()) {
    members.resize(static_cast<std::size_t>(any->watchdog()->environment().world_size));
    std::iota(members.begin(), members.end(), 0);
  }
  const std::string name = whole == groups_.end() ? "world" : any->name();
  if (agreement_ && name == name_) return false;
  name_ = name;
  agreement_.emplace(any->watchdog(), name, std::move(members), any->timeout());
  return true;
}

template <class F>
auto CapturedGroups::agree_or_fail(const F& agree) {
  try {
    return agree();
  } catch (const DistributedError& cause) {
    for (const Ref<Group>& group : groups_) group->fail(cause);
    throw;
  }
}

bool CapturedGroups::all_agree(bool yes) {
  return agree_or_fail([&] { return agreement_->all(yes); });
}

std::vector<std::string> CapturedGroups::exchange(const std::string& text) {
  return agree_or_fail([&] { return agreement_->exchange(text); });
}

void CapturedGroups::expect_agreed(const Group& group) const {
  if (is_in(agreed_, group)) return;
  throw CaptureError(str("the step communicates over group ", group.name(),
                         ", over which it has not before: its ranks have to agree"));
}

void CapturedGroups::captured(const Ref<Group>& group, const Ref<PendingWork>& work) {
  auto& parts = operations_.parts_;
  auto part =
      std::find_if(parts.begin(), parts.end(), [&](const auto& each) { return each.group.get() == group.get(); });
  if (part == parts.end()) part = parts.insert(part, {.group = group});
  ++part->count;
  // Messages differ from rank to rank.
  const std::string text = work->operation().is_point_to_point() ? "message" : signature(work->operation());
  for (const char c : text) part->hash = (part->hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  open_.push_back({work, current_stream(group->backend().device())});
}

void CapturedGroups::received(const PendingWork& work) {
  const Stream stream = current_stream(work.device());
  std::erase_if(open_, [&](const Open& open) { return open.work.get() == &work && open.stream == stream; });
}

void CapturedGroups::listen(const Ref<CaptureListener>& listener) { operations_.listeners_.push_back(listener); }

CapturedOperations CapturedGroups::join() {
  for (const Ref<CaptureListener>& listener : operations_.listeners_) listener->expect_complete();
  for (const Open& open : open_) open.work->join();
  open_.clear();
  return std::exchange(operations_, {});
}

void CapturedGroups::abandon() noexcept {
  open_.clear();
  std::exchange(operations_, {}).out_of_date();
}

std::string captured_difference(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> known;  // by group
  for (std::size_t rank = 0; rank < texts.size(); ++rank)
    for (std::size_t begin = 0; begin < texts[rank].size();) {
      const std::size_t end = texts[rank].find('\n', begin);
      const std::string line = texts[rank].substr(begin, end - begin), group = line.substr(0, line.find(": "));
      const auto [first, is_new] = known.try_emplace(group, line);
      if (!is_new && first->second != line)
        return str("ranks have captured different operations of group ", group, ": rank ", rank, " has captured ",
                   line.substr(group.size() + 2), ", another ", first->second.substr(group.size() + 2));
      begin = end + 1;
    }
  return "";
}

}  // namespace minima::distributed::detail
