// minima-checkpoint lists, verifies, merges and compares states on disk.

#include "arguments.h"
#include "compare.h"

#include <minima/io/files/format_error.h>
#include <minima/io/state.h>
#include <minima/io/states/folder_names.h>
#include <minima/io/states/saved_state.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using minima::SavedState;
using minima::State;
using minima::str;
using minima::detail::printable;
using minima::detail::StateName;

constexpr int differs = 1, failed = 2;

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0) throw minima::FileError("standard output: cannot write");
}

bool is_run_folder(const std::string& path) {
  return std::filesystem::is_directory(path) && !std::filesystem::exists(path + "/index.json") &&
         !std::filesystem::path(path).filename().string().starts_with("step-");
}

std::string size_of(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  return text;
}

/// The states of a run's folder, or the path itself.
std::vector<std::string> states_at(const std::string& path) {
  if (!is_run_folder(path)) return {path};
  std::vector<std::string> paths;
  for (const StateName& state : minima::detail::list_states(path)) paths.push_back(str(path, "/", state.name));
  return paths;
}

std::string summary(const SavedState& state) {
  return str("step ", state.step(), ", ", state.ranks(), state.ranks() == 1 ? " rank, " : " ranks, ",
             state.tensors().size(), " tensors, ", size_of(state.bytes()),
             std::isnan(state.metric()) ? "" : str(", metric ", state.metric()),
             state.time().empty() ? "" : ", " + printable(state.time()));
}

std::string contents(const SavedState& state) {
  std::string text;
  for (const SavedState::Entry& entry : state.tensors())
    text += str("  ", printable(entry.name), "  ", entry.dtype, " ", entry.shape, "\n");
  for (const auto& [name, value] : state.values().texts())
    text += str("  ", printable(name), " = ", printable(value), "\n");
  for (int rank = 0; rank < state.ranks(); ++rank)
    if (const auto own = state.own(rank); own && !own->empty()) {
      for (const auto& [name, tensor] : own->tensors())
        text += str("  rank.", rank, ".", printable(name), "  ", tensor, "\n");
      for (const auto& [name, value] : own->texts())
        text += str("  rank.", rank, ".", printable(name), " = ", printable(value), "\n");
    }
  return text;
}

int list(const std::string& path) {
  if (!is_run_folder(path)) {
    const SavedState state = SavedState::open(path);
    print(str(printable(path), "  ", summary(state), "\n", contents(state)));
    return 0;
  }
  int code = 0;
  const std::string latest = minima::detail::latest_name(path);
  for (const std::string& state : states_at(path)) {
    std::string text;
    try {
      text = summary(SavedState::open(state));
    } catch (const minima::Error& error) {
      text = str("damaged: ", printable(error.what()));
      code = differs;
    }
    const bool is_latest = std::filesystem::path(state).filename() == latest;
    print(str(printable(state), "  ", text, is_latest ? "  latest" : "", "\n"));
  }
  return code;
}

int verify(const std::string& path) {
  int code = 0;
  for (const std::string& state : states_at(path)) {
    try {
      SavedState::open(state).verify();
      print(str(printable(state), ": good\n"));
    } catch (const minima::FormatError& error) {
      print(str(printable(state), ": damaged: ", printable(error.what()), "\n"));
      code = differs;
    } catch (const minima::FileError& error) {
      print(str(printable(state), ": ", printable(error.what()), "\n"));
      code = std::filesystem::exists(state) ? differs : failed;
    }
  }
  return code;
}

int merge(const std::string& from, const std::string& to, const std::string& part) {
  const SavedState saved = SavedState::open(from);
  State all = saved.replicated(part);
  if (!part.empty() && all.empty()) throw minima::ValueError(str(from, " has nothing called ", part, ".*"));
  if (part.empty()) {
    for (int rank = 0; rank < saved.ranks(); ++rank)
      if (const auto own = saved.own(rank)) all.add(str("rank.", rank), *own);
    if (!all.find_text("step")) all.set_integer("step", saved.step());
  }
  minima::write_safetensors(to, all);
  return 0;
}

int diff(const std::vector<std::string>& paths, const std::vector<std::string>& ignore) {
  const std::string text = differences(SavedState::open(paths[0]), SavedState::open(paths[1]), ignore);
  print(text);
  return text.empty() ? 0 : differs;
}

int run(const Arguments& given) {
  using Command = Arguments::Command;
  int code = 0;
  switch (given.command) {
    case Command::help: print(usage); break;
    case Command::list:
      for (const std::string& path : given.paths) code = std::max(code, list(path));
      break;
    case Command::verify:
      for (const std::string& path : given.paths) code = std::max(code, verify(path));
      break;
    case Command::merge: code = merge(given.paths[0], given.paths[1], given.part); break;
    case Command::diff: code = diff(given.paths, given.ignore); break;
  }
  if (std::fflush(stdout) != 0) throw minima::FileError("standard output: cannot write");
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments given;
  try {
    given = parse({argv + 1, argv + argc});
  } catch (const minima::ValueError& error) {
    std::fprintf(stderr, "minima-checkpoint: %s; see minima-checkpoint --help\n", error.what());
    return failed;
  }
  try {
    return run(given);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "minima-checkpoint: %s\n", printable(error.what()).c_str());
    return failed;
  }
}
