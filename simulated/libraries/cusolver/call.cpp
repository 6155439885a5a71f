#include "simulated/libraries/cusolver/call.h"

#include <cstring>
#include <limits>

namespace simulated {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double Stored::at(std::int64_t i, std::int64_t j) const {
  const char* const from = address + static_cast<std::size_t>(j * ld + i) * element();
  if (is_double) {
    double value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  float value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

void Stored::set(std::int64_t i, std::int64_t j, double value) const {
  char* const to = address + static_cast<std::size_t>(j * ld + i) * element();
  const auto rounded = static_cast<float>(value);
  if (is_double) std::memcpy(to, &value, sizeof value);
  else std::memcpy(to, &rounded, sizeof rounded);
}

Dense Stored::load() const {
  Dense y(m, n, is_double ? Real::twice : Real::single);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < m; ++i) y(i, j) = at(i, j);
  return y;
}

void Stored::store(const Dense& from) const {
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < m; ++i) set(i, j, from(i, j));
}

void Stored::spoil() const {
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < m; ++i) set(i, j, nan);
}

void Stored::spoil(bool upper) const {
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < m; ++i)
      if (upper ? j > i : j < i) set(i, j, nan);
}

std::vector<double> load_vector(const Stored& from) { return from.load().values; }

void store_vector(const Stored& to, const std::vector<double>& values) {
  for (std::int64_t i = 0; i < to.m; ++i) to.set(i, 0, values[static_cast<std::size_t>(i)]);
}

cudaError_t submit_dense(const Call& call, const DenseHandle& handle, const char* function,
                         const std::vector<Access>& accesses, double flops, bool is_double, std::function<void()> run) {
  CUstream_st* const stream = call.stream(handle.stream);
  if (!stream || stream->device != handle.device) return cudaErrorInvalidResourceHandle;
  Work work{.name = function,
            .device = handle.device,
            .cost = {.kind = WorkKind::product,
                     .arithmetic = is_double ? Arithmetic::float64 : Arithmetic::float32,
                     .flops = flops}};
  for (const Access& access : accesses)
    if (access.bytes > 0) {
      work.accesses.push_back(access);
      work.cost.bytes_read += static_cast<double>(access.bytes);
    }
  work.run = [&machine = call.machine, device = handle.device, all = work.accesses, run = std::move(run)] {
    for (const Access& access : all)
      if (!machine.memory.is_accessible(device, access.address, access.bytes))
        throw DeviceFault{cudaErrorIllegalAddress};
    run();
  };
  return call.machine.submit(*stream, std::move(work));
}

bool is_of_current_device(const Call& call, const DenseHandle& handle, const char* function) {
  if (handle.device == call.thread.device) return true;
  report(std::string(function) + ": the handle belongs to cuda:" + std::to_string(handle.device) +
         ", the current device is cuda:" + std::to_string(call.thread.device));
  return false;
}

}  // namespace simulated
