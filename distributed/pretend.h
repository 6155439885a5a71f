#pragma once

#include <minima/distributed/process_group.h>

#include <memory>

namespace minima::distributed {

/// Counts what a rank has communicated, by kind of collective. A handle: copies count the same. Not for several
/// threads.
class MINIMA_API Traffic {
 public:
  struct Count {
    std::int64_t calls = 0;
    /// Bytes that this rank sends, which are as many as it receives unless it is a root: with n bytes on W ranks, of
    /// which own is this rank's part, all_reduce 2 (n - own); all_gather own (W - 1); reduce_scatter, all_to_all and
    /// scatter's root n - own; broadcast n; reduce and gather n except on the root; send and exchange what is sent. The
    /// parts of an all_reduce are n / W elements, rounded up.
    std::int64_t bytes = 0;
  };
  Traffic();
  Count of(Collective kind) const;
  /// The sum over all kinds.
  std::int64_t bytes() const;
  void reset();

 private:
  friend class CountedTraffic;
  struct Counts;
  std::shared_ptr<Counts> counts_;
};

struct PretendOptions {
  Device device = Device::cpu();
  Traffic traffic = {};  ///< counts this group's operations and those of its subgroups
  bool values = true;    ///< false leaves results as they are, for dry runs, in which copies would only take time
};

/// A group without other processes: this process is rank `rank` of `size`, any program runs as if the others were
/// there, and what it would send is counted. Results have the right shapes; their values are those of a world in which
/// all ranks hold this rank's tensors (sums are `size` times the input, gathered rows are copies of it), except that
/// other ranks' uneven parts and received tensors are zero. What ranks would compare to find out whether they agree,
/// such as the options of shard(), is not sent. For planning memory and traffic, and for tests.
///
///     Traffic traffic;
///     ProcessGroup world = pretend(3, 8192, {.traffic = traffic});
MINIMA_API ProcessGroup pretend(int rank, int size, PretendOptions options = {});

}  // namespace minima::distributed
