// minima-top shows the trainings of this user that run a train::Monitor: on a terminal it redraws, in a pipe it prints
// them once.

#include "screen.h"

#include <minima/train/monitor/run_status.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <thread>

namespace {

constexpr const char* usage =
    "usage: minima-top [--once] [--folder FOLDER] [--help]\n"
    "\n"
    "Shows this user's running trainings: step, loss, rate, time left, and the machine's load. Ctrl-C ends it.\n"
    "\n"
    "  --once            print once and end, as in a pipe\n"
    "  --folder FOLDER   where the runs leave their status; by default minima's own folder\n";

volatile std::sig_atomic_t stopped = 0;
void stop(int) { stopped = 1; }

std::size_t columns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 200;
}

/// A screen of its own, without a cursor, until it is destroyed.
struct Screen {
  Screen() { std::printf("\x1b[?1049h\x1b[?25l"); }
  Screen(const Screen&) = delete;
  ~Screen() {
    std::printf("\x1b[?25h\x1b[?1049l");
    std::fflush(stdout);
  }
};

void watch(const std::string& folder) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, stop);
  const Screen screen;
  while (!stopped) {
    std::printf("\x1b[H\x1b[J%s", screen_of(minima::train::running(folder), columns()).c_str());
    std::fflush(stdout);
    for (int i = 0; i < 10 && !stopped; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder = minima::train::status_folder();
  bool once = isatty(STDOUT_FILENO) == 0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--once") == 0) {
      once = true;
    } else if (std::strcmp(argv[i], "--folder") == 0 && i + 1 < argc) {
      folder = argv[++i];
    } else if (std::strcmp(argv[i], "--help") == 0 || std::strcmp(argv[i], "-h") == 0) {
      std::printf("%s", usage);
      return 0;
    } else {
      std::fprintf(stderr, "minima-top: unknown argument %s; see minima-top --help\n", argv[i]);
      return 2;
    }
  }
  try {
    if (once) std::printf("%s", screen_of(minima::train::running(folder), 200).c_str());
    else watch(folder);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "minima-top: %s\n", error.what());
    return 1;
  }
}
