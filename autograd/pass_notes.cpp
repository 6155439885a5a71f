#include <minima/autograd/engine.h>

#include <minima/autograd/leaf.h>
#include <minima/autograd/node.h>
#include <minima/tensor/tensor.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

// A pass's notes about nodes that other passes may be using.

namespace minima {

namespace {

std::uint64_t next_pass() {
  static std::atomic<std::uint64_t> counter{0};
  return ++counter;
}

bool exchange(std::uint64_t& word, std::uint64_t& expected, std::uint64_t wanted) {
  return __atomic_compare_exchange_n(&word, &expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);
}

// Counts the guest passes of inner nodes. Guests are rare, so the counts are kept outside the nodes.
constinit std::atomic<int> guest_count{0};
struct Guests {
  std::mutex lock;
  std::unordered_map<const Node*, int> in;
};
Guests& guests() {
  static Guests& all = *new Guests;  // threads may use it while the process exits
  return all;
}

void add_guest(const Node& node) {
  {
    const std::lock_guard guard(guests().lock);
    ++guests().in[&node];
  }
  ++guest_count;
}

void remove_guest(const Node& node) noexcept {
  const std::lock_guard guard(guests().lock);
  const auto place = guests().in.find(&node);
  if (--place->second == 0) guests().in.erase(place);
  --guest_count;
}

bool has_guests(const Node& node) {
  if (guest_count == 0) [[likely]]
    return false;
  const std::lock_guard guard(guests().lock);
  return guests().in.contains(&node);
}

constinit thread_local const Pass* current_pass = nullptr;

void clear_notes(Node& node) noexcept {
  for (std::uint32_t i = 0; i < node.output_count(); ++i)
    if (Tensor& pending = node.outputs()[i].pending; pending.defined()) pending = {};
  Node::Scratch& scratch = node.scratch;
  scratch.dependencies = 0;
  scratch.needed = scratch.is_target = scratch.written = scratch.is_skipped = false;
}

}  // namespace

Pass::Pass(const Request& request) : request_(request), id_(next_pass()), outer_(std::exchange(current_pass, this)) {}

Pass::~Pass() {
  current_pass = outer_;
  unlock_leaves();
  for (Node* node : nodes_)
    if (holds(*node)) leave(*node);
  for (const auto& [node, notes] : conflicts_)
    if (!node->is_leaf()) remove_guest(*node);
}

const Pass* Pass::current() { return current_pass; }

bool Pass::awaits(const Node& leaf) const {
  if (outer_ && outer_->awaits(leaf)) return true;
  if (request_.inputs || !(holds(leaf) || conflicts_.contains(&leaf))) return false;
  return notes(leaf).dependencies > 0;
}

bool detail::awaits_gradient(const Tensor& leaf) {
  const Pass* const pass = Pass::current();
  const Leaf* const end = pass ? Leaf::find(leaf) : nullptr;
  return end && pass->awaits(*end);
}

/// Releases a node that this pass holds.
void Pass::leave(Node& node) noexcept {
  clear_notes(node);
  __atomic_store_n(&node.scratch.pass, 0, __ATOMIC_RELEASE);
}

/// After the node has run: frees its saved tensors and releases it, unless another pass uses it. Either this pass sees
/// the guest, or the guest sees the mark.
void Pass::free_saved(Node& node) {
  std::uint64_t held = id_;
  if (!exchange(node.scratch.pass, held, id_ | freeing)) return;
  if (has_guests(node)) {
    __atomic_store_n(&node.scratch.pass, id_, __ATOMIC_RELEASE);
    return;
  }
  node.release_saved();
  leave(node);
}

/// Returns true the first time this pass reaches the node. That call also decides, once, where its notes are kept.
bool Pass::claim(Node& node) {
  if (!conflicts_.empty() && conflicts_.contains(&node)) return false;
  if (nodes_.size() == nodes_.capacity())
    nodes_.reserve(2 * nodes_.size() + 16);  // so that push_back cannot throw once the node is claimed
  std::uint64_t holder = 0;
  if (!exchange(node.scratch.pass, holder, id_)) {
    if (holder == id_) return false;
    become_guest(node);
  }
  nodes_.push_back(&node);
  return true;
}

void Pass::become_guest(Node& node) {
  conflicts_.try_emplace(&node, Notes{{}, std::vector<Tensor>(node.output_count())});
  if (node.is_leaf()) return;  // saves nothing
  try {
    add_guest(node);
  } catch (...) {
    conflicts_.erase(&node);
    throw;
  }
  while (__atomic_load_n(&node.scratch.pass, __ATOMIC_SEQ_CST) & freeing) std::this_thread::yield();
}

}  // namespace minima
