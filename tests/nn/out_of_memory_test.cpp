#include "tests/tensor/memory/caching.h"

#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/threads/parallel.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include <sys/resource.h>

// A program that runs out of memory can free some and continue, even inside the libraries that minima calls.

// ThreadSanitizer reserves address space itself.
#ifdef __SANITIZE_THREAD__
#define REQUIRE_LIMITS() GTEST_SKIP() << "address space cannot be limited under ThreadSanitizer"
#else
#define REQUIRE_LIMITS() REQUIRE_CACHING()
#endif

namespace minima::out_of_memory_test {
namespace {

/// Limits the process to `more` bytes beyond its current address space.
void limit_address_space(std::size_t more) {
  std::size_t pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (!file || std::fscanf(file, "%zu", &pages) != 1) std::_Exit(2);
  std::fclose(file);
  const rlimit limit{pages * 4096 + more, pages * 4096 + more};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(3);
}

/// Allocates blocks of 16 MiB until OutOfMemoryError.
std::vector<Tensor> take_everything() {
  std::vector<Tensor> all;
  try {
    for (;;) all.push_back(empty({4 << 20}));
  } catch (const OutOfMemoryError&) {}
  return all;
}

/// Allocates the rest of malloc's memory, down to blocks of `least` bytes, and never frees it.
void exhaust_malloc(std::size_t least = 1 << 12) {
  for (std::size_t bytes = 1 << 20; bytes >= least; bytes /= 2)
    while (void* block = std::malloc(bytes)) *static_cast<volatile char*>(block) = 0;
}

/// Makes oneDNN generate its code, which it cannot do without memory.
void generate_code() {
  // Rows of 250 elements do not compete in the cache, so that oneDNN multiplies them as they are.
  for (const std::int64_t size : {64, 250}) matmul(ones({size, size}), ones({size, size}));
  conv2d(ones({2, 8, 32, 32}), ones({16, 8, 3, 3}));
}

/// In a child process, allocates all memory and frees it into minima's caches. Then `work` must succeed.
void expect_recovery(const std::function<bool()>& warm, const std::function<bool()>& work,
                     std::size_t least = 1 << 12) {
  REQUIRE_LIMITS();
  generate_code();
  EXPECT_EXIT(
      {
        set_num_threads(1);
        limit_address_space(std::size_t{600} << 20);
        if (take_everything().size() < 20) std::_Exit(4);
        if (!warm()) std::_Exit(5);
        exhaust_malloc(least);
        try {
          std::_Exit(work() ? 0 : 6);
        } catch (const std::exception& error) {
          std::fprintf(stderr, "%s\n", error.what());
          std::_Exit(7);
        }
      },
      testing::ExitedWithCode(0), "");
}

TEST(OutOfMemory, IsOvercomeInsideAMatrixProduct) {
  const Tensor x = ones({250, 250});
  Tensor y;
  expect_recovery([&] { return (y = empty({250, 250})).defined() && !(y = Tensor()).defined(); },
                  [&] { return sum(matmul(x, x)).item<float>() == 250.0f * 250 * 250; });
}

TEST(OutOfMemory, IsOvercomeInsideAConvolution) {
  const Tensor x = ones({2, 8, 32, 32}), w = ones({16, 8, 3, 3});
  Tensor y;
  // Smaller blocks are left, but for no object of oneDNN's: those have more than 512 bytes.
  for (const std::size_t least : {4096, 512})
    expect_recovery([&] { return (y = empty({2, 16, 30, 30})).defined() && !(y = Tensor()).defined(); },
                    [&] { return conv2d(x, w).numel() == 2 * 16 * 30 * 30; }, least);
}

TEST(OutOfMemory, IsOvercomeInsideAContainer) {
  expect_recovery([] { return true; }, [] { return std::vector<char>(64 << 20).size() > 0; });
}

TEST(OutOfMemory, InsideALibraryIsOurs) {
  REQUIRE_LIMITS();
  generate_code();
  const Tensor x = ones({250, 250});
  EXPECT_EXIT(
      {
        set_num_threads(1);
        limit_address_space(std::size_t{200} << 20);
        const std::vector<Tensor> held = take_everything();
        Tensor y = empty({250, 250});
        y = Tensor();
        exhaust_malloc();
        try {
          y = matmul(x, x);
          std::_Exit(1);
        } catch (const OutOfMemoryError& error) {
          std::fprintf(stderr, "%s\n", error.what());
          std::_Exit(0);
        }
      },
      testing::ExitedWithCode(0), "out of memory on cpu: .*allocated.*limit");
}

}  // namespace
}  // namespace minima::out_of_memory_test
