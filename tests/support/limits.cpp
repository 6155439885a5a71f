#include "tests/support/limits.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/storage/allocator.h>

#include <sys/resource.h>

#include <cctype>
#include <chrono>

namespace minima::test {

namespace {

constexpr std::int64_t GiB = std::int64_t{1} << 30;

/// Thrown instead of running a kernel; an Error, so that it is handled like one.
class TooCostly : public Error {
  using Error::Error;
};

class CostLimit final : public Observer {
 public:
  CostLimit() : previous_(set_observer(this)) {}
  CostLimit(const CostLimit&) = delete;
  ~CostLimit() { set_observer(previous_); }
  void begin(const char* op, Cost cost) override {
    if (!(cost.flops >= 0 && cost.bytes >= 0))
      wrong = str(op, " claims ", cost.flops, " operations and ", cost.bytes, " bytes");
    spent_ += cost.flops + cost.bytes;
    exceeded = spent_ > 0x1p28;
    if (exceeded) throw TooCostly(str(op, ": too costly"));
  }
  void end() noexcept override {}

  bool exceeded = false;
  std::string wrong;

 private:
  double spent_ = 0;
  Observer* previous_;
};

class MemoryLimit {
 public:
  MemoryLimit() {
    set_memory_limit(memory_stats().reserved + GiB);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    // Some memory belongs to no tensor. Sanitizers need much of their own.
    getrlimit(RLIMIT_DATA, &before_);
    rlimit lower = before_;
    lower.rlim_cur = static_cast<rlim_t>(memory_stats().reserved + 4 * GiB);
    setrlimit(RLIMIT_DATA, &lower);
#endif
  }
  MemoryLimit(const MemoryLimit&) = delete;
  ~MemoryLimit() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    setrlimit(RLIMIT_DATA, &before_);
#endif
    set_memory_limit(0);
  }

 private:
  rlimit before_{};
};

/// Whether the text begins with a function's name, as in `conv2d: …` or `Batcher::submit: …`, or comes from the
/// allocator.
bool names_a_function(const std::string& text) {
  std::size_t end = 0;
  const auto is_letter = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  while (is_letter(end) || (text.compare(end, 2, "::") == 0 && is_letter(end + 2))) end += is_letter(end) ? 1 : 2;
  return (end > 0 && text.compare(end, 2, ": ") == 0) || text.starts_with("out of memory on cpu: ");
}

Verdict outcome_of(const std::function<void()>& f) {
  CostLimit cost;
  const MemoryLimit memory;
  try {
    f();
  } catch (const Error& error) {
    if (!cost.wrong.empty()) return {Outcome::intolerable, cost.wrong};
    if (cost.exceeded) return {Outcome::costly, ""};
    if (!names_a_function(error.what()))
      return {Outcome::intolerable, str("the error names no function: ", error.what())};
    return {Outcome::refused, error.what()};
  } catch (const std::exception& error) {
    return {Outcome::intolerable, str("no Error of the library, but: ", error.what())};
  }
  return cost.wrong.empty() ? Verdict{Outcome::done, ""} : Verdict{Outcome::intolerable, cost.wrong};
}

}  // namespace

Verdict within_limits(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  Verdict verdict = outcome_of(f);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (seconds > 20) verdict = {Outcome::intolerable, str("took ", seconds, " s")};
  return verdict;
}

std::string Tally::text(const std::string& name) const {
  const auto count = [&](Outcome outcome) { return counts_[static_cast<int>(outcome)]; };
  int calls = 0;
  for (const int each : counts_) calls += each;
  return str(name, ": ", calls, " calls: ", count(Outcome::refused), " refused, ", count(Outcome::done), " done, ",
             count(Outcome::costly), " too costly, ", count(Outcome::intolerable), " intolerable");
}

}  // namespace minima::test
