#include <minima/data/loader/loader.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>

// Misuse of the loader.

namespace minima::data::loader_misuse_test {
namespace {

using minima::test::message_of;

Tensor counting(std::int64_t count) { return arange(count); }

using Numbers = DataLoader<TensorDataset<1>>;

std::unique_ptr<Numbers> numbers(int workers) {
  return std::make_unique<Numbers>(TensorDataset{counting(40)}, LoaderOptions{.batch_size = 4, .workers = workers});
}

template <class Loader>
concept BindsItsFirstBatch = requires(Loader& loader) { std::invoke([](auto&) {}, *loader.begin()); };

TEST(LoaderIterator, TemporaryOneHandsItsBatchOver) {
  // `auto& [x] = *loader.begin();` would name a batch whose slot is free again.
  EXPECT_FALSE(BindsItsFirstBatch<Numbers>);
  const auto loader = numbers(2);
  for (int run = 0; run < 50; ++run) {
    auto [x] = *loader->begin();
    auto&& [y] = *loader->begin();
    for (auto& batch : *loader) static_cast<void>(batch);
    EXPECT_EQ(x.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 2, 3}));
    EXPECT_EQ(y.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 2, 3}));
  }
}

TEST(LoaderIterator, OutlivingItsLoaderIsAnError) {
  for (const int workers : {0, 2}) {
    auto loader = numbers(workers);
    auto it = loader->begin();
    loader.reset();
    EXPECT_EQ(message_of<ValueError>([&] { *it; }), "DataLoader: the iterator has outlived its loader");
    EXPECT_EQ(message_of<ValueError>([&] { ++it; }), "DataLoader: the iterator has outlived its loader");
  }
}

TEST(LoaderIterator, AtTheEndItDisturbsNoLaterLoop) {
  const auto loader = numbers(2);
  std::optional<Numbers::Iterator> first(loader->begin());
  while (!(*first == loader->end())) ++*first;
  auto second = loader->begin();
  EXPECT_EQ(message_of<ValueError>([&] { ++*first; }), "DataLoader: the iterator is at the end of its loop");
  EXPECT_EQ(message_of<ValueError>([&] { **first; }), "DataLoader: the iterator is at the end of its loop");
  first.reset();
  int batches = 0;
  for (; !(second == loader->end()); ++second) ++batches;
  EXPECT_EQ(batches, 10);
}

/// The exit code of a forked child that runs `work`: 42 after an Error about the fork, 0 without one; killed if it
/// hangs.
int exit_of_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(10);
    try {
      work();
    } catch (const Error& error) {
      ::_exit(std::strstr(error.what(), "DataLoader: its worker threads belong to the parent of this forked process")
                  ? 42
                  : 1);
    } catch (...) {
      ::_exit(2);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(LoaderFork, ChildIsToldThatItHasNoWorkers) {
  auto loader = numbers(2);
  for (auto& batch : *loader) static_cast<void>(batch);
  EXPECT_EQ(exit_of_child([&] { loader->begin(); }), 42);
  EXPECT_EQ(exit_of_child([&] { loader.reset(); }), 0);
  EXPECT_EQ(exit_of_child([&] {
              const auto own = numbers(0);
              for (auto& batch : *own) static_cast<void>(batch);
            }),
            0);
  int batches = 0;
  for (auto& batch : *loader) batches += batch[0].defined();
  EXPECT_EQ(batches, 10);
}

TEST(LoaderFork, ChildInsideALoopIsToldToo) {
  const auto loader = numbers(2);
  auto it = loader->begin();
  EXPECT_EQ(exit_of_child([&] { ++it; }), 42);
  EXPECT_EQ(exit_of_child([&] { auto own = std::move(it); }), 0);
  int batches = 0;
  for (; !(it == loader->end()); ++it) ++batches;
  EXPECT_EQ(batches, 10);
}

TEST(LoaderFork, WithoutThreadsItWorksInTheChild) {
  const auto loader = numbers(0);
  for (auto& batch : *loader) static_cast<void>(batch);
  EXPECT_EQ(exit_of_child([&] {
              int batches = 0;
              for (auto& batch : *loader) batches += batch[0].defined();
              if (batches != 10) ::_exit(3);
            }),
            0);
}

struct Stream {
  using Record = std::int64_t;
  bool next(Record&) { return false; }
};
struct Log {
  Stream open(const FetchContext&) const { return {}; }
};

TEST(LoaderOptions, OddOnesAreRefusedBeforeAnythingIsMade) {
  const auto refused = [](LoaderOptions options) {
    return message_of<ValueError>([&] { Numbers(TensorDataset{counting(40)}, options); });
  };
  EXPECT_EQ(refused({.workers = 100000}), "DataLoader: workers must be at most 1024, got 100000");
  EXPECT_EQ(refused({.workers = -1}), "DataLoader: workers must be at least 0, got -1");
  EXPECT_EQ(refused({.prefetch = 1000000000}), "DataLoader: prefetch must be at most 65536, got 1000000000");
  EXPECT_EQ(refused({.prefetch = 0}), "DataLoader: prefetch must be at least 1, got 0");
  EXPECT_EQ(refused({.workers = 1000, .prefetch = 60000}),
            "DataLoader: workers × prefetch must be at most 65536, got 60000000");
  EXPECT_EQ(refused({.device_prefetch = 1000000000}),
            "DataLoader: device_prefetch must be at most 65536, got 1000000000");
  EXPECT_EQ(refused({.batch_size = INT64_MAX}),
            "DataLoader: batch_size must be at most 2147483647, got 9223372036854775807");
  EXPECT_EQ(refused({.batch_size = 1 << 30, .world_size = 4}),
            "DataLoader: batch_size × world_size must be at most 2147483647, got 4294967296");
  EXPECT_EQ(refused({.trace_events = INT64_MAX}),
            "DataLoader: trace_events must be at most 100000000, got 9223372036854775807");
  EXPECT_EQ(refused({.timeout = std::nan("")}), "DataLoader: timeout and grace must not be negative, got nan and 2");
  EXPECT_EQ(message_of<ValueError>([] { DataLoader(Log(), {.batch_size = 1 << 25}); }),
            "DataLoader: batch_size must be at most 16777216, got 33554432");
}

TEST(LoaderOptions, LargeOnesThatMakeSenseWork) {
  int batches = 0;
  Numbers loader(TensorDataset{counting(40)},
                 {.batch_size = INT32_MAX, .workers = 1, .timeout = INFINITY, .grace = INFINITY});
  for (auto& [x] : loader) batches += x.numel() == 40;
  EXPECT_EQ(batches, 1);
}

struct Problem {
  int code = 3;
};
/// Throws what `raise` throws at sample 5.
struct Throwing {
  void (*raise)();
  std::int64_t size() const { return 8; }
  std::int64_t get(std::int64_t index) const {
    if (index == 5) raise();
    return index;
  }
};

TEST(LoaderErrors, WhateverADatasetThrowsArrivesWithItsPlace) {
  struct Case {
    void (*raise)();
    const char* text;
  };
  for (const Case& c : {Case{[] { throw 7; }, "DataLoader: the dataset threw the int 7"},
                        Case{[] { throw "out of ink"; }, "DataLoader: out of ink"},
                        Case{[] { throw std::string("no paper"); }, "DataLoader: no paper"},
                        Case{[] { throw Problem(); }, "Problem, which is not a std::exception"},
                        Case{[] { throw std::runtime_error("too hot"); }, "DataLoader: too hot"}}) {
    for (const int workers : {0, 2}) {
      DataLoader loader(Throwing{c.raise}, {.batch_size = 4, .workers = workers});
      const std::string message = message_of<Error>([&] {
        for (auto& x : loader) static_cast<void>(x);
      });
      EXPECT_CONTAINS(message, c.text);
      EXPECT_CONTAINS(message, "while fetching batch 1 of epoch 0, samples [4, 5, 6, 7]");
    }
  }
}

TEST(LoaderErrors, WhatWasThrownIsNested) {
  DataLoader loader(Throwing{[] { throw Problem{9}; }}, {.batch_size = 4});
  int code = 0;
  try {
    for (auto& x : loader) static_cast<void>(x);
  } catch (const std::exception& error) {
    try {
      std::rethrow_if_nested(error);
    } catch (const Problem& problem) {
      code = problem.code;
    }
  }
  EXPECT_EQ(code, 9);
}

TEST(LoaderErrors, SkippedOnesAreNamed) {
  DataLoader loader(Throwing{[] { throw Problem(); }}, {.batch_size = 4, .on_error = OnError::skip});
  for (auto& x : loader) static_cast<void>(x);
  ASSERT_EQ(loader.faults().size(), 1u);
  EXPECT_CONTAINS(loader.faults()[0], "Problem, which is not a std::exception");
}

}  // namespace
}  // namespace minima::data::loader_misuse_test
