#include "simulated/machine/report.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace simulated {

namespace {

std::mutex mutex;
std::vector<std::string>* caught = nullptr;
std::atomic<std::uint64_t> current_seed{0};

[[noreturn]] void stop(const std::string& text) {
  std::fprintf(stderr, "simulated GPU: %s (MINIMA_SIMULATED_SEED=%llu)\n", text.c_str(),
               static_cast<unsigned long long>(current_seed.load()));
  std::abort();
}

}  // namespace

void report(const std::string& text) {
  const std::lock_guard lock(mutex);
  if (!caught) stop(text);
  caught->push_back(text);
}

void name_seed(std::uint64_t seed) { current_seed = seed; }

void not_modelled(const std::string& what) { stop(what + " is not modelled"); }

CaughtReports::CaughtReports() {
  const std::lock_guard lock(mutex);
  if (caught) stop("two CaughtReports at once");
  caught = new std::vector<std::string>;
}

CaughtReports::~CaughtReports() {
  const std::lock_guard lock(mutex);
  delete std::exchange(caught, nullptr);
}

std::size_t CaughtReports::count() const {
  const std::lock_guard lock(mutex);
  return caught->size();
}

std::vector<std::string> CaughtReports::take() {
  const std::lock_guard lock(mutex);
  return std::exchange(*caught, {});
}

}  // namespace simulated
