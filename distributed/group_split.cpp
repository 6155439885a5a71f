#include <minima/distributed/backends/backend.h>
#include <minima/distributed/group.h>
#include <minima/distributed/store/environment.h>
#include <minima/distributed/store/error.h>
#include <minima/distributed/watchdog.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

// Groups of some of a group's ranks, and the meeting of a group's ranks.

namespace minima::distributed::detail {

Ref<Group> Group::split(const std::vector<int>& ranks) {
  const auto found = std::find(ranks.begin(), ranks.end(), rank_);
  if (found == ranks.end())
    throw ValueError(str("subgroup: rank ", rank_, " is not in the list; only members may call it"));
  std::string name = name_ + "/";
  std::vector<int> members;
  for (const int rank : ranks) {
    if (rank < 0 || rank >= size() || std::count(ranks.begin(), ranks.end(), rank) != 1)
      throw ValueError(str("subgroup: ranks must be distinct and from 0 to ", size() - 1, ", got ", rank));
    members.push_back(members_[static_cast<std::size_t>(rank)]);
    name += str(rank == ranks[0] ? "" : "+", rank);
  }
  // Names of groups with the same ranks are numbered.
  if (const std::int64_t times = ++splits_[name]; times > 1) name += str("#", times);
  const int index = static_cast<int>(found - ranks.begin());
  const auto make = [&] { return backend_->split(ranks, index, name, timeout_); };
  Ref<Backend> backend = watchdog_ ? connect(*watchdog_, name, members, make) : make();
  return Ref<Group>(new Group(name, std::move(backend), watchdog_, index, std::move(members), timeout_, debug_));
}

Ref<Backend> connect(Watchdog& watchdog, const std::string& group, const std::vector<int>& members,
                     const Function<Ref<Backend>()>& make) {
  const std::string start = group + connecting;
  const char* const operation = "connecting";
  watchdog.begin(start, 0, operation);
  std::string reason;
  try {
    Ref<Backend> backend = make();
    watchdog.end(start);
    return backend;
  } catch (const DistributedError& error) {
    reason = error.what();
  } catch (const Error&) {  // of the device
    throw;
  } catch (const std::exception& error) {  // Gloo's
    reason = error.what();
  }
  const Diagnosis found = watchdog.diagnose(start, members, 0, operation);
  throw DistributedError(str("distributed: rank ", watchdog.environment().rank, " could not connect to the others of ",
                             "group ", group, ": ", reason, found.text.empty() ? "" : "; ", found.text),
                         found.missing);
}

}  // namespace minima::distributed::detail
