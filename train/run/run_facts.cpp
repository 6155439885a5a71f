#include <minima/train/run/run_facts.h>

#include <minima/io/files/format_error.h>
#include <minima/io/files/read_to_end.h>
#include <minima/io/state.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/system/system_info.h>
#include <minima/tensor/threads/parallel.h>

#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

extern char** environ;

namespace minima::train::detail {

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool is_commit(const std::string& text) {
  return text.size() >= 40 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// The commit of a reference such as refs/heads/main.
std::string commit_of(const std::string& git, const std::string& reference) {
  if (const auto file = minima::detail::read_to_end(git + "/" + reference)) return first_line(*file);
  const std::string packed = minima::detail::read_to_end(git + "/packed-refs").value_or("");
  const std::size_t at = packed.find(" " + reference + "\n");
  if (at == std::string::npos || at < 40) return "";
  const std::size_t begin = packed.rfind('\n', at);
  return packed.substr(begin == std::string::npos ? 0 : begin + 1, at - (begin == std::string::npos ? 0 : begin + 1));
}

std::string command_line() {
  std::string text = minima::detail::read_to_end("/proc/self/cmdline").value_or("");
  while (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& c : text)
    if (c == '\0') c = ' ';
  return text;
}

std::string current_folder() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

std::string host_name() {
  char name[256] = "";
  if (::gethostname(name, sizeof name - 1) != 0) return "";
  return name;
}

/// The launcher gives each process others.
bool is_of_the_process(std::string_view name) {
  for (const std::string_view part : {"SECRET", "TOKEN", "FAILURE_FILE", "RESTART"})
    if (name.find(part) != std::string_view::npos) return true;
  return false;
}

std::string variables() {
  std::string text;
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string_view line = *variable;
    const std::string_view name = line.substr(0, line.find('='));
    if (!name.starts_with("MINIMA_") || is_of_the_process(name)) continue;
    text += str(text.empty() ? "" : " ", std::string(line));
  }
  return text;
}

}  // namespace

std::string git_commit(const std::string& folder) {
  std::error_code error;
  for (std::filesystem::path at = std::filesystem::absolute(folder, error); !at.empty(); at = at.parent_path()) {
    std::string git = (at / ".git").string(), common = git;
    // In a second work tree .git is a file that names the folder.
    if (const auto link = minima::detail::read_to_end(git); link && link->starts_with("gitdir: ")) {
      git = (at / first_line(*link).substr(8)).string();
      common = git;
      if (const auto shared = minima::detail::read_to_end(git + "/commondir"))
        common = (std::filesystem::path(git) / first_line(*shared)).string();
    }
    if (const auto head = minima::detail::read_to_end(git + "/HEAD")) {
      const std::string line = first_line(*head);
      const std::string commit = line.starts_with("ref: ") ? commit_of(common, line.substr(5)) : line;
      return is_commit(commit) ? commit : "";
    }
    if (at == at.parent_path()) break;
  }
  return "";
}

State run_facts() {
  State facts;
  // States hold UTF-8, which a command line need not be.
  const auto set = [&](const char* name, const std::string& text) {
    facts.set_text(name, minima::detail::printable(text));
  };
  set("minima", build_info().version);
  set("command", command_line());
  set("folder", current_folder());
  set("git commit", git_commit("."));
  set("host", host_name());
  set("processor", cpu_info().name);
  set("threads", str(num_threads()));
  set("deterministic", is_deterministic() ? "true" : "false");
  set("tf32", allows_tf32() ? "true" : "false");
  set("variables", variables());
  return facts;
}

std::vector<std::string> differences(const State& before, const State& now) {
  const auto shown = [](const std::string* text) {
    return text && !text->empty() ? minima::detail::printable(*text) : std::string("none");
  };
  std::vector<std::string> found;
  for (const auto& [name, text] : before.texts()) {
    const std::string* const other = now.find_text(name);
    if (!other || *other != text)
      found.push_back(str(minima::detail::printable(name), ": ", shown(&text), ", now ", shown(other)));
  }
  for (const auto& [name, text] : now.texts())
    if (!before.find_text(name)) found.push_back(str(name, ": none, now ", shown(&text)));
  return found;
}

}  // namespace minima::train::detail
