#include <minima/data/loader/job_trace.h>

#include <minima/tensor/base/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace minima::data {

namespace {

std::string track_name(int track) {
  return track == Trace::copy_track ? "copy to device" : track == Trace::loop_track ? "loop" : str("worker ", track);
}

}  // namespace

void Trace::add(const char* what, int track, std::int64_t batch, Clock::time_point begin, Clock::time_point end) {
  if (used_.load(std::memory_order_relaxed) >= events_.size()) return;
  const std::size_t at = used_.fetch_add(1, std::memory_order_relaxed);
  if (at < events_.size()) events_[at] = {what, track, batch, begin, end};
}

std::string Trace::text() const {
  const std::size_t count = std::min(used_.load(), events_.size());
  std::set<int> tracks;
  std::string out = "{\"traceEvents\":[";
  const char* separator = "\n";
  const auto microseconds = [](Clock::duration time) { return 1e6 * seconds(time); };
  for (std::size_t i = 0; i < count; ++i) {
    const Event& event = events_[i];
    tracks.insert(event.track);
    out += str(separator, "{\"ph\":\"X\",\"pid\":1,\"tid\":", event.track + 3, ",\"name\":\"", event.what,
               "\",\"ts\":", microseconds(event.begin - start_), ",\"dur\":", microseconds(event.end - event.begin),
               ",\"args\":{\"batch\":", event.batch, "}}");
    separator = ",\n";
  }
  for (const int track : tracks) {
    out += str(separator, "{\"ph\":\"M\",\"pid\":1,\"tid\":", track + 3,
               ",\"name\":\"thread_name\",\"args\":{\"name\":\"", track_name(track), "\"}}");
    separator = ",\n";
  }
  return out + "\n]}\n";
}

}  // namespace minima::data
