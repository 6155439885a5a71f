#include <minima/train/progress.h>

#include <minima/tensor/base/format.h>

#include <minima/io/text/columns.h>
#include <minima/tensor/base/check_option.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

namespace minima {

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string duration_text(double seconds) {
  char text[32];
  const long whole = std::lround(seconds);
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

/// Ignores write errors: a broken display must not stop the training.
void write_all(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(descriptor, text.data() + done, text.size() - done);
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace

Progress::Progress(std::int64_t total, ProgressOptions options)
    : options_(std::move(options)),
      total_(total),
      terminal_(isatty(options_.descriptor) == 1),
      start_(now()),
      last_drawn_(start_) {
  detail::check_number("Progress", "plain_interval", options_.plain_interval,
                       {.low = 0, .has_low = true, .has_high = true});
}

void Progress::finish() {
  if (terminal_ && drawn_) write_all(options_.descriptor, "\n");
  drawn_ = false;
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
  if (terminal_) {
    write_all(options_.descriptor, str("\r", terminal_line(), "\x1b[K"));
    return;
  }
  const std::string label = options_.label.empty() ? "" : options_.label + "  ";
  const std::string text = text_.empty() ? "" : text_ + "  ";
  write_all(options_.descriptor, str(label, counts(), " ", options_.unit, "  ", text, rate_text(rate()), " ",
                                     options_.unit, "/s  ", time_text(), "\n"));
}

std::string Progress::counts() const { return std::to_string(done_) + "/" + std::to_string(total_); }

std::string Progress::time_text() const {
  const double speed = rate();
  if (done_ >= total_ || speed <= 0) return duration_text(seconds());
  return "ETA " + duration_text(static_cast<double>(total_ - done_) / speed);
}

/// Leaves the last column free, because a character there makes some terminals wrap. If not everything fits, drops the
/// rate first, then the bar, the label and the time; counts and text stay.
std::string Progress::terminal_line() const {
  constexpr std::size_t least_bar = 4, widest_bar = 30;
  const auto room = static_cast<std::size_t>(std::max(columns_of(options_.descriptor) - 1, 1));
  std::string label = options_.label, speed = rate_text(rate()) + " " + options_.unit + "/s", time = time_text();
  const auto line_with = [&](const std::string& bar) {
    std::string line;
    for (const std::string& part : {label, bar, counts(), text_, speed, time})
      if (!part.empty()) line += (line.empty() ? "" : "  ") + part;
    return line;
  };
  if (width_of(line_with("")) + 2 + least_bar > room) speed.clear();
  for (std::string* part : {&label, &time}) {
    if (width_of(line_with("")) <= room) break;
    part->clear();
  }
  const std::size_t taken = width_of(line_with("")) + 2;
  if (taken + least_bar > room) return first_columns(line_with(""), room);
  const std::size_t length = std::min(room - taken, widest_bar);
  const double fraction = total_ > 0 ? std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_)) : 1;
  const auto filled = static_cast<std::size_t>(std::lround(fraction * static_cast<double>(length)));
  std::string bar;
  for (std::size_t i = 0; i < length; ++i) bar += i < filled ? "█" : "░";
  return line_with(bar);
}

}  // namespace minima
