#include "tests/distributed/placement_faults.h"

#include <minima/distributed/placement/hooks.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace minima::test::planted {

using namespace distributed;

// --- the world ---

World::World(const Mesh& of, DType numbers_dtype, bool checks) : mesh(of), dtype(numbers_dtype) {
  if (checks) check_.emplace(mesh, PlacementOptions{.data = {"data"}});
}

const ProcessGroup& World::over_tensor(const Plan& plan, const std::string& name) const {
  if (plan.has(name + " over data")) return data;
  return plan.has(name + " over all") ? mesh.world() : tensor;
}

void World::declare_shard(const Tensor& x, std::optional<int> dim) {
  if (check_) check_->declare(x, "tensor", Placement::varying, dim);
  if (dim) dims_[x.impl()] = *dim;
}

Tensor World::numbers(const std::string& name, const Shape& shape) const {
  RandomGenerator generator(std::hash<std::string>()(name));
  return randn(shape, {.dtype = dtype}, &generator);
}

Tensor World::part(const Tensor& whole, int dim, const ProcessGroup& axis) {
  const std::int64_t count = whole.size(dim) / axis.size();
  return contiguous(narrow(whole, dim, axis.rank() * count, count));
}

void World::fill(const std::vector<nn::NamedTensor>& parameters) {
  const NoGrad guard;
  const distributed::detail::PlacementPause pause;
  for (const auto& [name, parameter] : parameters) {
    const int dim = shard_dim(parameter);
    Shape shape = parameter.shape();
    if (dim >= 0) shape[dim] *= tensor.size();
    const Tensor whole = numbers(name, shape) * 0.5;
    copy_(parameter, dim < 0 ? whole : part(whole, dim, tensor));
  }
}

void World::expect_complete_gradients(const std::vector<Tensor>& parameters) const {
  if (check_) check_->expect_complete_gradients(parameters);
}

int World::shard_dim(const Tensor& x) const {
  const auto found = dims_.find(x.impl());
  return found == dims_.end() ? -1 : found->second;
}

namespace {

void add_pieces(const World& world, const std::string& kind, const std::vector<nn::NamedTensor>& parameters,
                std::vector<Piece>& pieces) {
  const distributed::detail::PlacementPause pause;
  for (const auto& [name, parameter] : parameters) {
    const Tensor value = kind == "gradient" ? parameter.grad() : parameter.detach();
    pieces.push_back({kind + " of " + name, clone(value), world.shard_dim(parameter)});
  }
}

/// Adds a rank's loss, a mean over its share of the batch or, if ranks of the tensor axis share that, a summand of it.
void add_loss(const World& world, const Tensor& loss, bool is_summand, std::vector<Piece>& pieces) {
  const distributed::detail::PlacementPause pause;
  const Tensor value = clone(loss.detach());
  world.data.all_reduce(value, Reduce::mean).wait();
  if (is_summand) world.tensor.all_reduce(value).wait();
  pieces.push_back({"the loss", value});
}

// --- tensor parallelism ---

/// Megatron's feed-forward block: ranks have shards of the 12 hidden features.
struct Block : nn::ModuleOf<Block> {
  Block(World& in, const Plan& planted) : world(&in), plan(&planted) {
    const std::int64_t hidden = 12 / in.tensor.size();
    up = nn::Linear({.in = 4, .out = hidden});
    down = nn::Linear({.in = hidden, .out = 4, .bias = planted.has("bias before the sum")});
    to(in.dtype);
    world->declare_shard(up.weight, 0);
    world->declare_shard(up.bias, 0);
    world->declare_shard(down.weight, 1);
  }
  Tensor forward(const Tensor& x) {
    const ProcessGroup& tensor = world->tensor;
    Tensor h = norm(x);
    if (!plan->has("no copy_to_ranks")) h = copy_to_ranks(h, world->over_tensor(*plan, "copy_to_ranks"));
    if (plan->has("copy_to_ranks twice")) h = copy_to_ranks(h, tensor);
    h = up(h);
    if (plan->has("sum between the products")) h = sum_from_ranks(h, tensor);
    if (plan->has("norm over shards")) h = layer_norm(h, {h.size(-1)});
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
  nn::Linear up = child("up", nn::Linear({.in = 4, .out = 12}));
  nn::Linear down = child("down", nn::Linear({.in = 12, .out = 4}));
  nn::Parameter bias = parameter("bias", ones({4}));
};

/// The loss over classes of which ranks have shards, with the maximum and the sums over ranks.
Tensor loss_over_shards(const Tensor& x, const nn::Linear& head, const Tensor& own, World& world, const Plan& plan) {
  Tensor logits = head(plan.has("no copy before the head") ? x : copy_to_ranks(x, world.tensor));
  const auto first_class = [](const Tensor& of) { return zeros({of.size(0)}, {.dtype = int64}); };
  if (plan.has("loss of shards")) return cross_entropy(logits, first_class(logits));
  if (plan.has("softmax of shards")) return mean(log_softmax(logits, -1));
  if (plan.has("logits gathered over data")) logits = gather_from_ranks(logits, world.data);
  if (plan.has("logits gathered for one loss")) logits = gather_from_ranks(logits, world.tensor, 1);
  if (plan.has("logits gathered over data") || plan.has("logits gathered for one loss"))
    return cross_entropy(logits, first_class(logits));
  const Tensor largest = amax(logits.detach(), {-1}, true);
  if (!plan.has("no maximum over ranks")) world.tensor.all_reduce(largest, Reduce::max).wait();
  const auto summed = [&](const Tensor& t, const char* left_out) {
    return plan.has(left_out) ? t : sum_from_ranks(t, world.tensor);
  };
  const Tensor total = summed(sum(exp(logits - largest), {-1}), "no sum of exponentials");
  const Tensor target = summed(sum((logits - largest) * own, {-1}), "no sum of targets");
  return mean(log(total) - target);
}

/// Scales gradients to a norm of 0.1, which counts all shards along the tensor axis.
void clip(const World& world, const std::vector<Tensor>& parameters) {
  world.expect_complete_gradients(parameters);
  const NoGrad guard;
  Tensor replicated = zeros({}, {.dtype = world.dtype}), shards = zeros({}, {.dtype = world.dtype});
  for (const Tensor& parameter : parameters) {
    Tensor& squares = world.shard_dim(parameter) < 0 ? replicated : shards;
    squares = squares + sum(square(parameter.grad()));
  }
  world.tensor.all_reduce(shards).wait();
  const Tensor factor = clamp(0.1 / sqrt(replicated + shards), 0, 1);
  for (const Tensor& parameter : parameters) mul_(parameter.grad(), factor);
}

struct Net : nn::ModuleOf<Net> {
  Net(World& in, const Plan& planted) : block(child("block", Block(in, planted))), world(&in), plan(&planted) {
    head = nn::Linear({.in = 4, .out = 10 / in.tensor.size()});
    to(in.dtype);
    world->declare_shard(head.weight, 0);
    world->declare_shard(head.bias, 0);
    std::vector<double> target_is(80);
    for (std::size_t row = 0; row < 8; ++row) target_is[row * 10 + (3 * row + 1) % 10] = 1;
    own = World::part(World::part(from_vector(target_is, {8, 10}).to(in.dtype), 0, in.data), 1, in.tensor);
    world->declare_shard(own);
    world->fill(named_parameters());
  }
  Tensor forward(const Tensor& x) {
    const Tensor h = embed(x);
    const Tensor y = plan->checkpoints ? checkpoint(block, h) : block(h);
    return loss_over_shards(y, head, own, *world, *plan);
  }
  nn::Linear embed = child("embed", nn::Linear({.in = 3, .out = 4}));
  Block block;
  nn::Linear head = child("head", nn::Linear({.in = 4, .out = 10}));
  Tensor own;  ///< one where a target's class is this rank's
  World* world;
  const Plan* plan;
};

// --- sequence parallelism ---

struct TokenLayers : nn::ModuleOf<TokenLayers> {
  explicit TokenLayers(std::int64_t hidden)
      : up(child("up", nn::Linear({.in = 4, .out = hidden, .bias = false}))),
        down(child("down", nn::Linear({.in = hidden, .out = 4, .bias = false}))) {}
  nn::Linear embed = child("embed", nn::Linear({.in = 3, .out = 4}));
  nn::LayerNorm norm = child("norm", nn::LayerNorm({4}));
  nn::Linear up, down;
};

}  // namespace

std::vector<Piece> train_tensor_parallel(World& world, const Plan& plan) {
  Net net(world, plan);
  std::unique_ptr<DistributedDataParallel> parallel;
  const ProcessGroup& group = plan.has("data parallelism over tensor") ? world.tensor
                              : plan.has("data parallelism over all")  ? world.mesh.world()
                                                                       : world.data;
  const bool sums = plan.has("summed in every part");
  if (!plan.has("no data parallelism"))
    parallel = std::make_unique<DistributedDataParallel>(net, group, DataParallelOptions{.sum = sums});
  optim::SGD optimizer(net.parameters(), {.lr = 1});
  std::vector<Piece> pieces;
  for (int part = 0; part < 2; ++part) {
    const Tensor x = World::part(world.numbers("x" + std::to_string(part), {8, 3}), 0, world.data);
    const auto step = [&] {
      const Tensor loss = net(x);
      loss.backward();
      add_loss(world, loss, false, pieces);
    };
    if (parallel && ((part == 0 && !sums) || plan.has("no_sync in every part"))) {
      const auto guard = parallel->no_sync();
      step();
    } else {
      step();
    }
  }
  if (plan.has("summed again by hand")) world.data.all_reduce(net.block.bias.grad()).wait();
  add_pieces(world, "gradient", net.named_parameters(), pieces);
  if (plan.has("clipped by each rank's norm")) optim::clip_grad_norm_(net.parameters(), 0.1);
  else clip(world, net.parameters());
  optimizer.step();
  add_pieces(world, "parameter", net.named_parameters(), pieces);
  return pieces;
}

std::vector<Piece> train_sequence_parallel(World& world, const Plan& plan) {
  TokenLayers net(12 / world.tensor.size());
  net.to(world.dtype);
  world.declare_shard(net.up.weight, 0);
  world.declare_shard(net.down.weight, 1);
  world.fill(net.named_parameters());
  const Tensor tokens = World::part(World::part(world.numbers("tokens", {8, 3}), 0, world.data), 0, world.tensor);
  world.declare_shard(tokens, 0);
  const auto gathered = [&](const Tensor& x) {
    if (plan.has("no gather of tokens")) return x;
    const Tensor y = gather_from_ranks(x, world.over_tensor(plan, "gather of tokens"));
    return plan.has("gather of tokens twice") ? gather_from_ranks(y, world.tensor) : y;
  };
  const Tensor x = net.embed(tokens);
  Tensor y = net.down(gelu(net.up(gathered(net.norm(x)))));
  y = scatter_sum_to_ranks(y, world.over_tensor(plan, "scatter of sums"));
  if (plan.has("scatter of sums twice")) y = scatter_sum_to_ranks(y, world.tensor);
  const Tensor loss = mean(square(x + y)) * (1.0 / world.tensor.size());
  loss.backward();
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
  reduce(net.embed, true);
  reduce(net.norm, !plan.has("norm forgotten"));
  reduce(net.up, plan.has("shards summed"));
  reduce(net.down, false);
  std::vector<Piece> pieces;
  add_loss(world, loss, true, pieces);
  add_pieces(world, "gradient", net.named_parameters(), pieces);
  optim::AdamW(net.parameters(), {.lr = 1e-3}).step();
  add_pieces(world, "parameter", net.named_parameters(), pieces);
  return pieces;
}

std::vector<Piece> train_by_hand(World& world, const Plan& plan) {
  nn::Linear net({.in = 3, .out = 2});
  net.to(world.dtype);
  world.fill(net.named_parameters());
  // One mask for the whole batch, which is the same along the tensor axis.
  RandomGenerator generator(
      7 + static_cast<std::uint64_t>(plan.has("dropout of each rank's own") ? world.tensor.rank() : 0));
  Tensor x = world.numbers("x", {8, 3}) * 3;
  x = dropout(x, 0.5, true, &generator);
  if (plan.has("loss of each rank's tokens"))  // one row and two, of three
    x = world.data.size() == 1 ? narrow(x, 0, 0, 3) : narrow(x, 0, world.data.rank(), 1 + world.data.rank());
  else x = World::part(x, 0, world.data);
  Tensor loss = cross_entropy(net(x), zeros({x.size(0)}, {.dtype = int64}));
  if (plan.has("loss times the number of ranks")) loss = loss * world.data.size();
  loss.backward();
  if (plan.has("clipped before the mean")) optim::clip_grad_norm_(net.parameters(), 0.1);
  const auto reduce = [&](const Tensor& gradient) {
    if (plan.has("broadcast for mean")) return world.data.broadcast(gradient).wait();
    world.data.all_reduce(gradient, plan.has("minimum for mean") ? Reduce::min : Reduce::mean).wait();
  };
  if (!plan.has("weight forgotten")) reduce(net.weight.grad());
  if (!plan.has("bias forgotten")) reduce(net.bias.grad());
  std::vector<Piece> pieces;
  add_loss(world, loss, false, pieces);
  add_pieces(world, "gradient", net.named_parameters(), pieces);
  {
    const NoGrad guard;
    for (const Tensor& parameter : net.parameters()) copy_(parameter, parameter - parameter.grad() * 0.1);
  }
  add_pieces(world, "parameter", net.named_parameters(), pieces);
  return pieces;
}

}  // namespace minima::test::planted
