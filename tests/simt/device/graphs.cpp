#include "tests/simt/device/graphs.h"

#include "tests/simt/harness/simt.h"

#include <minima/tensor/memory/cpu/cpu_allocator.h>

#include <cstring>
#include <optional>

namespace minima {

namespace {

thread_local Allocator* capture_pool = nullptr;

/// One pool's blocks, which return to its list when freed; `poison` ends their use.
class Pool final : public Allocator {
 public:
  Storage* allocate(std::size_t bytes) override {
    const std::size_t rounded = (bytes + 63) / 64 * 64 + 64;
    auto& free = free_[rounded];
    char* block = nullptr;
    if (!free.empty()) {
      block = free.back();
      free.pop_back();
    } else {
      block = static_cast<char*>(::operator new(rounded, std::align_val_t(64)));
      blocks_.emplace_back(block, rounded);
    }
    return new Storage(block, bytes, Device::cpu(), *this);
  }
  void release(Storage* storage) noexcept override {
    const std::size_t rounded = (storage->bytes() + 63) / 64 * 64 + 64;
    free_[rounded].push_back(static_cast<char*>(storage->data()));
    delete storage;
  }
  void poison() {
    for (auto& [size, list] : free_)
      for (char* block : list) std::memset(block, 0xFF, size);
  }

 private:
  std::map<std::size_t, std::vector<char*>> free_;
  std::vector<std::pair<char*, std::size_t>> blocks_;
};

class Graph final : public train::GraphDriver::Graph {
 public:
  explicit Graph(std::vector<std::function<void()>> work) : work_(std::move(work)) {}
  void replay() override {
    for (const auto& launch : work_) launch();
  }

 private:
  std::vector<std::function<void()>> work_;
};

}  // namespace

/// Replaces tensor/memory/allocator_of.cpp: captures allocate from their pool.
Allocator& allocator_of(Device) { return capture_pool ? *capture_pool : *detail::cpu_allocator; }

namespace test {

struct SimulatedGraphs::State {
  std::map<int, Pool*> pools;  // never deleted: tensors may outlive the driver
  std::optional<simt::Recording> recording;
};

SimulatedGraphs::SimulatedGraphs() : state_(std::make_unique<State>()) {}
SimulatedGraphs::~SimulatedGraphs() = default;

void SimulatedGraphs::begin(Device, int pool) {
  ++begun;
  Pool*& memory = state_->pools[pool];
  if (!memory) memory = new Pool;
  capture_pool = memory;
  state_->recording.emplace();
}

std::unique_ptr<train::GraphDriver::Graph> SimulatedGraphs::end(Device) {
  ++ended;
  capture_pool = nullptr;
  std::vector<std::function<void()>> work = state_->recording->take();
  state_->recording.reset();
  launches = work.size();
  return std::make_unique<minima::Graph>(std::move(work));
}

void SimulatedGraphs::abandon(Device) noexcept {
  ++abandoned;
  capture_pool = nullptr;
  state_->recording.reset();
}

void SimulatedGraphs::release_pool(Device, int pool) noexcept {
  released.push_back(pool);
  if (const auto place = state_->pools.find(pool); place != state_->pools.end()) place->second->poison();
}

}  // namespace test
}  // namespace minima
