#include <minima/autograd/backward.h>
#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/autograd/hooks.h>
#include <minima/nn/layers/linear.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/threads/parallel.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

// What autograd/engine.h promises about passes that run at once. MINIMA_TEST_PASSES sets how many each thread runs.

namespace minima::threads_test {
namespace {

constexpr int threads = 4;

int passes(int usual) {
  const char* text = std::getenv("MINIMA_TEST_PASSES");
  return text ? std::atoi(text) : usual;
}

/// f(thread) on every thread, all set off at once. An exception is a failure with its text.
template <class F>
void together(F f) {
  std::atomic<int> waiting{threads};
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      set_thread_limit(1);
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      try {
        f(t);
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    });
  for (std::thread& thread : running) thread.join();
}

Tensor leaf(double value) { return full({}, value, {.dtype = DType::float64}).requires_grad(true); }
double count(int each) { return static_cast<double>(threads) * each; }

TEST(ThreadedBackward, AddsUpALeafThatEachGraphUsesOnce) {
  const int n = passes(20000);
  Tensor w = leaf(3);
  together([&](int) {
    for (int i = 0; i < n; ++i) (w * 1.0).backward();
  });
  EXPECT_EQ(w.grad().item<double>(), count(n));
}

TEST(ThreadedBackward, AddsUpALeafThatEachGraphUsesTwice) {
  const int n = passes(20000);
  Tensor w = leaf(3);
  together([&](int) {
    for (int i = 0; i < n; ++i) (w * 1.0 + w * 1.0).backward();
  });
  EXPECT_EQ(w.grad().item<double>(), 2 * count(n));
}

TEST(ThreadedBackward, AddsUpFiftyCallsOfOneLayer) {
  const int n = passes(400);
  nn::Linear layer({.in = 1, .out = 1});
  together([&](int) {
    const Tensor x = ones({1, 1});
    for (int i = 0; i < n; ++i) {
      Tensor y = layer(x);
      for (int k = 1; k < 50; ++k) y = y + layer(x);
      y.backward();
    }
  });
  EXPECT_EQ(layer.weight.grad().item<double>(), 50 * count(n));
  EXPECT_EQ(layer.bias.grad().item<double>(), 50 * count(n));
}

TEST(ThreadedBackward, RunsThroughOneGraphAtOnceIfItIsRetained) {
  const int n = passes(5000);
  Tensor w = leaf(3);
  const Tensor h = w * w;
  const Tensor y = h * w + h;  // derivative 3w² + 2w
  together([&](int t) {
    for (int i = 0; i < n; ++i) {
      if (t % 2 == 0) y.backward({}, true);
      else EXPECT_EQ(grad({y}, {w}, {}, {.retain_graph = true})[0].item<double>(), 33);
    }
  });
  EXPECT_EQ(w.grad().item<double>(), 33 * count(n) / 2);
}

TEST(ThreadedBackward, SharesATrunkThatSavesNothing) {
  const int n = passes(5000);
  Tensor w = leaf(3);
  const Tensor trunk = w + 1.0;
  together([&](int) {
    for (int i = 0; i < n; ++i) (trunk * trunk).backward();
  });
  EXPECT_EQ(w.grad().item<double>(), 8 * count(n));
}

TEST(ThreadedBackward, FreesAGraphOnceOrSaysThatItIsFreed) {
  const int n = passes(2000);
  Tensor w = leaf(3);
  std::atomic<int> done{0}, refused{0};
  for (int i = 0; i < n; ++i) {
    const Tensor y = exp(w * w) * w;
    std::thread other([&] {
      set_thread_limit(1);
      try {
        y.backward();
        ++done;
      } catch (const AutogradError&) {
        ++refused;
      }
    });
    try {
      y.backward();
      ++done;
    } catch (const AutogradError&) {
      ++refused;
    }
    other.join();
  }
  EXPECT_EQ(done + refused, 2 * n);
  EXPECT_GE(done, n);  // one of two at least
}

TEST(ThreadedBackward, LeavesTheGraphOfARetainingPassThatThrows) {
  Tensor w = leaf(3);
  const Tensor h = w * w, y = h * h;
  auto handle = register_hook(h, [](const Tensor&) -> Tensor { throw std::runtime_error("no"); });
  EXPECT_THROW(y.backward({}, true), std::runtime_error);
  handle.remove();
  w.zero_grad();
  y.backward();
  EXPECT_EQ(w.grad().item<double>(), 4 * 27);
  EXPECT_THROW(y.backward(), AutogradError);
}

TEST(ThreadedBackward, DifferentiatesGradientsOfSharedLeaves) {
  const int n = passes(1000);
  Tensor w = leaf(3);
  const Tensor shared = w * w * w;
  together([&](int t) {
    for (int i = 0; i < n; ++i) {
      const Tensor y = t % 2 == 0 ? shared : w * w * w;
      const Tensor slope = grad({y}, {w}, {}, {.create_graph = true})[0];
      EXPECT_EQ(grad({slope}, {w}, {}, {.retain_graph = true})[0].item<double>(), 18);
      slope.backward({}, true);
    }
  });
  EXPECT_EQ(w.grad().item<double>(), 18 * count(n));
}

TEST(ThreadedBackward, CallsHooksThatRunBackwardOnTheSameLeaf) {
  const int n = passes(1000);
  Tensor w = leaf(3);
  std::atomic<int> finished{0};
  auto after = register_post_accumulate_hook(w, [&](const Tensor&) { ++finished; });
  together([&](int) {
    for (int i = 0; i < n; ++i) {
      const Tensor y = w * w;
      register_hook(y, [&](const Tensor& g) {
        EnableGrad guard;
        (w * 5.0 + w * w).backward();
        return g;
      });
      (y + w).backward();
    }
  });
  EXPECT_EQ(w.grad().item<double>(), (6 + 1 + 5 + 6) * count(n));
  EXPECT_EQ(finished, 2 * count(n));
}

TEST(ThreadedBackward, MayMeetHooksThatComeAndGo) {
  const int n = passes(2000);
  Tensor w = leaf(3);
  const Tensor h = w * 2.0;
  std::atomic<int> calls{0};
  together([&](int t) {
    for (int i = 0; i < n; ++i) {
      if (t == 0) {
        auto on_leaf = register_hook(w, [&](const Tensor& g) { return ++calls, g; });
        auto on_node = register_backward_hook(h, [&](std::vector<Tensor>&) { ++calls; });
        h.retain_grad();
        static_cast<void>(h.grad());
        on_leaf.remove();
        on_node.remove();
      } else {
        (h * 1.0 + h).backward({}, true);
      }
    }
  });
  EXPECT_EQ(w.grad().item<double>(), 4 * count(n) * (threads - 1) / threads);
}

TEST(ThreadedBackward, RecomputesACheckpointedRegionForEach) {
  const int n = passes(500);
  Tensor w = leaf(3);
  std::atomic<int> runs{0};
  const Tensor y = checkpoint([&runs, w](const Tensor& x) { return ++runs, exp(x * w) * x; }, w * 1.0);
  const double slope = grad({y}, {w}, {}, {.retain_graph = true})[0].item<double>();
  together([&](int) {
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(grad({y}, {w}, {}, {.retain_graph = true})[0].item<double>(), slope);
      checkpoint([w](const Tensor& x) { return x * w; }, w * 1.0).backward();
    }
  });
  EXPECT_EQ(w.grad().item<double>(), 6 * count(n));
  EXPECT_GT(runs, 1);
}

TEST(ThreadedBackward, ReadsAndResetsGradientsMeanwhile) {
  const int n = passes(5000);
  Tensor w = leaf(3);
  double seen = 0;
  together([&](int t) {
    for (int i = 0; i < n; ++i) {
      if (t == 0) {
        const Tensor g = w.grad();
        EXPECT_TRUE(!g.defined() || g.rank() == 0);
        if (i % 16 == 0) w.zero_grad();
        if (i % 64 == 0) w.set_grad({});
      } else {
        (w * 2.0).backward();
      }
    }
  });
  if (w.grad().defined()) seen = w.grad().item<double>();
  EXPECT_LE(seen, 2 * count(n));
}

TEST(ThreadedBackward, OutlivesTheLeafItRunsTo) {
  const int n = passes(2000);
  std::atomic<int> finished{0};
  for (int i = 0; i < n; ++i) {
    Tensor w = leaf(3);
    register_post_accumulate_hook(
        w, [&](const Tensor& leaf) { finished += leaf.item<double>() == 3 && leaf.grad().defined(); });
    std::atomic<bool> is_running{false};
    std::thread other([&is_running, y = w * w] {
      set_thread_limit(1);
      is_running = true;
      y.backward();
    });
    while (!is_running) std::this_thread::yield();
    w = Tensor();
    other.join();
  }
  EXPECT_LE(finished, n);
}

TEST(ThreadedBackward, UsesAViewWhoseBaseWasChangedInPlace) {
  const int n = passes(500);
  Tensor w = leaf(3);
  for (int i = 0; i < n; ++i) {
    w.zero_grad();
    const Tensor base = w * ones({2}, {.dtype = DType::float64});
    const Tensor view = base[0];
    Tensor other = base[1];
    other *= 2.0;  // now the view's history has to be found through the base, which the first use does
    EXPECT_TRUE((view * 1.0).requires_grad());
    together([&](int) { (view * 1.0).backward({}, true); });
    ASSERT_EQ(w.grad().item<double>(), threads);
  }
}

}  // namespace
}  // namespace minima::threads_test
