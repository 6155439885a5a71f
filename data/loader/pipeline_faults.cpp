#include <minima/data/loader/pipeline.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/type_name.h>

#include <cxxabi.h>
#include <algorithm>
#include <cstdio>
#include <typeinfo>

// What the pipeline does when fetching throws or hangs.

namespace minima::data {

namespace {

constexpr std::size_t kFaultsKept = 32;

}  // namespace

/// `what()`, or type and value of something else that a dataset throws.
std::string Pipeline::text_of_current_exception() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (const char* text) {
    return text ? text : "a null const char*";
  } catch (const std::string& text) {
    return text;
  } catch (int number) {
    return str("the dataset threw the int ", number);
  } catch (...) {
    return str("the dataset threw a ", minima::detail::demangled(abi::__cxa_current_exception_type()->name()),
               ", which is no std::exception");
  }
}

/// False if no sample of the batch could be had and errors are skipped.
bool Pipeline::fetch(int slot, std::span<const std::int64_t> indices) {
  for (int attempt = 0;; ++attempt) {
    try {
      job_->fetch(slot, indices, pass_.context);
      return true;
    } catch (...) {
      if (attempt < retries_) {
        ++retried_;
        continue;
      }
      if (!skip_errors_) throw;
    }
    return fetch_survivors(slot, indices);
  }
}

/// One sample at a time, to find those that fail; then the others together.
bool Pipeline::fetch_survivors(int slot, std::span<const std::int64_t> indices) {
  std::vector<std::int64_t> good;
  std::vector<std::pair<std::int64_t, std::string>> bad;
  for (const std::int64_t& index : indices) {
    try {
      job_->fetch(slot, {&index, 1}, pass_.context);
      good.push_back(index);
    } catch (...) {
      bad.emplace_back(index, text_of_current_exception());
    }
  }
  // With nothing wrong sample by sample the fault is the batch's (or has passed): then it is not hidden.
  if (!good.empty()) job_->fetch(slot, good, pass_.context);
  for (const auto& [index, what] : bad) note_fault(index, what);
  return !good.empty();
}

void Pipeline::note_fault(std::int64_t index, const std::string& what) {
  ++skipped_;
  const std::lock_guard lock(mutex_);
  if (faults_.size() == kFaultsKept) faults_.erase(faults_.begin());
  faults_.push_back(str("sample ", index, job_->describe(index), " of epoch ", pass_.context.epoch, ": ", what));
}

std::vector<std::string> Pipeline::faults() {
  const std::lock_guard lock(mutex_);
  return faults_;
}

/// `batch 3 of epoch 0, samples [5, 9, 1]`
std::string Pipeline::describe(std::int64_t number) const {
  std::string text = str("batch ", pass_.first_number + number, " of epoch ", pass_.context.epoch);
  if (pass_.stream) return text;
  constexpr std::size_t kShown = 16;
  const std::span<const std::int64_t> indices = indices_of(number);
  text += ", samples [";
  for (std::size_t i = 0; i < std::min(indices.size(), kShown); ++i) text += str(i ? ", " : "", indices[i]);
  if (indices.size() > kShown) text += str(", … ", indices.size() - kShown, " more");
  return text + "]";
}

std::string Pipeline::stuck_message() {
  std::string text = str("DataLoader: no batch after ", timeout_, " s");
  const Clock::time_point now = Clock::now();
  bool any = false;
  for (std::size_t id = 0; id < workers_.size(); ++id) {
    const Worker& worker = workers_[id];
    if (worker.number < 0) continue;
    any = true;
    char since[32];
    std::snprintf(since, sizeof since, "%.1f", seconds(now - worker.since));
    text += str("\n  worker ", id, " has been ", worker.doing, " ", describe(worker.number), " for ", since, " s");
  }
  return any ? text : text + "; no worker is busy";
}

}  // namespace minima::data
