#include <minima/distributed/sharding/sharder.h>

#include <minima/autograd/mode.h>
#include <minima/distributed/agreement.h>
#include <minima/distributed/backends/backend.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/distributed/process_group.h>
#include <minima/distributed/sharding/flat_weights.h>
#include <minima/optim/gradient/accumulation.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/transfer.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// The Sharder's members that reduce gradients. Each rank may use other parameters in a pass, such as experts or
// branches that depend on data, so all ranks reduce everything that is trained, in one order: a rank that has not used
// a block contributes zeros. At the end of a pass the ranks tell each other what they have used, and a shard gets a
// gradient if any rank has.

namespace minima::distributed::detail {

namespace {

constexpr std::size_t call_bytes = 8;  ///< of the hash of calls: four bytes, and their complements

}  // namespace

void Sharder::note_call(const FlatWeights& flat, char kind) {
  const auto add = [this](char c) { calls_ = (calls_ ^ static_cast<unsigned char>(c)) * 16777619u; };
  add(kind);
  for (const char c : flat.members().front().name) add(c);
}

void Sharder::start_reductions(std::size_t present) {
  std::size_t end = next_turn_;
  for (std::size_t i = next_turn_; i < turns_.size(); ++i) {
    const auto [block, flat] = turns_[i];
    // Parameters in no block are used before and behind the blocks: they wait for the end.
    if (block == 0 || flat->awaits_gradients()) break;
    if (flat->has_gradients() || (blocks_[block].is_reached && block != present)) end = i + 1;
  }
  while (next_turn_ < end) start_reduction(*turns_[next_turn_++].flat);
}

void Sharder::start_reduction(FlatWeights& flat) {
  flat.notice_zero_grad();
  if (!flat.is_trained() && !flat.has_postponed()) return;
  finish_reductions();
  note_call(flat, 'r');
  flat.start_reduce();
  reducing_ = &flat;
}

void Sharder::finish_reductions() {
  if (!reducing_) return;
  reducing_->finish_reduce();
  arriving_.push_back(std::exchange(reducing_, nullptr));
  // A gradient from a GPU arrives while that computes the next block.
  if (on_reduced_) announce_arrived(plan_.copies ? 1 : 0);
}

void Sharder::announce_arrived(std::size_t late) {
  while (arriving_.size() > late) {
    FlatWeights* const flat = arriving_.front();
    arriving_.pop_front();
    flat->deliver();
    for (std::size_t index = 1; index < blocks_.size(); ++index) {
      const auto& flats = blocks_[index].flats;
      if (std::any_of(flats.begin(), flats.end(), [&](const Ref<FlatWeights>& each) { return each.get() == flat; }) &&
          std::all_of(flats.begin(), flats.end(),
                      [](const Ref<FlatWeights>& each) { return !each->is_trained() || each->is_complete(); }))
        announce(index);
    }
  }
}

void Sharder::announce(std::size_t index) {
  Block& block = blocks_[index];
  block.is_announced = true;
  const std::uint64_t before = epoch();
  on_reduced_(index);
  stepped_ += epoch() - before;
}

void Sharder::end_reductions() {
  while (next_turn_ < turns_.size()) start_reduction(*turns_[next_turn_++].flat);
  finish_reductions();
  for (const Turn& turn : turns_) turn.flat->deliver();
  share_usage();
  agree_on_order();
  for (std::size_t index = 0; on_reduced_ && index < blocks_.size(); ++index) {
    const auto& flats = blocks_[index].flats;
    if (!blocks_[index].is_announced &&
        std::any_of(flats.begin(), flats.end(), [](const auto& flat) { return flat->is_sent(); }))
      announce(index);
  }
}

/// A rank that has used all parameters knows which shards have gradients, and does not read what the others say.
void Sharder::share_usage() {
  const PlacementPause pause;
  std::vector<std::uint8_t> bytes;
  for (int shift = 0; shift < 32; shift += 8) {
    const auto byte = static_cast<std::uint8_t>(calls_ >> shift);
    bytes.insert(bytes.end(), {byte, static_cast<std::uint8_t>(~byte)});
  }
  calls_ = first_hash;
  bool is_all_used = true;
  for (const Block& block : blocks_)
    for (const Ref<FlatWeights>& flat : block.flats)
      for (const FlatWeights::Member& member : flat->members()) {
        bytes.push_back(member.is_used);
        is_all_used = is_all_used && !member.is_arrived;
      }
  const bool has_replicas = options_.replicas.defined() && options_.replicas.size() > 1;
  const std::vector<std::uint8_t> own(bytes.begin() + call_bytes, bytes.end());
  if (minima::detail::is_captured(group_.device())) return share_captured_usage(own, is_all_used);
  any_usage_.clear();
  if (group_.size() > 1 || has_replicas) {
    const NoGrad guard;
    const Tensor usage = from_vector(bytes, {static_cast<std::int64_t>(bytes.size())}).to(group_.device());
    const CallOptions call{.label = "which parameters were used"};
    group_.all_reduce(usage, Reduce::max, call).wait();
    if (has_replicas) options_.replicas.all_reduce(usage, Reduce::max, call).wait();
    check_last_calls();
    if (!has_other_ranks()) {
      // A pretended group has used the same. A dry run could not read it.
    } else if (usage.device().is_cuda() && is_all_used) {
      usage_is_there_ = std::make_unique<Event>();
      usage_ = fetch_async(usage, *usage_is_there_);
    } else {
      bytes = usage.to_vector<std::uint8_t>();
      check_calls(bytes.data());
      any_usage_.assign(bytes.begin() + call_bytes, bytes.end());
    }
  }
  own_usage_ = own;
  accept_gradients(bytes.data() + call_bytes);
}

/// Replays use what the captured pass uses, which is what the pass before it used, on all ranks: where it is not, the
/// capture fails. Calls are compared with those of the other ranks by CapturedGroups.
void Sharder::share_captured_usage(const std::vector<std::uint8_t>& own, bool is_all_used) {
  if (own != own_usage_ || (!is_all_used && any_usage_.empty() && has_other_ranks()))
    throw CaptureError(
        "shard: the step uses other parameters on this rank than the one before it, so the ranks would have to tell "
        "each other in every step");
  accept_gradients(any_usage_.empty() ? own.data() : any_usage_.data());
}

bool Sharder::has_other_ranks() const {
  return has_others(group_) || (options_.replicas.defined() && has_others(options_.replicas));
}

void Sharder::accept_gradients(const std::uint8_t* used) {
  for (const Block& block : blocks_)
    for (const Ref<FlatWeights>& flat : block.flats) {
      flat->accept_gradients(used);
      used += flat->members().size();
    }
}

/// For GPUs: a pass later, since the host must not wait for this one.
void Sharder::check_last_calls() {
  if (!usage_.defined()) return;
  usage_is_there_->synchronize();
  check_calls(std::exchange(usage_, {}).data<std::uint8_t>());
}

/// Backends match operations by their labels where they can. NCCL cannot.
void Sharder::check_calls(const std::uint8_t* calls) const {
  for (std::size_t i = 0; i < call_bytes; i += 2)
    if (calls[i] + calls[i + 1] != 255)
      throw ValueError(
          "shard: ranks have gathered or reduced different blocks, so weights and gradients were wrong; all ranks must "
          "call the same blocks in the same order: call a block that a rank does not need, too, and multiply its "
          "output "
          "by zero, or leave it out of the blocks");
}

/// The order of the first pass is that of blocks, backwards. From then on it is that in which gradients were complete
/// on the first rank, so that few wait for others.
void Sharder::agree_on_order() {
  if (std::exchange(has_order_, true)) return;
  const PlacementPause pause;
  std::vector<std::int64_t> order;
  const auto add = [&](const FlatWeights* flat) {
    const auto at = std::find_if(turns_.begin(), turns_.end(), [&](const Turn& turn) { return turn.flat == flat; }) -
                    turns_.begin();
    if (std::find(order.begin(), order.end(), at) == order.end()) order.push_back(at);
  };
  for (const FlatWeights* flat : completed_) add(flat);
  for (const Turn& turn : turns_) add(turn.flat);
  const auto share = [&](const ProcessGroup& group) {
    if (!has_others(group)) return;
    const NoGrad guard;
    const Tensor ours = from_vector(order, {static_cast<std::int64_t>(order.size())}).to(group.device());
    order = group.broadcast(ours, 0, {.label = "order of reductions"}).result().to_vector<std::int64_t>();
  };
  share(group_);
  if (options_.replicas.defined()) share(options_.replicas);
  std::vector<Turn> turns;
  turns.reserve(order.size());
  for (const std::int64_t at : order) turns.push_back(turns_[static_cast<std::size_t>(at)]);
  turns_ = std::move(turns);
}

void Sharder::sum_over_ranks(optim::Accumulation& accumulation) {
  options_.combine = plan_.combine = Reduce::sum;
  for (const Block& block : blocks_)
    for (const Ref<FlatWeights>& flat : block.flats) flat->set_combine(Reduce::sum);
  accumulation.reduce_with([group = group_, replicas = options_.replicas](const Tensor& totals) {
    const CallOptions call{.label = "loss and count of a step"};
    const Tensor sums = group.all_reduce(totals, Reduce::sum, call).result();
    return replicas.defined() ? replicas.all_reduce(sums, Reduce::sum, call).result() : sums;
  });
}

void Sharder::expect_agreement_on_trained() const {
  std::string text;
  for (const auto& [index, place] : order_) {
    const FlatWeights::Member& member = place.first->members()[place.second];
    text += member.name + (member.full.requires_grad() ? " trained\n" : " frozen\n");
  }
  expect_agreement("shard", "list of frozen parameters", text, group_);
  if (options_.replicas.defined()) expect_agreement("shard", "list of frozen parameters", text, options_.replicas);
}

}  // namespace minima::distributed::detail
