#include "tests/distributed/processes.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

#include <minima/distributed/data_parallel.h>
#include <minima/distributed/mesh.h>
#include <minima/distributed/pretend.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/minima.h>
#include <minima/models/language/gpt2.h>
#include <minima/models/language/llama.h>
#include <minima/nn/init/defer.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/storage/allocator.h>

#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <string>

// A model that never exists as a whole has, shard by shard, the bits of one that a single process makes.

namespace minima::distributed::sharding_deferred_test {
namespace {

using test::message_of;
using test::require;

/// Makes a net on its own: ranks are threads, which share the default generator.
template <class Make>
auto made(std::uint64_t seed, bool is_deferred, Make make) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  manual_seed(seed);
  std::optional<nn::init::Defer> defer;
  if (is_deferred) defer.emplace();
  return make();
}

models::GPT2 gpt2() {
  return models::GPT2({.vocabulary = 53, .positions = 11, .width = 14, .layers = 3, .heads = 2, .dropout = 0});
}
models::Llama llama() {
  return models::Llama(
      {.vocabulary = 53, .width = 28, .mlp = 37, .layers = 2, .heads = 2, .key_heads = 1, .tied = false});
}
nn::Sequential small() {  // some parameters are smaller than the world
  return nn::Sequential(nn::Linear({.in = 13, .out = 17}), nn::Linear({.in = 17, .out = 2}),
                        nn::Linear({.in = 2, .out = 1}), nn::BatchNorm1d({.features = 1}));
}

void expect_parts(const Sharding& sharding, const State& whole) {
  for (const ShardedTensor& part : sharding.state()) {
    const Tensor expected = whole.tensor(part.name);
    require(part.shape == expected.shape(), part.name + " has its shape");
    require(identical(part.local, narrow(reshape(expected, {-1}), 0, part.offset, part.local.numel())),
            part.name + " has one process's numbers");
  }
}

/// On all stages, with seeds of which rank 0's counts.
template <class Make, class Blocks>
void check_drawn(const ProcessGroup& group, Make make, Blocks blocks) {
  const auto expected = made(7, false, make);
  for (const int stage : {1, 2, 3}) {
    auto net = made(group.is_first() ? 7 : 8 + static_cast<std::uint64_t>(group.rank()), true, make);
    const Sharding sharding = shard(net, blocks(net), group, {.stage = stage});
    expect_parts(sharding, expected.state_dict());
    const auto whole = sharding.gather();
    const Tensor weight = blocks(net).front()->parameters().front();
    require(weight.rank() == 1, "the net lists shards");
  }
  auto replica = made(group.is_first() ? 7 : 9, true, make);
  const DistributedDataParallel parallel(replica, group);
  const State ours = replica.state_dict();
  for (const auto& [name, tensor] : expected.state_dict().tensors())
    require(identical(ours.tensor(name), tensor), name + " without shards");
}

TEST(ShardingDeferred, RanksDrawTheirPartsOfOneProcess) {
  for (const int size : {1, 2, 3, 4})
    test::run_threads(size, [](ProcessGroup& group) {
      check_drawn(group, gpt2, [](models::GPT2& net) { return children_of(net.transformer.h); });
      check_drawn(group, llama, [](models::Llama& net) { return children_of(net.model.layers); });
      check_drawn(group, small, [](nn::Sequential& net) { return children_of(net); });
    });
}

TEST(ShardingDeferred, GatheredWeightsAreThoseOfOneProcess) {
  test::run_threads(3, [](ProcessGroup& group) {
    const Tensor tokens = from_vector(std::vector<std::int64_t>{5, 2, 51, 13, 5, 7}, {1, 6});
    for (const int stage : {1, 2, 3})
      for (const DType compute : {float32, bfloat16}) {
        models::Llama net = made(7, true, llama), whole = made(7, false, llama);
        const ShardingOptions options{.stage = stage, .compute = compute};
        const Sharding drawn = shard(net, children_of(net.model.layers), group, options);
        const Sharding copied = shard(whole, children_of(whole.model.layers), group, options);
        require(identical(net(tokens), whole(tokens)), str("stage ", stage, " in ", compute));
        if (compute == float32)
          require(identical(net(tokens), made(7, false, llama)(tokens)), str("stage ", stage, ", one process"));
      }
  });
}

TEST(ShardingDeferred, ReplicasDrawTheSame) {
  test::run_threads(4, [](ProcessGroup& world) {
    const Mesh mesh(world, {{"replica", 2}, {"shard", 2}});
    models::GPT2 net = made(static_cast<std::uint64_t>(20 + world.rank()), true, gpt2);
    const Sharding sharding = shard(net, children_of(net.transformer.h), mesh["shard"], {.replicas = mesh["replica"]});
    expect_parts(sharding, made(20, false, gpt2).state_dict());
  });
}

TEST(ShardingDeferred, RanksMustDeferTheSame) {
  test::run_threads(2, [](ProcessGroup& group) {
    const auto wider = [] {
      const nn::Linear layer({.in = 5, .out = 3});
      nn::init::normal_(layer.weight, 0, 3);
      return layer;
    };
    const auto plain = [] { return nn::Linear({.in = 5, .out = 3}); };
    nn::Linear some = made(1, group.is_first(), plain);
    EXPECT_CONTAINS(message_of<ValueError>([&] { (void)shard(some, {}, group); }), "rank");
    nn::Linear other = group.is_first() ? made(1, true, plain) : made(1, true, wider);
    const std::string said = message_of<ValueError>([&] { (void)shard(other, {}, group); });
    const char* const line = "here 'weight float32 [3, 5], deferred normal with mean 0 and standard deviation 3'";
    require(group.is_first() || said.find(line) != std::string::npos, said);
  });
}

// Hugging Face's files: GPT-2's weights are turned, Llama's tied output layer is left out.
TEST(ShardingDeferred, RanksLoadTheirPartsOfAFile) {
  const test::TemporaryFolder folder;
  const models::GPT2 gpt2_net = made(3, false, gpt2);
  const models::Llama llama_net = made(3, false, llama);
  gpt2_net.save_pretrained(folder / "gpt2.safetensors");
  llama_net.save_pretrained(folder / "llama.safetensors");
  nn::save(folder / "plain.safetensors", gpt2_net);
  for (const int size : {1, 2, 3, 4})
    test::run_threads(size, [&](ProcessGroup& group) {
      for (const int stage : {1, 3}) {
        models::GPT2 ours = made(4, true, gpt2);
        const Sharding sharding = shard(ours, children_of(ours.transformer.h), group, {.stage = stage});
        ours.load_pretrained(read_safetensors(folder / "gpt2.safetensors", {.verify = false}));
        expect_parts(sharding, gpt2_net.state_dict());
        models::GPT2 plain = made(5, true, gpt2);
        const Sharding plainly = shard(plain, children_of(plain.transformer.h), group, {.stage = stage});
        plain.load_state_dict(load(folder / "plain.safetensors"));
        expect_parts(plainly, gpt2_net.state_dict());
        models::Llama theirs = made(6, true, llama);
        const Sharding other = shard(theirs, children_of(theirs.model.layers), group, {.stage = stage});
        theirs.load_pretrained(read_safetensors(folder / "llama.safetensors", {.verify = false}));
        expect_parts(other, llama_net.state_dict());
        const Tensor tokens = from_vector(std::vector<std::int64_t>{5, 2, 51}, {1, 3});
        models::Llama reference = nn::clone(llama_net);
        require(identical(theirs(tokens), reference(tokens)), "the loaded weights are gathered");
        State wrong = read_safetensors(folder / "llama.safetensors");
        const std::string said = message_of<ValueError>([&] { ours.load_state_dict(wrong, {.strict = true}); });
        require(said.find("nothing was loaded") != std::string::npos, said);
      }
    });
}

/// The most that this process holds while it makes a net of 32 equal layers, shards and trains or loads it, and the
/// bytes of the whole net.
void check_memory(const ProcessGroup& group, const std::string& file) {
  constexpr std::int64_t layers = 32, width = 384, layer = width * (width + 1) * 4, whole = layers * layer;
  const std::int64_t before = memory_stats().allocated;
  reset_peak();
  nn::Sequential net = made(9, true, [] {
    nn::Sequential all;
    for (int i = 0; i < layers; ++i) all.push_back(nn::Linear({.in = width, .out = width}));
    return all;
  });
  const Sharding sharding = shard(net, children_of(net), group);
  const auto peak = [&] { return memory_stats().peak_allocated - before; };
  const std::int64_t share = whole / group.size();
  require(peak() <= share + share / 20 + 3 * layer, str("drawing took ", peak(), " where the share is ", share));
  if (!file.empty()) {
    net.load_state_dict(read_safetensors(file, {.verify = false}));
    require(peak() <= share + share / 20 + 3 * layer, str("loading took ", peak(), " where the share is ", share));
  }
  Tensor x = ones({1, width});
  mean(net(x)).backward();
  // Shards and their gradients, two gathered blocks and two buckets, and what a layer's products take.
  require(peak() <= 2 * share + share / 10 + 6 * layer, str("a step took ", peak(), " where the share is ", share));
  require(peak() < whole || group.size() < 4, "the whole net never existed");
}

TEST(ShardingDeferred, ARankNeverHoldsTheWholeModel) {
  SKIP_WITHOUT_PROCESSES;
  const test::TemporaryFolder folder;
  {
    State state;
    for (int i = 0; i < 32; ++i) {
      state.add(str(i, ".weight"), ones({384, 384}));
      state.add(str(i, ".bias"), ones({384}));
    }
    write_safetensors(folder / "net.safetensors", state);
  }
  for (const int size : {1, 2, 4})
    test::run_processes(size, [&](ProcessGroup& group) { check_memory(group, folder / "net.safetensors"); });
  check_memory(pretend(5, 16), folder / "net.safetensors");
}

}  // namespace
}  // namespace minima::distributed::sharding_deferred_test
