#include "simulated/census/census.h"

#include "simulated/machine/cost.h"
#include "simulated/machine/handles.h"
#include "simulated/machine/machine.h"
#include "simulated/machine/recorder.h"
#include "simulated/machine/schedule.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace simulated {

class Census::Records final : public Recorder {
 public:
  Records() : start_(machine().now) {
    machine().recorders.push_back(this);
    machine().plan.listen([this](const std::string& function) { called(function); });
  }
  ~Records() override {
    std::erase(machine().recorders, this);
    machine().plan.listen(nullptr);
  }

  void submitted(const CUstream_st& stream, const TaskRef& task) override {
    if (task->work.cost.kind == WorkKind::mark) return;
    const int number = streams_.try_emplace(&stream, static_cast<int>(streams_.size())).first->second;
    tasks_.push_back({task, number});
  }
  void called(const std::string& function) override {
    if (!function.starts_with("cu") && !function.starts_with("nccl")) return;  // an engine, which plans can fail
    if (function.find('.') != std::string::npos) return;                       // the same of an algorithm
    const Label& by = label();
    ++calls_[{function, by.op, by.module, by.backward}];
    end_ = machine().now;
  }

  std::vector<Piece> pieces() const {
    std::vector<Piece> result;
    for (const auto& [task, stream] : tasks_) {
      machine().finish(task);
      const Work& work = task->work;
      result.push_back({work.name, work.device, stream, work.label, work.cost, task->begin, task->end});
    }
    return result;
  }
  std::vector<CallCount> calls() const {
    std::vector<CallCount> result;
    for (const auto& [key, count] : calls_) {
      const auto& [function, op, module, backward] = key;
      result.push_back({function, {op, module, backward}, count});
    }
    return result;
  }
  double start() const { return start_; }
  Label last_user(const void* address) const {
    for (auto task = tasks_.rbegin(); task != tasks_.rend(); ++task)
      for (const Access& access : task->task->work.accesses)
        if (access.address <= address && address < access.address + access.bytes) return task->task->work.label;
    return {};
  }
  double host_seconds() const { return std::max(0.0, end_ - start_); }

 private:
  struct Submitted {
    TaskRef task;
    int stream;
  };
  double start_, end_ = 0;
  std::vector<Submitted> tasks_;
  std::map<const CUstream_st*, int> streams_;
  std::map<std::tuple<std::string, std::string, std::string, bool>, std::int64_t> calls_;
};

namespace {

std::unique_lock<std::mutex> lock_machine() { return std::unique_lock(machine().mutex); }

template <std::size_t n>
bool is_one_of(const std::string& function, const std::array<std::string_view, n>& names) {
  return std::find(names.begin(), names.end(), function) != names.end();
}

}  // namespace

Census::Census() {
  const auto lock = lock_machine();
  records_ = std::make_unique<Records>();
}

Census::~Census() {
  const auto lock = lock_machine();
  records_.reset();
}

std::vector<Piece> Census::pieces() const {
  const auto lock = lock_machine();
  return records_->pieces();
}

std::vector<CallCount> Census::calls() const {
  const auto lock = lock_machine();
  return records_->calls();
}

double Census::host_seconds() const {
  const auto lock = lock_machine();
  return records_->host_seconds();
}

double Census::start() const {
  const auto lock = lock_machine();
  return records_->start();
}

Label Census::last_user(const void* address) const {
  const auto lock = lock_machine();
  return records_->last_user(address);
}

Label set_label(Label next) { return std::exchange(label(), std::move(next)); }

bool is_synchronisation(const std::string& function) {
  static constexpr std::array<std::string_view, 6> names{"cudaStreamSynchronize",
                                                         "cudaDeviceSynchronize",
                                                         "cudaEventSynchronize",
                                                         "cudaMemcpy",
                                                         "cudaFree",
                                                         "cudaMemcpyAsync from pageable memory"};
  return is_one_of(function, names);
}

bool is_allocation(const std::string& function) {
  static constexpr std::array<std::string_view, 8> names{"cudaMalloc",    "cudaMallocAsync", "cudaFree",
                                                         "cudaFreeAsync", "cudaHostAlloc",   "cudaFreeHost",
                                                         "cuMemCreate",   "cuMemRelease"};
  return is_one_of(function, names);
}

bool is_page_move(const std::string& function) {
  static constexpr std::array<std::string_view, 3> names{"cuMemMap", "cuMemUnmap", "cuMemSetAccess"};
  return is_one_of(function, names);
}

}  // namespace simulated
