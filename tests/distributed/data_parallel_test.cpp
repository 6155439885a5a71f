#include "tests/distributed/processes.h"
#include "tests/support/temporary_folder.h"

#include <minima/amp/grad_scaler.h>
#include <minima/distributed/backends/gloo_backend.h>
#include <minima/distributed/data_parallel.h>
#include <minima/distributed/functional.h>
#include <minima/distributed/in_process.h>
#include <minima/minima.h>

#include <minima/tensor/base/format.h>
#include <minima/tensor/device/observer.h>

#include <limits>

// Training by several ranks is compared with one process on the whole batch, which every rank also runs.

namespace minima::distributed::data_parallel_test {
namespace {

using test::message_of;
using test::require;

struct Net : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 6, .out = 16}));
  nn::Linear b = child("b", nn::Linear({.in = 16, .out = 16}));
  nn::Linear c = child("c", nn::Linear({.in = 16, .out = 3}));
  bool skip_b = false;
  Tensor forward(const Tensor& x) override {
    const Tensor h = tanh(a(x));
    return c(skip_b ? h : tanh(b(h)));
  }
};

struct NormNet : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 6, .out = 8}));
  nn::BatchNorm1d norm = child("norm", nn::BatchNorm1d({.features = 8}));
  nn::Linear c = child("c", nn::Linear({.in = 8, .out = 3}));
  Tensor forward(const Tensor& x) override { return c(relu(norm(a(x)))); }
};

constexpr std::int64_t per_rank = 5;

/// Sample i of a made-up task, the same in every process.
Tensor inputs(std::int64_t from, std::int64_t to) {
  std::vector<float> values;
  for (std::int64_t i = from * 6; i < to * 6; ++i) values.push_back(static_cast<float>((i * 7919) % 101) / 50 - 1);
  return from_vector(values, {to - from, 6});
}

Tensor loss_of(nn::Module& net, const Tensor& x) {
  const Tensor y = net(x);
  return mean(y * y) + mean(y);
}

/// Rank r's samples of step s, and those of all.
Tensor share(const ProcessGroup& group, std::int64_t step) {
  const std::int64_t first = (step * group.size() + group.rank()) * per_rank;
  return inputs(first, first + per_rank);
}
Tensor whole(const ProcessGroup& group, std::int64_t step) {
  return inputs(step * group.size() * per_rank, (step + 1) * group.size() * per_rank);
}

void expect_close(const nn::ModuleBase& net, const nn::ModuleBase& reference, bool gradients, double tolerance) {
  const auto ours = net.named_parameters(), theirs = reference.named_parameters();
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const Tensor a = gradients ? ours[i].tensor.grad() : ours[i].tensor.detach();
    const Tensor b = gradients ? theirs[i].tensor.grad() : theirs[i].tensor.detach();
    require(a.defined() == b.defined(), ours[i].name + " has a gradient in both or in none");
    if (!a.defined()) continue;
    const double worst = max(abs(a.to(float64) - b.to(float64))).item<double>();
    require(worst <= tolerance,
            str(ours[i].name, gradients ? "'s gradient" : "", " differs from one process's by ", worst));
  }
}

/// Every bit of every gradient is rank 0's.
void expect_same_bits(const nn::ModuleBase& net, const ProcessGroup& group) {
  for (const auto& [name, parameter] : net.named_parameters()) {
    if (!parameter.grad().defined()) continue;
    const std::vector<float> all = group.all_gather(contiguous(parameter.grad())).result().to_vector<float>();
    const std::size_t count = all.size() / static_cast<std::size_t>(group.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      require(all[i] == all[i % count],
              str(name, ": gradient ", i % count, " of rank ", i / count, " is not rank 0's"));
  }
}

DataParallelOptions small_buckets() { return {.first_bucket_bytes = 100, .bucket_bytes = 600}; }

void check_training(ProcessGroup& group) {
  Net net;  // every rank starts with other values
  DistributedDataParallel parallel(net, group, small_buckets());
  require(parallel.buckets().size() > 2 && parallel.buckets()[0].parameters[0] == "c.bias",
          "buckets start from the end");
  Net reference = nn::clone(net);
  optim::SGD sgd(net.parameters(), {.lr = 0.1, .momentum = 0.9}),
      alone(reference.parameters(), {.lr = 0.1, .momentum = 0.9});
  for (int step = 0; step < 5; ++step) {
    sgd.zero_grad();
    alone.zero_grad();
    loss_of(net, share(group, step)).backward();
    loss_of(reference, whole(group, step)).backward();
    expect_close(net, reference, true, 1e-6);
    expect_same_bits(net, group);
    optim::clip_grad_norm_(net.parameters(), 0.5);
    optim::clip_grad_norm_(reference.parameters(), 0.5);
    sgd.step();
    alone.step();
  }
  expect_close(net, reference, false, 1e-5);
}

void check_accumulation(ProcessGroup& group) {
  Net net;
  DistributedDataParallel parallel(net, group, small_buckets());
  Net reference = nn::clone(net);
  for (int round = 0; round < 2; ++round) {
    net.zero_grad();
    reference.zero_grad();
    {
      const auto guard = parallel.no_sync();
      loss_of(net, share(group, 0)).backward();
    }
    const Tensor loss = loss_of(net, share(group, 1)) + loss_of(net, share(group, 2));  // the module twice in one graph
    loss.backward({}, true);
    for (int part = 0; part < 3; ++part) loss_of(reference, whole(group, part)).backward();
    expect_close(net, reference, true, 2e-6);
    loss.backward();  // again through the same graph
    for (int part = 1; part < 3; ++part) loss_of(reference, whole(group, part)).backward();
    expect_close(net, reference, true, 4e-6);
    expect_same_bits(net, group);
  }
}

void check_unused(ProcessGroup& group) {
  {
    Net net;
    net.skip_b = true;
    DistributedDataParallel parallel(net, group);
    const std::string text = message_of<ValueError>([&] { loss_of(net, share(group, 0)).backward(); });
    require(text.find("b.weight, b.bias") != text.npos && text.find("find_unused") != text.npos, text);
  }
  Net net;
  DistributedDataParallel parallel(net, group, {.first_bucket_bytes = 100, .bucket_bytes = 600, .find_unused = true});
  Net reference = nn::clone(net);
  for (int step = 0; step < 3; ++step) {
    net.zero_grad();
    reference.zero_grad();
    // First only rank 0 uses layer b, then no rank, then all.
    net.skip_b = step == 1 || (step == 0 && group.rank() != 0);
    loss_of(net, share(group, step)).backward();
    for (int r = 0; r < group.size(); ++r) {
      reference.skip_b = step == 1 || (step == 0 && r != 0);
      const std::int64_t first = (step * group.size() + r) * per_rank;
      (loss_of(reference, inputs(first, first + per_rank)) * (1.0 / group.size())).backward();
    }
    expect_close(net, reference, true, 1e-6);
    require(net.b.weight.grad().defined() == (step != 1), "a gradient where some rank has one");
  }
}

void check_frozen_shared_and_moved(ProcessGroup& group) {
  Net net;
  net.a.requires_grad(false);
  net.b.bias = net.a.bias;  // frozen both times
  net.b.requires_grad(false);
  net.b.weight.requires_grad(true);
  DistributedDataParallel parallel(net, group);
  Net reference = nn::clone(net);
  const auto step = [&](int number, double tolerance, DType dtype) {
    net.zero_grad();
    reference.zero_grad();
    loss_of(net, share(group, number).to(dtype)).backward();
    loss_of(reference, whole(group, number).to(dtype)).backward();
    expect_close(net, reference, true, tolerance);
  };
  step(0, 1e-6, float32);
  require(!net.a.weight.grad().defined(), "a frozen parameter has no gradient");
  net.a.weight.requires_grad(true);
  reference.a.weight.requires_grad(true);
  step(1, 1e-6, float32);
  require(net.a.weight.grad().defined(), "a parameter that was thawed has one");
  net.to(float64);
  reference.to(float64);
  step(2, 1e-14, float64);
}

void check_dtypes(ProcessGroup& group) {
  struct Mixed : nn::Module {
    nn::Linear a = child("a", nn::Linear({.in = 6, .out = 16}));
    nn::Linear b = child("b", nn::Linear({.in = 16, .out = 3}));
    Tensor forward(const Tensor& x) override { return b(tanh(a(x)).to(bfloat16)).to(float32); }
  } mixed;
  mixed.b.to(bfloat16);
  DistributedDataParallel parallel(mixed, group);
  require(parallel.buckets().size() == 2, "a bucket for each dtype");
  Mixed reference = nn::clone(mixed);
  loss_of(mixed, share(group, 0)).backward();
  loss_of(reference, whole(group, 0)).backward();
  expect_close(mixed, reference, true, 1e-2);

  Net net;
  DistributedDataParallel compressed(net, group, {.compress = true});
  Net exact = nn::clone(net);
  loss_of(net, share(group, 0)).backward();
  loss_of(exact, whole(group, 0)).backward();
  expect_close(net, exact, true, 5e-3);
  expect_same_bits(net, group);
  require(net.a.weight.grad().dtype() == float32, "compressed gradients arrive as float32");
}

/// Infinity on one rank skips the step on all.
void check_scaler(ProcessGroup& group) {
  Net net;
  DistributedDataParallel parallel(net, group);
  optim::SGD sgd(net.parameters(), {.lr = 0.1});
  amp::GradScaler scaler({.init_scale = 1024});
  const Tensor before = clone(net.a.weight.detach());
  for (int step = 0; step < 2; ++step) {
    sgd.zero_grad();
    const float factor = step == 0 && group.rank() == group.size() - 1 ? std::numeric_limits<float>::infinity() : 1;
    scaler.scale(loss_of(net, share(group, step)) * static_cast<double>(factor)).backward();
    scaler.step(sgd);
    scaler.update();
    require(scaler.get_scale() == 512, str("the scale is halved everywhere, it is ", scaler.get_scale()));
    require(allclose(before, net.a.weight.detach()).ok == (step == 0), "the first step is left out, the second is not");
  }
}

void check_batch_norm(ProcessGroup& group) {
  NormNet net;
  fill_(net.norm.running_mean, group.rank());
  DistributedDataParallel parallel(net, group);
  require(max(net.norm.running_mean).item<float>() == 0, "buffers are rank 0's");
  NormNet reference = nn::clone(net);
  synchronize_batch_norm(net, group);
  for (int step = 0; step < 2; ++step) {
    net.zero_grad();
    reference.zero_grad();
    loss_of(net, share(group, step)).backward();
    loss_of(reference, whole(group, step)).backward();
    expect_close(net, reference, true, 2e-6);
    require(allclose(net.norm.running_mean, reference.norm.running_mean).ok, "running mean of all batches");
    require(allclose(net.norm.running_var, reference.norm.running_var).ok, "running variance of all batches");
  }
  net.eval();
  reference.eval();
  require(allclose(net(share(group, 0)), reference(share(group, 0)), {1e-4, 1e-5}).ok, "evaluation uses the averages");
  const auto total = sum_over_ranks({1, static_cast<double>(group.rank())}, group);
  require(total[0] == group.size() && total[1] == group.size() * (group.size() - 1) / 2.0, "sums over ranks");
}

/// Checkpointing reruns the module in backward, including its all-reduces of batch statistics, during gradient
/// all-reduces.
void check_checkpoint(ProcessGroup& group) {
  NormNet net;
  DistributedDataParallel parallel(net, group, small_buckets());
  NormNet reference = nn::clone(net);
  synchronize_batch_norm(net, group);
  for (int step = 0; step < 3; ++step) {
    net.zero_grad();
    reference.zero_grad();
    const Tensor y = checkpoint([&](const Tensor& x) { return net(x); }, share(group, step));
    (mean(y * y) + mean(y)).backward();
    loss_of(reference, whole(group, step)).backward();
    expect_close(net, reference, true, 2e-6);
    expect_same_bits(net, group);
    require(allclose(net.norm.running_mean, reference.norm.running_mean).ok, "the running mean counts a batch once");
  }
}

void check_all(ProcessGroup& group) {
  check_training(group);
  check_accumulation(group);
  check_unused(group);
  check_frozen_shared_and_moved(group);
  check_dtypes(group);
  check_scaler(group);
  check_batch_norm(group);
  check_checkpoint(group);
  group.barrier();
}

class DataParallelThreads : public testing::TestWithParam<void (*)(ProcessGroup&)> {};
TEST_P(DataParallelThreads, EqualsOneProcess) {
  for (const int size : {1, 2, 8}) test::run_threads(size, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Threads, DataParallelThreads,
                         testing::Values(check_training, check_accumulation, check_unused,
                                         check_frozen_shared_and_moved, check_dtypes, check_scaler, check_batch_norm,
                                         check_checkpoint));

TEST(DataParallelProcesses, EqualOneProcess) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer does not follow threads of a forked child";
#endif
  if (!detail::has_gloo()) GTEST_SKIP() << "built without Gloo";
  for (const int size : {1, 2, 4}) test::run_processes(size, check_all);
}

/// The operators that a thread calls.
struct Calls final : Observer {
  Calls() : outer(set_observer(this)) {}
  ~Calls() { set_observer(outer); }
  void begin(const char* op, Cost) override { ops += str(op, " "); }
  void end() noexcept override {}
  Observer* outer;
  std::string ops;
};

TEST(DataParallel, OneRankCopiesNoState) {
  const std::vector<ProcessGroup> groups = in_process_groups(1);
  Net net;
  const Calls calls;
  const DistributedDataParallel parallel(net, groups[0]);
  EXPECT_EQ(calls.ops.find("copy"), std::string::npos) << calls.ops;
}

TEST(DataParallel, AnotherModelOnARankIsNamed) {
  test::run_threads(3, [](ProcessGroup& group) {
    nn::Linear net({.in = 4, .out = group.rank() == 1 ? 3 : 2});
    const std::string text = message_of<ValueError>([&] { DistributedDataParallel parallel(net, group); });
    require(
        text.find(
            group.rank() == 1
                ? "rank 1's module differs from rank 0's: there 'weight float32 [2, 4]', here 'weight float32 [3, 4]'"
                : "another rank's module differs") != text.npos,
        text);
  });
}

TEST(DataParallel, NamesOfOtherRanksAreReportedPrintably) {
  test::run_threads(2, [](ProcessGroup& group) {
    nn::ModuleDict net({{group.rank() == 0 ? "\x1b]0;owned\x07" : "layer", nn::Linear({.in = 4, .out = 2})}});
    const std::string text = message_of<ValueError>([&] { DistributedDataParallel parallel(net, group); });
    require(group.rank() == 0 || text.find("there '\\x1b]0;owned\\x07.weight ") != text.npos, text);
  });
}

TEST(DataParallel, BucketsAreLaidOutOnceInTheOrderOfGradients) {
  // Registered so that backward does not produce gradients in reverse order of registration.
  struct Backwards : nn::Module {
    nn::Linear last = child("last", nn::Linear({.in = 4, .out = 2}));
    nn::Linear first = child("first", nn::Linear({.in = 3, .out = 4}));
    Tensor forward(const Tensor& x) override { return last(first(x)); }
  };
  test::run_threads(2, [](ProcessGroup& group) {
    Backwards net;
    DistributedDataParallel parallel(net, group, {.first_bucket_bytes = 1, .bucket_bytes = 1});
    const auto name = [&](std::size_t i) { return parallel.buckets()[i].parameters[0]; };
    require(name(0) == "first.bias", "at first the reverse of registration");
    for (int step = 0; step < 2; ++step) {
      net.zero_grad();
      sum(net(ones({2, 3}))).backward();
      require(name(0).starts_with("last") && name(3).starts_with("first"), "then the order of gradients");
      require(net.last.bias.grad().to_vector<float>() == std::vector<float>({2, 2}),
              "gradients move with their buckets");
    }
  });
}

TEST(DataParallel, AnExceptionInBackwardLeavesAUsableModule) {
  test::run_threads(1, [](ProcessGroup& group) {
    Net net;
    DistributedDataParallel parallel(net, group);
    bool throws = true;
    const auto step = [&] {
      net.zero_grad();
      const Tensor y = net.a(share(group, 0));
      register_hook(y, [&](const Tensor&) -> Tensor {
        if (throws) throw ValueError("a hook's own");
        return {};
      });
      sum(net.c(tanh(net.b(tanh(y))))).backward();
    };
    require(message_of<ValueError>(step).find("a hook's own") != std::string::npos, "the hook's exception comes out");
    throws = false;
    step();
    require(net.a.weight.grad().defined(), "the next backward is complete");
  });
}

}  // namespace
}  // namespace minima::distributed::data_parallel_test
