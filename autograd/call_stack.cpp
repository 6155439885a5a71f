#include <minima/autograd/call_stack.h>

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

extern char** environ;

namespace minima::detail {

namespace {

struct Frame {
  std::string object;                ///< the program or library
  std::uintptr_t place = 0;          ///< in its file
  std::string symbol;                ///< what the dynamic linker calls it
  std::vector<std::string> lines{};  ///< what addr2line says: inlined calls first
};

Frame frame_at(const void* return_address) {
  const char* const call =
      static_cast<const char*>(return_address) - 1;  // the call instruction, not its return address
  Dl_info info{};
  link_map* map = nullptr;
  if (!dladdr1(call, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) || !info.dli_fname || !map)
    return {"?", 0, ""};
  Frame frame{info.dli_fname, reinterpret_cast<std::uintptr_t>(call) - map->l_addr, ""};
  if (!*map->l_name) frame.object = "/proc/self/exe";
  if (info.dli_sname) {
    int status = 0;
    char* readable = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
    frame.symbol = status == 0 ? readable : info.dli_sname;
    std::free(readable);
  }
  return frame;
}

/// Returns what a program prints; empty if it does not start.
std::string output_of(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const bool runs = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t count; runs && (count = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(count));
  close(ends[0]);
  if (runs) waitpid(child, nullptr, 0);
  return text;
}

/// addr2line -a prints each address, then a function and a place for each call that was inlined there, then the
/// function itself.
void ask_addr2line(std::string object, const std::vector<Frame*>& frames) {
  if (object == "/proc/self/exe") object = "/proc/" + std::to_string(getpid()) + "/exe";  // "self" would be addr2line
  std::vector<std::string> command{"addr2line", "-a", "-f", "-C", "-i", "-e", object};
  char place[32];
  for (const Frame* frame : frames) {
    std::snprintf(place, sizeof place, "0x%llx", static_cast<unsigned long long>(frame->place));
    command.push_back(place);
  }
  const std::string text = output_of(command);
  std::size_t frame = 0, begin = 0;  // `frame` counts from 1
  std::string function;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with("0x") && function.empty()) {
      ++frame;
    } else if (function.empty()) {
      function = line;
    } else if (frame >= 1 && frame <= frames.size()) {
      const bool has_place = !line.starts_with("??") && !line.ends_with(":?") && !line.ends_with(":0");
      if (function != "??" || has_place)
        frames[frame - 1]->lines.push_back(function + (has_place ? " at " + line.substr(0, line.find(" (")) : ""));
      function.clear();
    }
  }
}

/// The calls that were inlined there, then the function itself.
std::vector<std::string> describe(const Frame& frame) {
  if (!frame.lines.empty()) return frame.lines;
  const std::string file =
      frame.object == "/proc/self/exe" ? "the program" : frame.object.substr(frame.object.rfind('/') + 1);
  char place[32];
  std::snprintf(place, sizeof place, " [+0x%llx]", static_cast<unsigned long long>(frame.place));
  return {frame.symbol.empty() ? file + place : frame.symbol + " in " + file + place};
}

/// From the operator call to main; frames outside that range are dispatch and start-up.
std::vector<std::string> calls_of(const std::vector<const Frame*>& frames) {
  std::vector<std::string> calls;
  for (const Frame* frame : frames) {
    const std::vector<std::string>& lines = frame->lines;
    const bool is_own = !lines.empty() && lines.back().find("minima::detail::") < lines.back().find(" at ");
    if (calls.empty() && is_own && frame != frames.back()) continue;
    for (std::string& line : describe(*frame)) calls.push_back(std::move(line));
    if (!lines.empty() && (lines.back() == "main" || lines.back().starts_with("main at "))) break;
  }
  return calls;
}

constinit thread_local const std::string* cause = nullptr;

/// Without the function that calls this and its caller.
[[gnu::always_inline]] inline std::string innermost_frames() {
  constexpr int most = 32, own_frames = 2;
  void* frames[most];
  const int count = backtrace(&frames[0], most);
  if (count <= own_frames) return {};
  return {reinterpret_cast<const char*>(&frames[own_frames]),
          static_cast<std::size_t>(count - own_frames) * sizeof *frames};
}

}  // namespace

std::string record_stack() { return innermost_frames(); }

CauseOfCalls::CauseOfCalls(const std::string* stack) : before_(std::exchange(cause, stack)) {}
CauseOfCalls::~CauseOfCalls() { cause = before_; }

std::string record_stack_and_causes() {
  std::string stacks = innermost_frames();
  if (cause) stacks.append(sizeof(void*), '\0').append(*cause);
  return stacks;
}

std::vector<std::string> split_causes(const std::string& stacks) {
  const std::string null(sizeof(void*), '\0');
  std::vector<std::string> result(1);
  for (std::size_t i = 0; i + null.size() <= stacks.size(); i += null.size()) {
    if (stacks.compare(i, null.size(), null) == 0) result.emplace_back();
    else result.back().append(stacks, i, null.size());
  }
  return result;
}

std::vector<std::vector<std::string>> describe_stacks(const std::vector<std::string>& stacks) {
  std::map<const void*, Frame> frames;
  std::vector<std::vector<const Frame*>> frames_of;
  for (const std::string& stack : stacks) {
    std::vector<const Frame*>& list = frames_of.emplace_back();
    for (std::size_t i = 0; i + sizeof(void*) <= stack.size(); i += sizeof(void*)) {
      void* address;
      std::memcpy(static_cast<void*>(&address), stack.data() + i, sizeof address);
      const auto [place, is_new] = frames.try_emplace(address);
      if (is_new) place->second = frame_at(address);
      list.push_back(&place->second);
    }
  }
  constexpr std::size_t most = 10'000;  // arguments of a command
  std::map<std::string, std::vector<Frame*>> by_object;
  for (auto& [address, frame] : frames)
    if (auto& list = by_object[frame.object]; list.size() < most) list.push_back(&frame);
  for (const auto& [object, list] : by_object)
    if (object != "?") ask_addr2line(object, list);
  std::vector<std::vector<std::string>> result;
  result.reserve(stacks.size());
  for (const std::vector<const Frame*>& list : frames_of) result.push_back(calls_of(list));
  return result;
}

std::string describe_stack(const std::string& stack) {
  const std::vector<std::vector<std::string>> lines = describe_stacks({stack});
  std::string text;
  for (const std::string& line : lines[0]) text += "\n    " + line;
  return text;
}

}  // namespace minima::detail
