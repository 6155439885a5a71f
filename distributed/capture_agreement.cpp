#include <minima/distributed/capture_agreement.h>

#include <minima/distributed/flight_recorder.h>
#include <minima/distributed/store/error.h>
#include <minima/distributed/store/socket.h>
#include <minima/distributed/store/store.h>
#include <minima/distributed/watchdog.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/wait_observer.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace minima::distributed::detail {

namespace {

constexpr std::int64_t no = std::int64_t{1} << 32;  // a counter's upper half counts the ranks that say no
constexpr double between_looks = 0.5;               // seconds between looks at who is gone

}  // namespace

CaptureAgreement::CaptureAgreement(Ref<Watchdog> watchdog, const std::string& name, std::vector<int> members,
                                   double timeout)
    : watchdog_(std::move(watchdog)), members_(std::move(members)), timeout_(timeout) {
  name_ = str(name, "/captured step ", watchdog_->count(name));
  watchdog_->store().set_patience(std::clamp(timeout, 0.5, 5.0));
}

CaptureAgreement::~CaptureAgreement() { watchdog_->forget(name_); }

std::string CaptureAgreement::key() const { return str("agreement/", name_, "/", turn_ % 2); }

void CaptureAgreement::begin(const char* what) {
  what_ = what;
  watchdog_->begin(name_, ++turn_, what_);
}

bool CaptureAgreement::all(bool yes) {
  begin("whether all ranks go on as before");
  std::int64_t& before = counted_[turn_ % 2];
  std::int64_t sum = 0, added = yes ? 1 : 1 + no;
  wait_until([&] {
    sum = watchdog_->store().add(key(), std::exchange(added, 0)) - before;
    return sum % no == static_cast<std::int64_t>(members_.size());
  });
  before += sum;
  watchdog_->end(name_);
  return sum < no;
}

std::vector<std::string> CaptureAgreement::exchange(const std::string& text) {
  begin("what each rank does");
  const std::string number = str(turn_, " ");
  const auto key_of = [&](int member) { return str(key(), "/", member); };
  std::vector<std::string> texts;
  bool is_sent = false;
  wait_until([&] {
    if (!std::exchange(is_sent, true)) watchdog_->store().set(key_of(watchdog_->environment().rank), number + text);
    while (texts.size() < members_.size()) {
      const std::optional<std::string> found = watchdog_->store().get(key_of(members_[texts.size()]));
      if (!found || !found->starts_with(number)) return false;
      texts.push_back(found->substr(number.size()));
    }
    return true;
  });
  watchdog_->end(name_);
  return texts;
}

template <class F>
void CaptureAgreement::wait_until(const F& is_there) {
  const minima::detail::Waiting waiting(Wait::ranks);
  const Deadline deadline = after(timeout_);
  Deadline look = after(between_looks);
  // A rank that is late costs the store 50,000 questions a second, however many wait for it.
  const int most = std::max(500, 20 * static_cast<int>(members_.size()));
  for (int pause = 20;; pause = std::min(2 * pause, most)) {
    std::string reason;
    try {
      if (is_there()) return;
      if (seconds_until(look) <= 0) {
        const std::vector<Member> status = watchdog_->store().status();
        for (const int rank : members_)
          if (const Member::State state = status.at(static_cast<std::size_t>(rank)).state;
              state == Member::State::lost || state == Member::State::left)
            reason = str("rank ", rank, " is gone");
        look = after(between_looks);
      }
    } catch (const Error& error) {  // the store is gone
      reason = error.what();
    }
    if (watchdog_->known_failure(members_)) reason = "another rank found a failure before";
    if (reason.empty() && seconds_until(deadline) <= 0) reason = str("no answer within ", timeout_, " s");
    if (!reason.empty()) fail(reason);
    std::this_thread::sleep_for(std::chrono::microseconds(pause));
  }
}

void CaptureAgreement::fail(const std::string& reason) {
  const std::optional<Diagnosis> known = watchdog_->known_failure(members_);
  const Diagnosis diagnosis = known ? *known : watchdog_->diagnose(name_, members_, turn_, what_);
  tell_launcher(diagnosis.missing);
  throw DistributedError(str("CapturedStep: ranks could not agree on ", what_, " (#", turn_, " of ", name_,
                             "): ", reason, diagnosis.text.empty() ? "" : "; ", diagnosis.text,
                             "; all ranks must call a step that communicates, and capture it, in the same order; if "
                             "they use different groups in it, let it also communicate over one that contains them "
                             "all"),
                         diagnosis.missing);
}

}  // namespace minima::distributed::detail
