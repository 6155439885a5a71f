#include <minima/distributed/flight_recorder.h>

#include <minima/io/files/run_folder.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cctype>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>
#include <chrono>
#include <cstdlib>

namespace minima::distributed::detail {

namespace {

using minima::detail::RunFolder;

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') out += "\\n";
    else if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + "\"";
}

/// A file name that is unique per job on a host.
std::string short_name(const std::string& job) {
  std::string out;
  for (const char c : job.substr(0, 32)) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return out.empty() ? "job" : out;
}

/// Where records go: the folder that the user named, or this user's own.
RunFolder open_folder(const std::string& named) {
  if (!named.empty()) return {named, RunFolder::Access::shared};
  try {
    return {minima::detail::temporary_run_folder(), RunFolder::Access::write};
  } catch (const FileError&) {  // another user has taken its name
    return RunFolder::temporary();
  }
}

}  // namespace

FlightRecorder::FlightRecorder(std::string folder, std::string job, int rank)
    : folder_(std::move(folder)), job_(std::move(job)), rank_(rank) {
  if (folder_.empty())
    if (const char* const named = std::getenv("MINIMA_FLIGHT_FOLDER")) folder_ = named;
}

std::uint64_t FlightRecorder::begin(const std::string& group, std::int64_t sequence, const std::string& operation) {
  const std::lock_guard guard(mutex_);
  const std::uint64_t number = next_++;
  records_[number % kept] = {
      .number = number, .group = group, .operation = operation, .sequence = sequence, .start = now()};
  return number;
}

void FlightRecorder::end(std::uint64_t number, const char* state) {
  const std::lock_guard guard(mutex_);
  Record& record = records_[number % kept];
  if (record.number != number) return;
  record.end = now();
  record.state = state;
}

std::string FlightRecorder::write(const std::string& failure) noexcept try {
  const std::lock_guard guard(mutex_);
  if (!written_.empty()) return written_;
  std::string text = str("{\"rank\": ", rank_, ", \"job\": ", in_quotes(job_), ", \"failure\": ", in_quotes(failure),
                         ", \"operations\": [\n");
  bool first = true;
  for (std::uint64_t number = next_ > kept ? next_ - kept : 1; number < next_; ++number) {
    const Record& e = records_[number % kept];
    text += str(first ? "" : ",\n", " {\"group\": ", in_quotes(e.group), ", \"sequence\": ", e.sequence,
                ", \"operation\": ", in_quotes(e.operation), ", \"state\": \"", e.state, "\", \"start\": ", e.start);
    if (e.end > 0) text += str(", \"seconds\": ", e.end - e.start);
    text += "}";
    first = false;
  }
  const std::string name = str("minima-flight-", short_name(job_), "-rank", rank_, ".json");
  return written_ = open_folder(folder_).write(name, text + "\n]}\n");
} catch (...) {
  return "";
}

void tell_launcher(const std::vector<int>& missing) noexcept try {
  const char* const path = std::getenv("MINIMA_FAILURE_FILE");
  if (!path) return;
  std::string text = str(std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count());
  for (const int rank : missing) text += str(" ", rank);
  text += "\n";
  const int descriptor = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);  // the first failure counts
  if (descriptor < 0) return;
  // A single call, so a killed process leaves all of it or nothing.
  if (::write(descriptor, text.data(), text.size()) < 0) ::unlink(path);
  ::close(descriptor);
} catch (...) {}

}  // namespace minima::distributed::detail
