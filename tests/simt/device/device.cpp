#include "tests/simt/device/device.h"

#include "tests/simt/harness/simt.h"

#include <minima/ops/core/on_cuda.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/transfer.h>
#include <minima/tensor/zero_memory.h>

#include <cstring>

namespace minima {

namespace {

bool simulating = true;
std::int64_t reads = 0;

std::set<std::string>& missing() {
  static std::set<std::string> operators;
  return operators;
}

}  // namespace

namespace detail {

bool simulates_cuda() { return simulating; }
void note_missing_kernel(const char* op) { missing().insert(op); }

/// Replaces tensor/on_host.cpp: everything is in CPU memory already.
Tensor on_host(const Tensor& x) {
  reads += simulating;
  return x;
}

/// Replaces tensor/zero_memory.cpp. A recording notes the memset, as CUDA's does.
void zero_memory(const Tensor& x) {
  if (!x.layout().is_dense()) throw ShapeError(str("zero_memory: ", x, " is not dense"));
  const auto bytes = static_cast<std::size_t>(x.numel()) * x.itemsize();
  if (bytes == 0) return;
  void* const data = x.raw_data();
  simt::Recording* const recording = simulating ? simt::recording() : nullptr;
  if (recording) recording->note([data, bytes] { std::memset(data, 0, bytes); });
  else std::memset(data, 0, bytes);
  x.impl()->storage->bump_version();
}

Tensor zeroed(const Shape& shape, TensorOptions options) {
  Tensor result = empty(shape, options);
  zero_memory(result);
  return result;
}

}  // namespace detail

namespace test {

OnCpu::OnCpu() : before_(simulating) { simulating = false; }
OnCpu::~OnCpu() { simulating = before_; }
std::int64_t host_reads() { return reads; }
const std::set<std::string>& operators_without_kernel() { return missing(); }

}  // namespace test

}  // namespace minima
