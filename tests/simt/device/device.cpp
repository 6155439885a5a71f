#include "tests/simt/device/device.h"

#include <minima/ops/core/on_cuda.h>

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
void note_host_read();
void note_host_read() { reads += simulating; }

}  // namespace detail

namespace test {

OnCpu::OnCpu() : before_(simulating) { simulating = false; }
OnCpu::~OnCpu() { simulating = before_; }
std::int64_t host_reads() { return reads; }
const std::set<std::string>& operators_without_kernel() { return missing(); }

}  // namespace test

}  // namespace minima
