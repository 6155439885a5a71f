#include "tests/support/expect_error.h"

#include <minima/distributed/distributed.h>
#include <minima/minima.h>

#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

// Errors planted in small programs, one rank of which runs in a pretended world of 2 × 2 ranks. The table in
// docs/distributed.md counts what the checker names of them.

namespace minima::distributed::placement_faults_test {
namespace {

using test::message_of;

/// The planted errors of one run.
class Plan {
 public:
  explicit Plan(std::string fault, bool checkpoints = false) : checkpoints(checkpoints), fault_(std::move(fault)) {}
  bool has(const char* fault) const { return fault_ == fault; }
  bool checkpoints;

 private:
  std::string fault_;
};

struct World {
  Mesh mesh{pretend(1, 4), {{"data", 2}, {"tensor", 2}}};
  const ProcessGroup& data = mesh["data"];
  const ProcessGroup& tensor = mesh["tensor"];
  PlacementCheck check{mesh, {.data = {"data"}}};

  /// The group that a collective over the tensor axis gets.
  const ProcessGroup& over_tensor(const Plan& plan, const std::string& name) const {
    if (plan.has((name + " over data").c_str())) return data;
    return plan.has((name + " over all").c_str()) ? mesh.world() : tensor;
  }
};

/// Megatron's feed-forward block: each rank has half of the hidden features.
struct Block : nn::ModuleOf<Block> {
  Block(World& in, const Plan& planted) : world(&in), plan(&planted) {
    down = nn::Linear({.in = 6, .out = 4, .bias = planted.has("bias before the sum")});
    world->check.declare(up.weight, "tensor", Placement::varying, 0);
    world->check.declare(up.bias, "tensor", Placement::varying, 0);
    world->check.declare(down.weight, "tensor", Placement::varying, 1);
  }
  Tensor forward(const Tensor& x) {
    const ProcessGroup& tensor = world->tensor;
    Tensor h = norm(x);
    if (!plan->has("no copy_to_ranks")) h = copy_to_ranks(h, world->over_tensor(*plan, "copy_to_ranks"));
    if (plan->has("copy_to_ranks twice")) h = copy_to_ranks(h, tensor);
    h = up(h);
    if (plan->has("sum between the products")) h = sum_from_ranks(h, tensor);
    if (plan->has("norm over shards")) h = layer_norm(h, {6});
    if (plan->has("sum of squares over shards")) h = h * rsqrt(sum(square(h), {-1}, true) + 1e-6);
    Tensor y = down(gelu(h));
    if (plan->has("activation before the sum")) y = relu(y);
    if (plan->has("norm before the sum")) y = layer_norm(y, {4});
    if (plan->has("residual before the sum")) y = y + x;
    if (plan->has("number before the sum")) y = y + 1;
    if (plan->has("product before the sum")) y = y * y;
    if (plan->has("gather for sum_from_ranks")) y = gather_from_ranks(y, tensor);
    else if (plan->has("all_reduce_sum for sum_from_ranks")) y = all_reduce_sum(y, tensor);
    else if (!plan->has("no sum_from_ranks")) y = sum_from_ranks(y, world->over_tensor(*plan, "sum_from_ranks"));
    if (plan->has("sum_from_ranks twice")) y = sum_from_ranks(y, tensor);
    if (plan->has("copy_to_ranks for no reason")) y = copy_to_ranks(y, tensor);
    return x + y + bias;
  }
  World* world;
  const Plan* plan;
  nn::LayerNorm norm = child("norm", nn::LayerNorm({4}));
  nn::Linear up = child("up", nn::Linear({.in = 4, .out = 6}));
  nn::Linear down = child("down", nn::Linear({.in = 6, .out = 4, .bias = false}));
  nn::Parameter bias = parameter("bias", ones({4}));
};

/// The loss over classes of which ranks have shards, with the maximum and the sums over ranks.
Tensor loss_over_shards(const Tensor& x, const nn::Linear& head, const Tensor& own, World& world, const Plan& plan) {
  Tensor logits = head(plan.has("no copy before the head") ? x : copy_to_ranks(x, world.tensor));
  if (plan.has("loss of shards")) return cross_entropy(logits, zeros({4}, {.dtype = int64}));
  if (plan.has("softmax of shards")) return mean(log_softmax(logits, -1));
  if (plan.has("logits gathered over data"))
    return cross_entropy(gather_from_ranks(logits, world.data), zeros({8}, {.dtype = int64}));
  if (plan.has("logits gathered for one loss"))
    return cross_entropy(gather_from_ranks(logits, world.tensor, 1), zeros({4}, {.dtype = int64}));
  const Tensor largest = amax(logits.detach(), {-1}, true);
  if (!plan.has("no maximum over ranks")) world.tensor.all_reduce(largest, Reduce::max).wait();
  const auto summed = [&](const Tensor& t, const char* left_out) {
    return plan.has(left_out) ? t : sum_from_ranks(t, world.tensor);
  };
  const Tensor total = summed(sum(exp(logits - largest), {-1}), "no sum of exponentials");
  const Tensor target = summed(sum((logits - largest) * own, {-1}), "no sum of targets");
  return mean(log(total) - target);
}

struct Net : nn::ModuleOf<Net> {
  Net(World& in, const Plan& planted) : block(child("block", Block(in, planted))), world(&in), plan(&planted) {
    world->check.declare(head.weight, "tensor", Placement::varying, 0);
    world->check.declare(head.bias, "tensor", Placement::varying, 0);
    world->check.declare(own, "tensor", Placement::varying);
  }
  Tensor forward(const Tensor& x) {
    const Tensor h = embed(x);
    const Tensor y = plan->checkpoints ? checkpoint(block, h) : block(h);
    return loss_over_shards(y, head, own, *world, *plan);
  }
  nn::Linear embed = child("embed", nn::Linear({.in = 3, .out = 4}));
  Block block;
  nn::Linear head = child("head", nn::Linear({.in = 4, .out = 5}));
  Tensor own = zeros({4, 5});  ///< one where a target's class is this rank's
  World* world;
  const Plan* plan;
};

/// Parallel along both axes: over data by DistributedDataParallel, over features by hand.
void run_tensor_parallel(const Plan& plan) {
  World world;
  Net net(world, plan);
  std::unique_ptr<DistributedDataParallel> parallel;
  const ProcessGroup& group = plan.has("data parallelism over tensor") ? world.tensor
                              : plan.has("data parallelism over all")  ? world.mesh.world()
                                                                       : world.data;
  const bool sums = plan.has("summed in every part");
  if (!plan.has("no data parallelism"))
    parallel = std::make_unique<DistributedDataParallel>(net, group, DataParallelOptions{.sum = sums});
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  const auto step = [&] { net(randn({4, 3})).backward(); };
  for (int part = 0; part < 2; ++part) {
    if ((part == 0 && !sums) || plan.has("no_sync in every part")) {
      if (!parallel) continue;
      const auto guard = parallel->no_sync();
      step();
    } else {
      step();
    }
  }
  if (plan.has("summed again by hand")) world.data.all_reduce(net.block.bias.grad()).wait();
  optim::clip_grad_norm_(net.parameters(), 1.0);
  optimizer.step();
}

/// Sequence parallelism: each rank of the tensor axis has half of the tokens around the block, and the gradients of
/// what works on them are summed by hand.
void run_sequence_parallel(const Plan& plan) {
  World world;
  nn::Linear embed({.in = 3, .out = 4});
  nn::LayerNorm norm({4});
  nn::Linear up({.in = 4, .out = 6, .bias = false}), down({.in = 6, .out = 4, .bias = false});
  world.check.declare(up.weight, "tensor", Placement::varying, 0);
  world.check.declare(down.weight, "tensor", Placement::varying, 1);
  const Tensor tokens = randn({2, 3});
  world.check.declare(tokens, "tensor", Placement::varying, 0);
  const auto gathered = [&](const Tensor& x) {
    if (plan.has("no gather of tokens")) return x;
    const Tensor y = gather_from_ranks(x, world.over_tensor(plan, "gather of tokens"));
    return plan.has("gather of tokens twice") ? gather_from_ranks(y, world.tensor) : y;
  };
  const Tensor x = embed(tokens);
  Tensor y = down(gelu(up(gathered(norm(x)))));
  y = scatter_sum_to_ranks(y, world.over_tensor(plan, "scatter of sums"));
  if (plan.has("scatter of sums twice")) y = scatter_sum_to_ranks(y, world.tensor);
  mean(square(x + y)).backward();
  const auto reduce = [&](const nn::ModuleBase& module, bool is_whole_axis) {
    for (const Tensor& parameter : module.parameters()) {
      if (is_whole_axis && !plan.has("no sum over tensor"))
        world.over_tensor(plan, "sum of gradients")
            .all_reduce(parameter.grad(), plan.has("mean over tensor") ? Reduce::mean : Reduce::sum)
            .wait();
      if (is_whole_axis && plan.has("sum over tensor twice")) world.tensor.all_reduce(parameter.grad()).wait();
      if (is_whole_axis && plan.has("maximum for sum")) world.data.all_reduce(parameter.grad(), Reduce::max).wait();
      else world.data.all_reduce(parameter.grad(), Reduce::mean).wait();
    }
  };
  reduce(embed, true);
  reduce(norm, !plan.has("norm forgotten"));
  reduce(up, plan.has("shards summed"));
  reduce(down, false);
  std::vector<Tensor> parameters;
  for (const nn::ModuleBase* module : {static_cast<nn::ModuleBase*>(&embed), static_cast<nn::ModuleBase*>(&norm),
                                       static_cast<nn::ModuleBase*>(&up), static_cast<nn::ModuleBase*>(&down)})
    for (const Tensor& parameter : module->parameters()) parameters.push_back(parameter);
  optim::AdamW(parameters, {.lr = 1e-3}).step();
}

/// Data parallelism by hand, with a step by hand.
void run_by_hand(const Plan& plan) {
  World world;
  nn::Linear net({.in = 3, .out = 2});
  Tensor x = randn({4, 3});
  if (plan.has("dropout of each rank's own")) {  // x is the same along the tensor axis
    manual_seed(static_cast<std::uint64_t>(7 + world.tensor.rank()));
    x = dropout(x, 0.5);
  }
  if (plan.has("loss of each rank's tokens")) x = narrow(x, 0, 0, 1 + world.data.rank());
  Tensor loss = cross_entropy(net(x), zeros({x.size(0)}, {.dtype = int64}));
  if (plan.has("loss times the number of ranks")) loss = loss * world.data.size();
  loss.backward();
  if (plan.has("clipped before the mean")) optim::clip_grad_norm_(net.parameters(), 1.0);
  const auto reduce = [&](const Tensor& gradient) {
    if (plan.has("broadcast for mean")) return world.data.broadcast(gradient).wait();
    world.data.all_reduce(gradient, plan.has("minimum for mean") ? Reduce::min : Reduce::mean).wait();
  };
  if (!plan.has("weight forgotten")) reduce(net.weight.grad());
  if (!plan.has("bias forgotten")) reduce(net.bias.grad());
  const NoGrad guard;
  for (const Tensor& parameter : net.parameters()) copy_(parameter, parameter - parameter.grad() * 0.1);
}

struct Fault {
  void (*program)(const Plan&);
  const char* name;
  std::vector<const char*> said;  ///< in the error; empty if the checker cannot see the fault
};

std::vector<Fault> faults() {
  const auto tp = &run_tensor_parallel;
  const auto sp = &run_sequence_parallel;
  const auto hand = &run_by_hand;
  return {
      {tp, "no copy_to_ranks", {"layer_norm in module block.norm (LayerNorm)", "axis \"tensor\"", "copy_to_ranks"}},
      {tp,
       "copy_to_ranks twice",
       {"copy_to_ranks in module block (Block)", "axis \"tensor\"", "leave copy_to_ranks out"}},
      {tp, "copy_to_ranks over data", {"copy_to_ranks in module block (Block)", "varies along axis \"data\""}},
      {tp, "copy_to_ranks over all", {"copy_to_ranks in module block (Block)", "varies along axis \"data\""}},
      {tp,
       "copy_to_ranks for no reason",
       {"copy_to_ranks in module block (Block)", "is complete along axis \"tensor\""}},
      {tp,
       "no sum_from_ranks",
       {"add in module block (Block)", "(from linear in module block.down (Linear))",
        "sum_from_ranks over axis \"tensor\""}},
      {tp, "sum_from_ranks twice", {"sum_from_ranks in module block (Block)", "replicated along axis \"tensor\""}},
      {tp, "sum_from_ranks over data", {"sum_from_ranks in module block (Block)", "along axis \"data\""}},
      {tp, "sum_from_ranks over all", {"sum_from_ranks in module block (Block)", "along axis \"data\""}},
      {tp, "sum between the products", {"sum_from_ranks in module block (Block)", "gather_from_ranks"}},
      {tp,
       "gather for sum_from_ranks",
       {"gather_from_ranks in module block (Block)", "partial sum along axis \"tensor\"", "sum_from_ranks"}},
      {tp,
       "all_reduce_sum for sum_from_ranks",
       {"all_reduce_sum in module block (Block)", "axis \"tensor\"", "use sum_from_ranks"}},
      {tp,
       "bias before the sum",
       {"linear in module block.down (Linear)", "adds its bias on every rank of axis \"tensor\""}},
      {tp, "activation before the sum", {"relu in module block (Block)", "is not linear", "axis \"tensor\""}},
      {tp, "norm before the sum", {"layer_norm in module block (Block)", "is not linear", "axis \"tensor\""}},
      {tp, "residual before the sum", {"add in module block (Block)", "2 times in all"}},
      {tp, "number before the sum", {"add in module block (Block)", "adds a number"}},
      {tp, "product before the sum", {"mul in module block (Block)", "two partial sums along axis \"tensor\""}},
      {tp, "norm over shards", {"layer_norm in module block (Block)", "gather_from_ranks"}},
      {tp, "sum of squares over shards", {"add in module block (Block)", "(from sum in module block (Block))"}},
      {tp,
       "no copy before the head",
       {"sum_from_ranks in module block (Block)", "copy_to_ranks over this axis behind it"}},
      {tp, "loss of shards", {"cross_entropy in module Net", "axis \"tensor\"", "gather_from_ranks"}},
      {tp, "softmax of shards", {"log_softmax in module Net", "axis \"tensor\"", "gather_from_ranks"}},
      {tp, "logits gathered over data", {"cross_entropy in module Net", "axis \"tensor\"", "gather_from_ranks"}},
      {tp, "logits gathered for one loss", {"gather_from_ranks in module Net", "is complete along axis \"tensor\""}},
      {tp, "no maximum over ranks", {"sub in module Net", "axis \"tensor\" (from amax in module Net)", "Reduce::max"}},
      {tp, "no sum of exponentials", {"log in module Net", "sum_from_ranks over axis \"tensor\""}},
      {tp, "no sum of targets", {"sub in module Net", "sum_from_ranks over axis \"tensor\""}},
      {tp,
       "no data parallelism",
       {"embed.weight", "axis \"data\"", "linear in module embed (Linear)", "DistributedDataParallel"}},
      {tp,
       "data parallelism over tensor",
       {"DistributedDataParallel", "axis \"tensor\"", "pass the group of the data axis"}},
      {tp,
       "data parallelism over all",
       {"DistributedDataParallel", "axis \"tensor\"", "pass the group of the data axis"}},
      {tp,
       "summed in every part",
       {"DistributedDataParallel sums the gradient of embed.weight along axis \"data\"", "no_sync()"}},
      {tp, "no_sync in every part", {"embed.weight", "axis \"data\"", "without no_sync()"}},
      {tp, "summed again by hand", {"all_reduce", "replicated along axis \"data\""}},
      {sp, "no gather of tokens", {"linear in module Linear", "varies along axis \"tensor\"", "gather_from_ranks"}},
      {sp,
       "gather of tokens over data",
       {"linear in module Linear", "varies along axis \"tensor\"", "gather_from_ranks"}},
      {sp, "gather of tokens twice", {"gather_from_ranks", "replicated along axis \"tensor\""}},
      {sp, "scatter of sums over data", {"scatter_sum_to_ranks", "along axis \"data\""}},
      {sp, "scatter of sums over all", {"scatter_sum_to_ranks", "along axis \"data\""}},
      {sp, "scatter of sums twice", {"scatter_sum_to_ranks", "along axis \"tensor\""}},
      {sp,
       "no sum over tensor",
       {"the gradient of weight", "axis \"tensor\"", "linear in module Linear", "all_reduce"}},
      {sp, "sum over tensor twice", {"all_reduce", "replicated along axis \"tensor\""}},
      {sp, "sum of gradients over data", {"all_reduce", "axis \"data\"", "combined there before"}},
      {sp, "sum of gradients over all", {"all_reduce", "axis \"data\"", "combined there before"}},
      {sp, "norm forgotten", {"the gradient of weight", "axis \"tensor\"", "layer_norm in module LayerNorm"}},
      {sp, "shards summed", {"all_reduce", "gradients of shards along axis \"tensor\""}},
      {sp, "mean over tensor", {"all_reduce", "averages a partial sum along axis \"tensor\"", "Reduce::sum"}},
      {sp, "maximum for sum", {"all_reduce", "the max of a partial sum along axis \"data\""}},
      {hand, "clipped before the mean", {"the norm of gradients", "the gradient of weight", "axis \"data\""}},
      {hand, "broadcast for mean", {"broadcast", "axis \"data\"", "all_reduce"}},
      {hand, "minimum for mean", {"all_reduce", "the min of a partial sum along axis \"data\""}},
      {hand, "weight forgotten", {"sub", "the gradient of weight", "all_reduce over axis \"data\""}},
      {hand, "bias forgotten", {"sub", "the gradient of bias", "all_reduce over axis \"data\""}},
      {hand, "loss times the number of ranks", {}},
      {hand, "loss of each rank's tokens", {}},
      {hand, "dropout of each rank's own", {}},
  };
}

/// The message of the error, or nothing.
std::string said_of(const Fault& fault) {
  try {
    fault.program(Plan(fault.name));
  } catch (const PlacementError& error) {
    return error.what();
  }
  return "";
}

TEST(PlacementFaults, CorrectProgramsPass) {
  for (const auto program : {&run_tensor_parallel, &run_sequence_parallel, &run_by_hand})
    EXPECT_NO_THROW(program(Plan("none")));
}

TEST(PlacementFaults, AreNamed) {
  std::size_t named = 0;
  for (const Fault& fault : faults()) {
    const std::string message = said_of(fault);
    named += message.empty() ? 0 : 1;
    EXPECT_EQ(message.empty(), fault.said.empty()) << fault.name << ": " << message;
    for (const char* const words : fault.said) EXPECT_CONTAINS(message, words) << fault.name;
  }
  RecordProperty("named", static_cast<int>(named));
  EXPECT_GE(named, 30u);
}

TEST(PlacementFaults, AreNamedUnderAutocastAndCheckpointing) {
  const amp::Autocast lower(DeviceType::cpu);
  EXPECT_NO_THROW(run_tensor_parallel(Plan("none", true)));
  std::size_t named = 0;
  for (const Fault& fault : faults())
    if (fault.program == &run_tensor_parallel) {
      ++named;
      EXPECT_THROW(fault.program(Plan(fault.name, true)), PlacementError) << fault.name;
    }
  EXPECT_GE(named, 30u);
}

}  // namespace
}  // namespace minima::distributed::placement_faults_test
