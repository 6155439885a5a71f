#include <minima/tensor/device/stream.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/cuda/devices.h>

// Constructing a stream throws, so the other members are never called.

namespace minima {

namespace {

detail::StreamState* none(Device device) {
  cuda::properties(device.index);  // throws the reason
  return nullptr;
}

}  // namespace

Stream::Stream(Device device) : state_(none(device)) {}
Stream Stream::create(Device device, int) { return Stream(none(device)); }
Stream Stream::wrap(void*, Device device) { return Stream(none(device)); }
Device Stream::device() const { return {}; }
void* Stream::handle() const { return nullptr; }
int Stream::id() const { return 0; }
void Stream::synchronize() const {}
bool Stream::is_idle() const { return true; }
void Stream::wait(const Event&) const {}

Stream current_stream(Device device) { return Stream(none(device)); }
DeviceGuard::DeviceGuard(Device device) : previous_(0) {
  if (device.is_cuda()) none(device);
}
DeviceGuard::~DeviceGuard() = default;

StreamGuard::StreamGuard(Stream stream) : previous_(stream), previous_device_(0) {}
StreamGuard::~StreamGuard() = default;

Event::Event(Event&& other) noexcept : timing_(other.timing_), sleeps_(other.sleeps_) {}
Event& Event::operator=(Event&& other) noexcept {
  timing_ = other.timing_;
  sleeps_ = other.sleeps_;
  return *this;
}
Event::~Event() = default;
void Event::record(Stream) {}
bool Event::is_done() const { return true; }
void Event::synchronize() const {}
float Event::since(const Event&) const { return 0; }

void detail::follow(Stream, Stream) noexcept {}

void synchronize(Device device) {
  if (device.is_cuda()) none(device);
}

}  // namespace minima
