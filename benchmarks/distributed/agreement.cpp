// What it costs ranks to agree before each call of a captured step, if all come at once, and after the last one if it
// is late. The host pays it while the GPUs compute the step before.
//   scripts/launch -n 8 build/cpu/benchmarks/agreement

#include <minima/distributed/capture_agreement.h>
#include <minima/distributed/distributed.h>
#include <minima/distributed/group.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <thread>

using namespace minima;

namespace {

double microseconds_each(distributed::detail::CaptureAgreement& agreement, int calls, std::chrono::milliseconds late) {
  using Clock = std::chrono::steady_clock;
  agreement.all(true);
  const auto start = Clock::now();
  for (int i = 0; i < calls; ++i) {
    if (late.count() > 0) std::this_thread::sleep_for(late);
    agreement.all(true);
  }
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / calls;
}

}  // namespace

int main() try {
  const distributed::ProcessGroup group = distributed::init();
  const auto& shared = distributed::detail::GroupAccess::of(group);
  distributed::detail::CaptureAgreement agreement(shared->watchdog(), shared->name(), shared->members(), 60);
  const double at_once = microseconds_each(agreement, 500, {});
  constexpr std::chrono::milliseconds late{20};
  const bool is_last = group.rank() == group.size() - 1;
  const double waited = microseconds_each(agreement, 50, is_last ? late : std::chrono::milliseconds{0});
  if (is_last)
    std::printf("%d ranks agree in %.0f us, or %.0f us after a rank that is %d ms late\n", group.size(), at_once,
                waited - 1e3 * static_cast<double>(late.count()), static_cast<int>(late.count()));
} catch (const std::exception& error) {
  std::fprintf(stderr, "agreement: %s\n", error.what());
  return 1;
}
