#include <minima/io/states/folder_names.h>

#include <minima/io/files/posix_file.h>
#include <minima/tensor/base/format.h>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace minima::detail {

namespace {

constexpr std::string_view step_start = "step-", file_end = ".safetensors", hidden_start = ".step-",
                           hidden_end = ".tmp";
constexpr const char* latest_link = "/latest";

std::string ten_digits(std::int64_t step) {
  std::string digits = str(step);
  digits.insert(0, 10 - std::min<std::size_t>(10, digits.size()), '0');  // names sort in the order of steps
  return digits;
}

std::string folder_name(std::int64_t step, int attempt) {
  const std::string name = std::string(step_start) + ten_digits(step);
  return attempt == 1 ? name : str(name, ".", attempt);
}

/// False for names that are none.
bool parse_name(std::string_view name, StateName& parsed) {
  if (!name.starts_with(step_start)) return false;
  const char* const end = name.data() + name.size();
  const auto step = std::from_chars(name.data() + step_start.size(), end, parsed.step);
  if (parsed.step < 0) return false;
  parsed.name = name;
  parsed.attempt = 1;
  parsed.is_file = std::string_view(step.ptr, static_cast<std::size_t>(end - step.ptr)) == file_end;
  if (parsed.is_file) return name == folder_name(parsed.step, 1) + std::string(file_end);
  if (step.ptr != end && *step.ptr == '.') std::from_chars(step.ptr + 1, end, parsed.attempt);
  return parsed.attempt > 0 && name == folder_name(parsed.step, parsed.attempt);
}

std::vector<std::string> names_in(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(folder.c_str()), ::closedir);
  if (!listing) throw_file_error(folder, "cannot open the folder", errno);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) throw_file_error(folder, "cannot read the folder", errno);
  return names;
}

bool is_hidden(std::string_view name) { return name.starts_with(hidden_start) && name.ends_with(hidden_end); }

}  // namespace

bool StateName::operator<(const StateName& other) const {
  return std::tuple(step, !is_file, attempt) < std::tuple(other.step, !other.is_file, other.attempt);
}

std::vector<StateName> list_states(const std::string& folder) {
  std::vector<StateName> states;
  for (const std::string& name : names_in(folder))
    if (StateName parsed; parse_name(name, parsed)) states.push_back(parsed);
  std::sort(states.begin(), states.end());
  return states;
}

std::string path_of_step(const std::string& folder, std::int64_t step) {
  std::string found;
  for (const StateName& state : list_states(folder))
    if (state.step == step) found = str(folder, "/", state.name);
  return found;
}

StateName new_name(std::int64_t step, const std::vector<StateName>& existing) {
  StateName name{.step = step, .attempt = 1, .is_file = false, .name = {}};
  for (const StateName& other : existing)
    if (other.step == step && !other.is_file) name.attempt = std::max(name.attempt, other.attempt + 1);
  name.name = folder_name(step, name.attempt);
  return name;
}

std::string temporary_name(std::int64_t step, const std::string& id) {
  return str(".", folder_name(step, 1), ".", id, std::string(hidden_end));
}

std::int64_t step_by_name(const std::string& path) {
  const std::string name = file_name_of(path);
  StateName parsed;
  return parse_name(name, parsed) ? parsed.step : -1;
}

std::string latest_name(const std::string& folder) {
  char target[PATH_MAX];
  const ssize_t length = ::readlink((folder + latest_link).c_str(), target, sizeof target);
  if (length < 0) return {};
  return {target, static_cast<std::size_t>(length)};
}

void point_latest(const std::string& folder, const std::string& name) {
  const std::string link = folder + latest_link, temporary = folder + "/.latest.tmp";
  ::unlink(temporary.c_str());  // left by a killed program
  if (::symlink(name.c_str(), temporary.c_str()) != 0) {
    if (errno == EPERM || errno == ENOTSUP || errno == ENOSYS) return;
    throw_file_error(link, "cannot create the link to the new state", errno);
  }
  if (::rename(temporary.c_str(), link.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    throw_file_error(link, "cannot replace", error);
  }
  sync_folder(folder);
}

void make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) throw_file_error(path, "cannot create the folder", errno);
}

void remove_state(const std::string& folder, const std::string& name) noexcept {
  try {
    std::string path = str(folder, "/", name);
    if (!is_hidden(name)) {
      const std::string hidden = str(folder, "/.", name, std::string(hidden_end));
      if (::rename(path.c_str(), hidden.c_str()) != 0) return;
      path = hidden;
    }
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0) return;
    if (!S_ISDIR(status.st_mode)) {
      ::unlink(path.c_str());
      return;
    }
    for (const std::string& file : names_in(path)) ::unlink(str(path, "/", file).c_str());
    ::rmdir(path.c_str());
  } catch (...) {  // the next save tries again
  }
}

void remove_temporaries(const std::string& folder) noexcept {
  try {
    for (const std::string& name : names_in(folder))
      if (is_hidden(name)) remove_state(folder, name);
  } catch (...) {  // the next save tries again
  }
}

}  // namespace minima::detail
