#include <minima/profiler/causes/live_memory.h>

#include <minima/autograd/saved_tensor.h>
#include <minima/io/text/columns.h>
#include <minima/io/text/json.h>
#include <minima/profiler/causes/value_trace.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace minima::profiler {

namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr std::array<const char*, 4> kind_names{"saved", "parameter", "buffer", "gradient"};
const char* name_of(LiveBlock::Kind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

std::string size_of_block(std::int64_t bytes) {
  return bytes < 1 << 20 ? fixed(static_cast<double>(bytes) / 1024, 1) + " KiB"
                         : fixed(static_cast<double>(bytes) / (1 << 20), 1) + " MiB";
}

}  // namespace

/// Holds what nodes have saved so far.
struct LiveMemory::Saved {
  struct Entry {
    Tensor tensor;
    Origin keeper;
    Origin maker;
    double seconds;  ///< of the maker; negative if there is none
  };
  std::mutex lock;  ///< other threads may free the graph
  std::uint64_t next = 0;
  bool emptied = false;                    ///< since the last operator was seen
  std::map<std::uint64_t, Entry> entries;  ///< in the order of saving
};

class LiveMemory::Held final : public PackedTensor {
 public:
  Held(std::shared_ptr<Saved> saved, Saved::Entry entry) : tensor_(entry.tensor), saved_(std::move(saved)) {
    const std::lock_guard guard(saved_->lock);
    place_ = saved_->next++;
    saved_->entries.emplace(place_, std::move(entry));
  }
  ~Held() {
    const std::lock_guard guard(saved_->lock);
    saved_->entries.erase(place_);
    if (saved_->entries.empty()) saved_->emptied = true;
  }
  Tensor unpack() override { return tensor_; }

 private:
  Tensor tensor_;
  std::shared_ptr<Saved> saved_;
  std::uint64_t place_ = 0;
};

LiveMemory::LiveMemory(const LiveMemoryOptions& options) : options_(options), saved_(std::make_shared<Saved>()) {
  minima::detail::check_number("LiveMemory", "offload_bytes_per_second", options.offload_bytes_per_second,
                               minima::detail::positive);
}

LiveMemory::~LiveMemory() = default;

void LiveMemory::Timer::begin(const char* op, Cost cost) {
  if (previous_) previous_->begin(op, cost);
  began_.push_back(seconds_now());
}

void LiveMemory::Timer::end() noexcept {
  last_seconds = seconds_now() - began_.back();
  began_.pop_back();
  if (previous_) previous_->end();
}

void LiveMemory::see(const Origin& origin, const Tensor& value) {
  if (origin.kind != Origin::Kind::operation) return;
  {
    const std::lock_guard guard(saved_->lock);
    if (std::exchange(saved_->emptied, false)) makers_.clear();  // whose memory may hold anything by now
  }
  const Storage* storage = value.impl()->storage.get();
  makers_.insert_or_assign(storage, Maker{origin, storage->bytes(), timer_.last_seconds});
}

PackedTensor* LiveMemory::pack(const Tensor& tensor, const char* op, bool is_leaf) {
  if (is_leaf) return nullptr;  // parameters, which are there anyway
  Saved::Entry entry{.tensor = tensor, .keeper = latest(), .maker = {}, .seconds = -1};
  if (entry.keeper.op != op) entry.keeper = {.op = op, .module = module()};
  const Storage* storage = tensor.impl()->storage.get();
  if (const auto made = makers_.find(storage); made != makers_.end() && made->second.bytes == storage->bytes()) {
    entry.maker = made->second.origin;
    entry.seconds = made->second.seconds;
  }
  return new Held(saved_, std::move(entry));
}

LiveReport LiveMemory::report(Device device) const {
  LiveReport report;
  report.allocated = memory_stats(device).allocated;
  std::map<const Storage*, LiveBlock> blocks;
  const auto keep = [&](const Tensor& tensor, LiveBlock::Kind kind, const std::string& keeper) -> LiveBlock& {
    const Storage* storage = tensor.impl()->storage.get();
    LiveBlock& block = blocks[storage];
    if (block.keepers.empty()) {
      block.kind = kind;
      block.bytes = static_cast<std::int64_t>(storage->bytes());
      block.spec = str(tensor.dtype(), " ", tensor.shape());
      block.offload_seconds = 2 * static_cast<double>(block.bytes) / options_.offload_bytes_per_second;
    }
    if (std::find(block.keepers.begin(), block.keepers.end(), keeper) == block.keepers.end())
      block.keepers.push_back(keeper);
    return block;
  };
  for (const auto& [name, tensor, is_parameter] : named_) {
    if (tensor.device() == device)
      keep(tensor, is_parameter ? LiveBlock::Kind::parameter : LiveBlock::Kind::buffer, name);
    if (const Tensor gradient = tensor.requires_grad() ? tensor.grad() : Tensor();
        gradient.defined() && gradient.device() == device)
      keep(gradient, LiveBlock::Kind::gradient, name + ".grad");
  }
  {
    const std::lock_guard guard(saved_->lock);
    for (const auto& [place, entry] : saved_->entries) {
      if (entry.tensor.device() != device) continue;
      LiveBlock& block = keep(entry.tensor, LiveBlock::Kind::saved, "the gradient of " + entry.keeper.text());
      if (block.kind != LiveBlock::Kind::saved || entry.seconds < 0) continue;
      block.maker = entry.maker.text();
      block.recompute_seconds = entry.seconds;
    }
  }
  for (auto& [storage, block] : blocks) report.blocks.push_back(std::move(block));
  std::stable_sort(report.blocks.begin(), report.blocks.end(), [](const LiveBlock& a, const LiveBlock& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.keepers < b.keepers;
  });
  return report;
}

std::int64_t LiveReport::named() const {
  std::int64_t sum = 0;
  for (const LiveBlock& block : blocks) sum += block.bytes;
  return sum;
}

std::string LiveReport::text(int most) const {
  const std::int64_t rest = std::max<std::int64_t>(allocated - named(), 0);
  std::string text = str(size_of_block(allocated), " allocated: ", size_of_block(named()), " in ", blocks.size(),
                         " blocks below, ", size_of_block(rest), " held by the program\n");
  for (std::size_t i = 0; i < blocks.size() && i < static_cast<std::size_t>(most); ++i) {
    const LiveBlock& block = blocks[i];
    text += column(size_of_block(block.bytes), 12, true) + "  " + column(name_of(block.kind), 10) + block.spec;
    if (!block.maker.empty()) text += ", made by " + block.maker;
    text += "\n";
    for (const std::string& keeper : block.keepers) text += "              kept by " + keeper + "\n";
    if (block.kind == LiveBlock::Kind::saved)
      text += str("              instead: ",
                  block.maker.empty() ? "" : "recompute " + fixed(1e3 * block.recompute_seconds, 3) + " ms, ",
                  "offload ", fixed(1e3 * block.offload_seconds, 3), " ms\n");
  }
  if (blocks.size() > static_cast<std::size_t>(most))
    text += str("  and ", blocks.size() - static_cast<std::size_t>(most), " more\n");
  return text;
}

Json LiveReport::json() const {
  Json list = Json::array();
  for (const LiveBlock& block : blocks) {
    Json keepers = Json::array(), entry = Json::object();
    for (const std::string& keeper : block.keepers) keepers.push_back(keeper);
    entry.set("kind", name_of(block.kind));
    entry.set("bytes", block.bytes);
    entry.set("tensor", block.spec);
    entry.set("maker", block.maker);
    entry.set("keepers", std::move(keepers));
    entry.set("recompute_ms", 1e3 * block.recompute_seconds);
    entry.set("offload_ms", 1e3 * block.offload_seconds);
    list.push_back(std::move(entry));
  }
  Json result = Json::object();
  result.set("allocated", allocated);
  result.set("named", named());
  result.set("blocks", std::move(list));
  return result.with_valid_utf8();
}

}  // namespace minima::profiler
