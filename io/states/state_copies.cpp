#include <minima/io/states/state_copies.h>

#include <minima/io/files/posix_file.h>
#include <minima/io/states/folder_names.h>
#include <minima/io/states/publish_state.h>
#include <minima/io/states/retention.h>
#include <minima/io/states/saved_state.h>
#include <minima/io/states/state_folder.h>
#include <minima/io/states/state_index.h>
#include <minima/io/states/write_stream.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

void tell(const std::string& text) { std::fprintf(stderr, "minima: %s\n", text.c_str()); }

void copy_file(const OpenedFile& from, const std::string& path, const std::string& to, double bytes_per_second) {
  WriteStream out(to, from.size, bytes_per_second);
  std::vector<char> buffer(std::min(from.size, WriteStream::piece_bytes));
  for (std::size_t at = 0; at < from.size; at += buffer.size()) {
    const std::size_t count = std::min(buffer.size(), from.size - at);
    read_all_at(from.file, at, buffer.data(), count, path);
    out.write(buffer.data(), count);
  }
  out.finish();
}

}  // namespace

void copy_state(const std::string& from, const std::string& name, const StateFolderOptions& options,
                std::map<std::string, double>& metrics) {
  const std::string &to = options.copy_to, source = str(from, "/", name);
  const StateIndex index = read_index(source);
  std::vector<OpenedFile> files;  // open, so that they stay when the state is removed
  files.reserve(index.files.size());
  for (const StateIndex::File& file : index.files) files.push_back(open_regular(str(source, "/", file.name)));
  remove_temporaries(to);
  const std::string hidden = temporary_name(index.step, index.id), written = str(to, "/", hidden);
  try {
    make_folder(written);
    for (std::size_t i = 0; i < files.size(); ++i)
      copy_file(files[i], str(source, "/", index.files[i].name), str(written, "/", index.files[i].name),
                options.bytes_per_second);
    SavedState::open_files(written, index);
    publish_state(to, written, index);
  } catch (...) {
    remove_state(to, hidden);
    throw;
  }
  remove_superseded(to, index.step, options, metrics);
}

StateCopies::StateCopies(std::string from, const StateFolderOptions& options)
    : from_(std::move(from)), options_(options) {
  std::error_code error;
  std::filesystem::create_directories(options_.copy_to, error);
  if (error) throw_file_error(options_.copy_to, "cannot create the folder", error.value());
}

StateCopies::~StateCopies() {
  {
    std::unique_lock lock(mutex_);
    if (!has_ended_.wait_for(lock, std::chrono::seconds(1), [this] { return !is_running_; }))
      tell(str(from_, ": waiting until the last state is copied to ", options_.copy_to));
  }
  if (thread_.joinable()) thread_.join();
}

void StateCopies::offer(const std::string& name) {
  const std::lock_guard guard(mutex_);
  next_ = name;
  if (is_running_) return;
  if (thread_.joinable()) thread_.join();  // it has nothing left to do
  try {
    thread_ = std::thread([this] { run(); });
    is_running_ = true;
  } catch (const std::system_error& error) {
    tell(str(from_, ": ", name, " is not copied: cannot start a thread: ", error.what()));
  }
}

bool StateCopies::has_next() const {
  const std::lock_guard guard(mutex_);
  return !next_.empty();
}

void StateCopies::run() noexcept {
  for (;;) {
    std::string name;
    {
      const std::lock_guard guard(mutex_);
      name.swap(next_);
      is_running_ = !name.empty();
      if (!is_running_) {
        has_ended_.notify_all();
        return;
      }
    }
    copy_or_tell(name);
  }
}

void StateCopies::copy_or_tell(const std::string& name) {
  for (int attempt = 0;; ++attempt) {
    try {
      return copy_state(from_, name, options_, metrics_);
    } catch (const std::exception& error) {
      if (!std::filesystem::exists(str(from_, "/", name))) return;  // newer ones have superseded it
      const bool tries_again = attempt < options_.retries && !has_next();
      const double pause = std::min(std::ldexp(options_.retry_seconds, attempt), 3600.0);
      tell(str(from_, ": ", name, " is not copied to ", options_.copy_to,
               tries_again ? str(" yet, trying again in ", pause, " s") : "", ": ", error.what()));
      if (!tries_again) return;
      std::this_thread::sleep_for(std::chrono::duration<double>(pause));
    }
  }
}

}  // namespace minima::detail
