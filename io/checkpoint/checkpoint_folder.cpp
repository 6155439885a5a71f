#include <minima/io/checkpoint/checkpoint_folder.h>

#include <minima/io/checkpoint/checkpoint.h>
#include <minima/io/files/atomic_file.h>
#include <minima/io/files/posix_file.h>
#include <minima/io/state.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <dirent.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace minima {

namespace {

constexpr std::string_view name_start = "step-", name_end = ".safetensors";
constexpr const char* latest_file = "/latest.safetensors";

std::string name_of(std::int64_t step) {
  std::string digits = str(step);
  digits.insert(0, 10 - std::min<std::size_t>(10, digits.size()), '0');  // names sort in the order of steps
  return std::string(name_start) + digits + std::string(name_end);
}

/// The inverse of `name_of`; -1 for other names.
std::int64_t step_of(std::string_view name) {
  if (!name.starts_with(name_start) || !name.ends_with(name_end)) return -1;
  std::int64_t step = -1;
  std::from_chars(name.data() + name_start.size(), name.data() + name.size() - name_end.size(), step);
  return step >= 0 && name_of(step) == name ? step : -1;
}

/// The step that `latest` points to; -1 without it.
std::int64_t latest_step(const std::string& folder) {
  char target[PATH_MAX];
  const ssize_t length = ::readlink((folder + latest_file).c_str(), target, sizeof target);
  return length < 0 ? -1 : step_of({target, static_cast<std::size_t>(length)});
}

void point_latest_to(const std::string& folder, const std::string& name) {
  const std::string link = folder + latest_file, temporary = folder + "/.latest.tmp";
  ::unlink(temporary.c_str());  // left by a killed program
  if (::symlink(name.c_str(), temporary.c_str()) != 0) {
    if (errno == EPERM || errno == ENOTSUP || errno == ENOSYS) return;
    detail::throw_file_error(link, "cannot create the link to the new checkpoint", errno);
  }
  if (::rename(temporary.c_str(), link.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    detail::throw_file_error(link, "cannot replace", error);
  }
  detail::sync_folder(folder);
}

}  // namespace

CheckpointFolder::CheckpointFolder(std::string folder, CheckpointFolderOptions options)
    : folder_(std::move(folder)), options_(options) {
  if (options.keep < 0) throw ValueError(str("CheckpointFolder: keep must be at least 0, got ", options.keep));
  if (folder_.empty()) throw ValueError("CheckpointFolder: the folder's name is empty");
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) detail::throw_file_error(folder_, "cannot create the folder", error.value());
}

std::string CheckpointFolder::path(std::int64_t step) const { return folder_ + "/" + name_of(step); }

std::vector<std::int64_t> CheckpointFolder::steps() const {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(folder_.c_str()), ::closedir);
  if (!listing) detail::throw_file_error(folder_, "cannot open the folder", errno);
  std::vector<std::int64_t> steps;
  errno = 0;
  while (const dirent* entry = ::readdir(listing.get()))
    if (const std::int64_t step = step_of(entry->d_name); step >= 0) steps.push_back(step);
  if (errno != 0) detail::throw_file_error(folder_, "cannot read the folder", errno);
  std::sort(steps.begin(), steps.end());
  return steps;
}

void CheckpointFolder::save(std::int64_t step, const State& state) {
  if (step < 0) throw ValueError(str("CheckpointFolder: step must be at least 0, got ", step));
  detail::remove_leftovers(folder_, std::string(name_start));  // left by a run that was killed while saving
  minima::save(path(step), state);
  point_latest_to(folder_, name_of(step));
  if (options_.keep == 0) return;
  std::vector<std::int64_t> up_to_now = steps();
  std::erase_if(up_to_now, [&](std::int64_t other) { return other > step; });
  for (std::size_t i = 0; i + static_cast<std::size_t>(options_.keep) < up_to_now.size(); ++i)
    ::unlink(path(up_to_now[i]).c_str());
}

std::optional<CheckpointFolder::Found> CheckpointFolder::load_latest() const {
  // Another process may save and remove checkpoints between the listing and the loading.
  constexpr int looks = 10;
  for (int look = 1;; ++look) {
    const std::vector<std::int64_t> listed = steps();
    try {
      return load_latest_of(listed);
    } catch (const FormatError&) {
      if (look == looks || steps() == listed) throw;
    }
  }
}

std::optional<CheckpointFolder::Found> CheckpointFolder::load_latest_of(std::vector<std::int64_t> order) const {
  std::reverse(order.begin(), order.end());
  const std::int64_t latest = latest_step(folder_);
  if (latest >= 0) std::stable_partition(order.begin(), order.end(), [&](std::int64_t step) { return step <= latest; });
  std::vector<Skipped> skipped;
  for (const std::int64_t step : order) {
    try {
      Found found{load(path(step)), step, path(step), {}};
      for (const Skipped& other : skipped)
        std::fprintf(
            stderr, "%s\n",
            str("minima: resuming from ", found.path, ", because this checkpoint cannot be read: ", other.reason)
                .c_str());
      found.skipped = std::move(skipped);
      return found;
    } catch (const FormatError& error) {
      skipped.push_back({path(step), error.what()});
    } catch (const FileError& error) {
      skipped.push_back({path(step), error.what()});
    } catch (const OutOfMemoryError& error) {
      skipped.push_back({path(step), str(path(step), ": ", error.what())});
    }
  }
  if (skipped.empty()) return std::nullopt;
  std::string reasons;
  for (const Skipped& other : skipped) reasons += "\n  " + other.reason;
  throw FormatError(str(folder_, ": none of its ", skipped.size(), " checkpoints can be read:", reasons));
}

}  // namespace minima
