#include <minima/tensor/philox_state.h>

namespace minima {

namespace {
constinit thread_local PhiloxCapture* capture = nullptr;
}

PhiloxCapture::PhiloxCapture(const std::uint64_t* device_offset) : device_offset_(device_offset), previous_(capture) {
  capture = this;
}

PhiloxCapture::~PhiloxCapture() {
  capture = previous_;
}

PhiloxState reserve_philox(Generator& generator, std::uint64_t counters) {
  if (!capture) {
    const Generator::Position start = generator.reserve(counters);
    return {start.seed, start.offset, nullptr};
  }
  const PhiloxState state{generator.state().seed, capture->used_, capture->device_offset_};
  capture->used_ += counters;
  return state;
}

PhiloxState reserve_philox(Generator& generator, std::uint64_t counters, Device device) {
  if (device.is_cuda()) return reserve_philox(generator, counters);
  const Generator::Position start = generator.reserve(counters);
  return {start.seed, start.offset, nullptr};
}

}  // namespace minima
