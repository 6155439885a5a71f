#pragma once

#include <minima/distributed/capture_agreement.h>
#include <minima/distributed/process_group.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/device/stream.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// A captured step notes here which groups it communicates over, and replays their operations. Internal.

namespace minima::distributed::detail {

class PendingWork;

/// Hears what a capture contains of it, such as weights that were gathered.
class CaptureListener : public Counted {
 public:
  /// The captured work was done by a replay, or will never be done: what was noted while it was captured does not hold.
  virtual void out_of_date() noexcept = 0;
  /// Called at the capture's end. Throws CaptureError if it leaves what a replay would not.
  virtual void expect_complete() = 0;
};

/// The operations in a graph. Holds their groups, whose communicators end only after the graph.
class CapturedOperations {
 public:
  CapturedOperations();
  CapturedOperations(CapturedOperations&&) noexcept;
  CapturedOperations& operator=(CapturedOperations&&) noexcept;
  ~CapturedOperations();

  /// Describes each group's operations as all its ranks must have captured them.
  std::string text() const;
  /// Before and after the graph is launched on the current stream. From then on its operations have a timeout.
  void before_replay() const;
  void after_replay() const;
  void out_of_date() const noexcept;

 private:
  friend class CapturedGroups;
  struct Part {
    Ref<Group> group;
    std::int64_t count = 0;
    std::uint64_t hash = 14695981039346656037u;  ///< of their signatures (FNV-1a)
  };
  std::vector<Part> parts_;
  std::vector<Ref<CaptureListener>> listeners_;
};

/// The groups in which a captured step communicates.
class CapturedGroups {
 public:
  CapturedGroups();
  ~CapturedGroups();
  CapturedGroups(const CapturedGroups&) = delete;

  /// While it exists, this thread's operations are noted.
  class Scope {
   public:
    explicit Scope(CapturedGroups& groups);
    ~Scope();
    Scope(const Scope&) = delete;

   private:
    CapturedGroups* before_;
  };
  /// This thread's; null outside of a scope.
  static CapturedGroups* current();

  /// Decides who has to agree, now that the step has run: the ranks of its group; of several groups, those of the one
  /// that contains the others, or all ranks. Returns whether others than before.
  bool settle();
  /// Whether the step communicates over a group that has not been settled.
  bool has_more() const { return groups_.size() > agreed_.size(); }
  /// Whether other ranks have to agree.
  bool has_others() const { return agreement_.has_value(); }
  /// CaptureAgreement's. If it fails, so do the groups.
  bool all_agree(bool yes);
  std::vector<std::string> exchange(const std::string& text);

  // --- called by groups ---

  void note(const Ref<Group>& group);
  /// Throws CaptureError for a group whose ranks have not agreed to capture.
  void expect_agreed(const Group& group) const;
  void captured(const Ref<Group>& group, const Ref<PendingWork>& work);
  /// The current stream waits for the operation, whose tensors may be freed in that stream's order.
  void received(const PendingWork& work);

  // --- a capture ---

  void listen(const Ref<CaptureListener>& listener);
  /// Ends it: the current stream waits for all operations that it has not waited for.
  CapturedOperations join();
  /// Drops it, after the graph.
  void abandon() noexcept;

 private:
  struct Open {
    Ref<PendingWork> work;
    Stream stream;
  };
  /// Aborts what the groups have under way, so that nothing waits for a rank that does not come.
  template <class F>
  auto agree_or_fail(const F& agree);

  std::vector<Ref<Group>> groups_, agreed_;  ///< noted; those of them that `agreement_` is about
  std::string name_;
  std::optional<CaptureAgreement> agreement_;
  CapturedOperations operations_;
  std::vector<Open> open_;  ///< not waited for: keeps their tensors
};

/// The first difference between what ranks of the same groups have captured, by their CapturedOperations::text; empty
/// if there is none.
std::string captured_difference(const std::vector<std::string>& texts);

}  // namespace minima::distributed::detail
