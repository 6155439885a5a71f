#include "simulated/tests/library/library.h"

#include "simulated/census/census.h"

#include <minima/ops/complex/complex.h>
#include <minima/ops/fft/fft.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/device/capture.h>
#include <minima/train/captured_step/captured_step.h>
#include <minima/train/captured_step/graph_driver.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

// minima's Fourier transforms on the simulated cuFFT: what is asked of it, plans, failures, captures.

namespace minima::cufft_test {
namespace {

class SimulatedLibraryCufft : public LibraryOnSimulatedGpus {};

std::int64_t executions() {
  std::int64_t count = 0;
  for (const auto& [name, calls] : simulated::calls())
    if (name.starts_with("cufftExec")) count += calls;
  return count;
}
std::int64_t plans() { return simulated::calls("cufftMakePlanMany64"); }

using Function = std::function<Tensor(const Tensor&)>;

Tensor numbers(const Tensor& y) { return is_complex(y) ? view_as_real(y) : y; }

/// On the GPU it computes what it computes on the CPU, in this many calls of cuFFT.
void expect_calls(const Function& f, const Tensor& x, std::int64_t calls, const std::string& what) {
  const std::int64_t before = executions();
  const Tensor y = f(x.to(first_gpu));
  EXPECT_EQ(executions() - before, calls) << what;
  EXPECT_TRUE(allclose(numbers(y).to(Device::cpu()), numbers(f(x)), {.rtol = 1e-4, .atol = 1e-4})) << what;
}

TEST_F(SimulatedLibraryCufft, ComputesEveryTransform) {
  const Tensor real = randn({3, 4, 5, 6}), z = complex(real, randn({3, 4, 5, 6}));
  for (const int dim : {0, 1, 3}) {
    const std::string what = "dimension " + std::to_string(dim);
    expect_calls([=](const Tensor& x) { return fft::fft(x, {.dim = dim}); }, z, 1, "fft, " + what);
    expect_calls([=](const Tensor& x) { return fft::ifft(x, {.dim = dim}); }, z, 1, "ifft, " + what);
    expect_calls([=](const Tensor& x) { return fft::rfft(x, {.dim = dim}); }, real, 1, "rfft, " + what);
    expect_calls([=](const Tensor& x) { return fft::irfft(x, {.dim = dim}); }, z, 1, "irfft, " + what);
    expect_calls([=](const Tensor& x) { return fft::hfft(x, {.dim = dim}); }, z, 1, "hfft, " + what);
    expect_calls([=](const Tensor& x) { return fft::ihfft(x, {.dim = dim}); }, real, 1, "ihfft, " + what);
  }
  expect_calls([](const Tensor& x) { return fft::fft2(x); }, z, 1, "two dimensions at once");
  expect_calls([](const Tensor& x) { return fft::fftn(x, {.dims = Shape{0, 1}}); }, z, 1, "the first two");
  expect_calls([](const Tensor& x) { return fft::fftn(x, {.dims = Shape{3, 0, 2}}); }, z, 1, "three, any");
  expect_calls([](const Tensor& x) { return fft::fftn(x); }, z, 2, "four: three and one");
  expect_calls([](const Tensor& x) { return fft::rfftn(x); }, real, 2, "half spectra, then the others");
  expect_calls([](const Tensor& x) { return fft::irfftn(x); }, z, 2, "the others, then half spectra");
  expect_calls([](const Tensor& x) { return fft::fft(transpose(x, 0, 3), {.dim = 2}); }, z, 1, "strided");
  expect_calls([](const Tensor& x) { return fft::rfft(narrow(x, 0, 1, 2), {.n = 4}); }, randn({3, 5}), 1,
               "at an odd place");
  expect_calls([](const Tensor& x) { return fft::fft(x, {.n = 1}); }, z, 0, "of one point");
  expect_calls([](const Tensor& x) { return fft::fft(x); }, z.to(complex128), 1, "complex128");
  expect_calls([](const Tensor& x) { return fft::rfft(x); }, real.to(float64), 1, "float64");
  expect_calls([](const Tensor& x) { return fft::irfft(x); }, z.to(complex128), 1, "complex128 to float64");
}

TEST_F(SimulatedLibraryCufft, KeepsPlansForEachDevice) {
  const Tensor x = randn({7, 11});
  for (const Device device : {first_gpu, second_gpu}) {
    const std::int64_t before = plans();
    for (int i = 0; i < 3; ++i) fft::rfft(x.to(device));
    EXPECT_EQ(plans() - before, 1);
    fft::rfft(randn({8, 11}).to(device));
    EXPECT_EQ(plans() - before, 2) << "another batch";
  }
}

TEST_F(SimulatedLibraryCufft, ForgetsTheOldestPlans) {
  const std::int64_t destroyed = simulated::calls("cufftDestroy");
  for (int n = 2; n < 280; ++n) fft::fft(zeros({n}, {.device = second_gpu}));
  EXPECT_GT(simulated::calls("cufftDestroy"), destroyed);
  const std::int64_t before = plans();
  fft::fft(zeros({279}, {.device = second_gpu}));
  EXPECT_EQ(plans(), before);
  fft::fft(zeros({2}, {.device = second_gpu}));
  EXPECT_EQ(plans(), before + 1);
}

TEST_F(SimulatedLibraryCufft, FailuresNameTheCall) {
  const Tensor x = randn({3, 13}, {.device = first_gpu});
  simulated::fail_call("cufftMakePlanMany64", 1, 2);
  EXPECT_NO_THROW(fft::rfft(x)) << "memory was free after all";
  for (const auto& [call, name] : {std::pair{"cufftCreate", "cufftCreate"},
                                   std::pair{"cufftMakePlanMany64", "cufftMakePlanMany64: CUFFT_INTERNAL_ERROR"},
                                   std::pair{"cufftExecR2C", "cufftExec: CUFFT_INTERNAL_ERROR"}}) {
    const Tensor fresh = randn({3, 17}, {.device = first_gpu});
    simulated::fail_call(call, 1, 5);
    try {
      fft::rfft(fresh);
      ADD_FAILURE() << call;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
  EXPECT_NO_THROW(fft::rfft(x));
}

TEST_F(SimulatedLibraryCufft, StreamsAndThreadsShareAPlan) {
  const Tensor x = randn({5, 9});
  const Tensor expected = numbers(fft::fft(x));
  EXPECT_EQ(failures([&] {
              std::vector<Tensor> results(3);
              std::vector<std::thread> threads;
              for (Tensor& result : results)
                threads.emplace_back([&] {
                  const StreamGuard guard(Stream::create(first_gpu));
                  result = numbers(fft::fft(x.to(first_gpu))).to(Device::cpu());
                });
              for (std::thread& thread : threads) thread.join();
              bool all = true;
              for (const Tensor& result : results)
                all = all && allclose(result, expected, {.rtol = 1e-4, .atol = 1e-4});
              return all;
            }),
            0);
}

TEST_F(SimulatedLibraryCufft, CapturedStepsReplay) {
  const Tensor x = randn({4, 18}, {.device = first_gpu});
  const auto body = [](const Tensor& input) { return fft::irfft(fft::rfft(input * 2.0)); };
  const auto expected = body(x).to_vector<float>();
  train::CapturedStep step(body);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(step(x).to_vector<float>(), expected) << "call " << i;
  EXPECT_EQ(step.reason(), "");
  EXPECT_GE(step.counts().replayed, 1);
}

/// Making a plan allocates memory, so the step that asks for it runs eagerly instead of breaking the capture.
TEST_F(SimulatedLibraryCufft, ACaptureRefusesANewPlan) {
  const Tensor x = randn({2, 19}, {.device = first_gpu});
  train::GraphDriver& driver = train::cuda_graphs();
  driver.enter(first_gpu);
  driver.begin(first_gpu, 50);
  try {
    const detail::CaptureScope scope(first_gpu);
    fft::rfft(x);
    ADD_FAILURE() << "no error";
  } catch (const CaptureError& error) {
    EXPECT_NE(std::string(error.what()).find("cuFFT has no plan yet for 2 transforms of 19"), std::string::npos)
        << error.what();
  }
  driver.end(first_gpu);
  driver.leave(first_gpu);
  driver.release_pool(first_gpu, 50);
  EXPECT_NO_THROW(fft::rfft(x));
}

TEST_F(SimulatedLibraryCufft, CensusTellsFlopsAndBytes) {
  const Tensor z = complex(randn({3, 32}), randn({3, 32})).to(first_gpu);
  synchronize(first_gpu);
  const simulated::Census census;
  fft::fft(z);
  synchronize(first_gpu);
  int found = 0;
  for (const simulated::Piece& piece : census.pieces()) {
    if (piece.name != "cufftExecC2C") continue;
    ++found;
    EXPECT_EQ(piece.cost.flops, 5.0 * 3 * 32 * 5);
    EXPECT_EQ(piece.cost.bytes(), 2.0 * 3 * 32 * 8);
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace minima::cufft_test
