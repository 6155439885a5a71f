#include <minima/tensor/random/philox_state.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/random/random_tape.h>

#include <cstdint>

namespace minima {

namespace {
constinit thread_local PhiloxCapture* capture = nullptr;
}

PhiloxCapture::PhiloxCapture(const std::uint64_t* device_offset)
    : device_offset_(device_offset), scope_(capture, this) {}

PhiloxState reserve_philox(RandomGenerator& generator, std::uint64_t counters) {
  if (!capture) {
    const RandomGenerator::Position start = generator.reserve(counters);
    return {start.seed, start.offset, nullptr};
  }
  if (detail::capture_scope && &generator != &default_generator())
    throw CaptureError(
        "a captured step draws from a non-default generator, which replays would not advance; use the default "
        "generator");
  return detail::draw(counters, [&] {
    const PhiloxState state{generator.state().seed, capture->used_, capture->device_offset_};
    capture->used_ += counters;
    return state;
  });
}

PhiloxState reserve_philox(RandomGenerator& generator, std::uint64_t counters, Device device) {
  if (device.is_cuda() || detail::is_captured(device)) return reserve_philox(generator, counters);
  const RandomGenerator::Position start = generator.reserve(counters);
  return {start.seed, start.offset, nullptr};
}

}  // namespace minima
