#include <minima/data/loader/pipeline.h>

#include <minima/io/files/format_error.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/type_name.h>

#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cxxabi.h>
#include <algorithm>
#include <cstdio>
#include <typeinfo>

// Exceptions and timeouts while fetching.

namespace minima::data {

namespace {

constexpr std::size_t faults_kept = 32;

}  // namespace

std::string LoaderJob::in_brackets(const std::string& description) {
  return str(" (", minima::detail::printable(description), ")");
}

/// `what()`, or the type and value of an exception that is not a std::exception.
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
               ", which is not a std::exception");
  }
}

/// False if errors are skipped and every sample of the batch failed.
bool Pipeline::fetch(int slot, std::span<const std::int64_t> indices) {
  for (int attempt = 0;; ++attempt) {
    try {
      job_->fetch(slot, indices, plan_.context);
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

/// Fetches the samples one by one to find those that fail, then the others together.
bool Pipeline::fetch_survivors(int slot, std::span<const std::int64_t> indices) {
  std::vector<std::int64_t> good;
  std::vector<std::pair<std::int64_t, std::string>> bad;
  for (const std::int64_t& index : indices) {
    try {
      job_->fetch(slot, {&index, 1}, plan_.context);
      good.push_back(index);
    } catch (...) {
      bad.emplace_back(index, text_of_current_exception());
    }
  }
  // If no sample fails alone, the batch itself is at fault, and this fetch throws again.
  if (!good.empty()) job_->fetch(slot, good, plan_.context);
  for (const auto& [index, what] : bad) note_fault(index, what);
  return !good.empty();
}

void Pipeline::note_fault(std::int64_t index, const std::string& what) {
  ++skipped_;
  const std::lock_guard lock(mutex_);
  if (faults_.size() == faults_kept) faults_.erase(faults_.begin());
  faults_.push_back(str("sample ", index, job_->describe(index), " of epoch ", plan_.context.epoch, ": ", what));
}

std::vector<std::string> Pipeline::faults() {
  const std::lock_guard lock(mutex_);
  return faults_;
}

/// The exception in flight as the loop receives it: a minima::Error with a note that names the batch. Exceptions of
/// other types are nested in one.
std::exception_ptr Pipeline::describe_exception(std::int64_t number) const {
  const std::string note = "while fetching " + describe(number);
  try {
    throw;
  } catch (Error& error) {
    error.add_note(note);
    return std::current_exception();
  } catch (...) {
    Error described("DataLoader: " + text_of_current_exception());
    described.add_note(note);
    try {
      std::throw_with_nested(described);
    } catch (...) {
      return std::current_exception();
    }
  }
}

/// `batch 3 of epoch 0, samples [5, 9, 1]`
std::string Pipeline::describe(std::int64_t number) const {
  std::string text = str("batch ", plan_.first_number + number, " of epoch ", plan_.context.epoch);
  if (plan_.stream) return text;
  constexpr std::size_t shown = 16;
  const std::span<const std::int64_t> indices = indices_of(number);
  text += ", samples [";
  for (std::size_t i = 0; i < std::min(indices.size(), shown); ++i) text += str(i ? ", " : "", indices[i]);
  if (indices.size() > shown) text += str(", … ", indices.size() - shown, " more");
  return text + "]";
}

std::string Pipeline::timeout_message() {
  std::string text = str("DataLoader: no batch after ", timeout_, " s");
  const Clock::time_point now = Clock::now();
  bool any = false;
  for (std::size_t id = 0; id < workers_.size(); ++id) {
    const WorkerStatus& worker = workers_[id];
    if (worker.number < 0) continue;
    any = true;
    char since[32];
    std::snprintf(since, sizeof since, "%.1f", seconds(now - worker.since));
    text += str("\n  worker ", id, " has been ", worker.doing, " ", describe(worker.number), " for ", since, " s");
  }
  return any ? text : text + "; no worker is busy";
}

}  // namespace minima::data
