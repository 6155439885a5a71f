#include <minima/train/progress.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace minima {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string duration_text(double seconds) {
  char text[32];
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole >= 3600) std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  else std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
  return text;
}

std::string rate_text(double rate) {
  char text[32];
  std::snprintf(text, sizeof text, rate < 10 ? "%.2f" : "%.0f", rate);
  return text;
}

int columns_of(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// A display that cannot be written to is no reason to stop the work.
void write_all(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(descriptor, text.data() + done, text.size() - done);
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

/// How many terminal columns UTF-8 text without wide characters takes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

Progress::Progress(std::int64_t total, ProgressOptions options)
    : options_(std::move(options)), total_(total), terminal_(isatty(options_.descriptor) == 1), start_(now()),
      last_drawn_(start_) {}

Progress::~Progress() {
  if (terminal_ && drawn_) write_all(options_.descriptor, "\n");
}

double Progress::seconds() const { return now() - start_; }

double Progress::rate() const {
  const double passed = seconds();
  return passed > 0 ? static_cast<double>(done_ - skipped_) / passed : 0;
}

bool Progress::is_due() const { return now() - last_drawn_ >= (terminal_ ? 0.1 : options_.plain_interval); }

void Progress::skip(std::int64_t count) {
  done_ += count;
  skipped_ += count;
}

void Progress::advance(std::int64_t count, const std::string& text) {
  done_ += count;
  if (!text.empty()) text_ = text;
  const bool finished = done_ >= total_;
  if (is_due() || (finished && terminal_)) draw();
}

void Progress::draw() {
  last_drawn_ = now();
  drawn_ = true;
  const double fraction = total_ > 0 ? std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_)) : 1;
  const double speed = rate();
  std::string facts = text_;
  if (!facts.empty()) facts += "  ";
  facts += rate_text(speed) + " " + options_.unit + "/s";
  if (done_ < total_ && speed > 0) facts += "  ETA " + duration_text(static_cast<double>(total_ - done_) / speed);
  else facts += "  " + duration_text(seconds());

  const std::string counts = std::to_string(done_) + "/" + std::to_string(total_);
  const std::string head = options_.label.empty() ? "" : options_.label + "  ";
  std::string line;
  if (!terminal_) {
    line = head + counts + " " + options_.unit + "  " + facts + "\n";
  } else {
    const auto columns = static_cast<std::size_t>(columns_of(options_.descriptor));
    const std::size_t taken = width_of(head) + width_of(counts) + width_of(facts) + 6;
    const std::size_t room = columns > taken ? std::min<std::size_t>(columns - taken, 30) : 0;
    std::string bar;
    const auto filled = static_cast<std::size_t>(fraction * static_cast<double>(room) + 0.5);
    for (std::size_t i = 0; i < room; ++i) bar += i < filled ? "█" : "░";
    line = "\r" + head + bar + (room > 0 ? " " : "") + counts + "  " + facts + "\x1b[K";
  }
  write_all(options_.descriptor, line);
}

}  // namespace minima
