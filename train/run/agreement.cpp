#include <minima/train/run/agreement.h>

#include <minima/distributed/store/error.h>
#include <minima/io/states/board.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace minima::train::detail {

namespace {

/// Ranks make their runs in the same order, so this number is the same on all of them.
std::string run_prefix(minima::detail::Board& board) {
  const std::string key = str("run/count/", board.rank());
  const long long count = std::strtoll(board.get(key).value_or("0").c_str(), nullptr, 10) + 1;
  board.set(key, str(count));
  return str("run/", count, "/");
}

/// `ROUND STEP DUE`.
struct Note {
  std::int64_t round = 0, step = 0;
  Due due = Due::nothing;
};

std::string note_text(const Note& note) { return str(note.round, " ", note.step, " ", static_cast<int>(note.due)); }

/// Nothing for a note of another round.
std::optional<Note> read_note(const std::optional<std::string>& text, std::int64_t round) {
  long long read_round = 0, step = 0;
  int due = 0;
  if (!text || std::sscanf(text->c_str(), "%lld %lld %d", &read_round, &step, &due) != 3 || read_round != round)
    return {};
  due = std::clamp(due, 0, static_cast<int>(Due::interrupted));
  return Note{round, step, static_cast<Due>(due)};
}

}  // namespace

Agreement::Agreement(Ref<minima::detail::Board> board, std::int64_t done, double timeout, Function<Due()> wish)
    : board_(std::move(board)),
      timeout_(timeout),
      // All ranks ask rank 0: about five hundred questions a second at most.
      interval_(std::clamp(board_->size() / 500.0, 0.05, 2.0)),
      wish_(std::move(wish)),
      prefix_(run_prefix(*board_)),
      done_(done) {
  if (board_->size() > 1) thread_ = std::thread([this] { attend(); });
}

Agreement::~Agreement() {
  {
    const std::lock_guard guard(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (!thread_.joinable()) return;
  thread_.join();
  if (is_lost_) return;
  try {
    board_->set(key("left"), "1");
  } catch (const std::exception&) {  // rank 0 has left before
  }
}

std::string Agreement::promise_key(int rank) const { return str(prefix_, "promise/", rank); }

Due Agreement::after_step(std::int64_t step) {
  if (!thread_.joinable()) return wish_();
  std::unique_lock guard(mutex_);
  done_ = step;
  rests_ = false;
  if (!limit_ && wish_() != Due::nothing) {  // the thread need not wait for its next look
    is_hasty_ = true;
    changed_.notify_all();
  }
  if (!limit_ || (!decision_ && step < *limit_)) return Due::nothing;
  if (!decision_) {
    changed_.notify_all();
    changed_.wait_for(guard, std::chrono::duration<double>(timeout_),
                      [this] { return decision_.has_value() || has_left_ || is_lost_; });
    // This rank's limit is after the last step of the one that has left, so no rank saves there. Without a board rank 0
    // is gone, which the next operation of the group finds out and explains.
    if (!decision_ && (has_left_ || is_lost_)) return Due::nothing;
    if (!decision_) {
      guard.unlock();
      throw distributed::DistributedError(
          str("Run: the ranks did not agree within ", timeout_, " s on a step to save after", missing_ranks()));
    }
  }
  if (step < decision_->step) return Due::nothing;
  const Due due = decision_->due;
  ++round_;
  limit_.reset();
  decision_.reset();
  rests_ = true;
  return due;
}

void Agreement::attend() {
  std::unique_lock guard(mutex_);
  while (!ends_ && !has_left_ && !is_lost_) {
    guard.unlock();
    bool is_lost = false;
    try {
      look();
    } catch (const std::exception&) {
      is_lost = true;
    }
    guard.lock();
    is_lost_ = is_lost;
    if (decision_ || has_left_ || is_lost_) changed_.notify_all();
    const auto stands = [this] { return limit_ && !decision_ && done_ >= *limit_; };
    const bool stood = stands();  // a rank that stands waiting is answered sooner
    is_hasty_ = false;
    changed_.wait_for(guard, std::chrono::duration<double>(stood ? std::min(interval_, 0.002) : interval_),
                      [&] { return ends_ || is_hasty_ || (!stood && stands()); });
  }
}

void Agreement::look() {
  std::unique_lock guard(mutex_);
  if (decision_) return;
  const std::int64_t round = round_ + 1;
  if (!limit_) {
    const bool rests = rests_;
    guard.unlock();
    const Due want = rests ? Due::nothing : wish_();
    const bool is_open = read_note(board_->get(key("round")), round).has_value();
    if (!is_open && want == Due::nothing) return;
    guard.lock();
    const std::int64_t limit = done_ + 1;
    limit_ = limit;
    guard.unlock();
    board_->set(promise_key(board_->rank()), note_text({round, limit, want}));
    if (!is_open) board_->set(key("round"), note_text({round, limit, want}));
  } else {
    guard.unlock();
  }
  std::optional<Decision> found = find_decision(round);
  bool has_left = false;
  if (!found && board_->get(key("left"))) {
    found = find_decision(round);  // it may have been made meanwhile
    has_left = !found;
  }
  guard.lock();
  decision_ = found;
  has_left_ = has_left;
}

std::optional<Agreement::Decision> Agreement::find_decision(std::int64_t round) {
  if (board_->rank() == 0) return decide(round);
  if (const auto note = read_note(board_->get(key("decision")), round)) return Decision{note->step, note->due};
  return {};
}

/// Nothing until all ranks have promised.
std::optional<Agreement::Decision> Agreement::decide(std::int64_t round) {
  Decision decision;
  for (int rank = 0; rank < board_->size(); ++rank) {
    const auto promise = read_note(board_->get(promise_key(rank)), round);
    if (!promise) return {};
    decision.step = std::max(decision.step, promise->step);
    decision.due = std::max(decision.due, promise->due);
  }
  board_->set(key("decision"), note_text({round, decision.step, decision.due}));
  return decision;
}

std::string Agreement::missing_ranks() const {
  std::string text;
  try {
    for (int rank = 0; rank < board_->size(); ++rank)
      if (!read_note(board_->get(promise_key(rank)), round_ + 1))
        text += str(text.empty() ? "; no answer from rank " : ", ", rank);
  } catch (const std::exception& error) {
    text = str("; ", error.what());
  }
  return text;
}

}  // namespace minima::train::detail
