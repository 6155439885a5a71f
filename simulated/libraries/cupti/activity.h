#pragma once

#include "simulated/machine/recorder.h"
#include "simulated/machine/schedule.h"

#include <cupti.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace simulated {

/// CUPTI keeps this while some kind of activity is enabled. All functions are called with the machine's lock held.
class Activity final : public Recorder {
 public:
  void submitted(const CUstream_st& stream, const TaskRef& task) override;
  void called(const std::string&) override {}
  void captured(std::uint64_t node) override { tell(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, 0, node); }
  void copied(std::uint64_t node, std::uint64_t copy) override {
    tell(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, node, copy);
  }

  /// Records of work that has run, one after the other as CUPTI packs them. What has not run stays.
  std::vector<std::uint8_t> take();
  /// Whether anything is to be heard of.
  bool is_needed() const { return !kinds.empty() || callback != nullptr; }

  std::set<CUpti_ActivityKind> kinds;
  CUpti_CallbackFunc callback = nullptr;
  void* userdata = nullptr;
  std::set<CUpti_CallbackId> callbacks;

 private:
  struct Submitted {
    TaskRef task;
    std::uint32_t stream, correlation;
  };
  void tell(CUpti_CallbackId id, std::uint64_t original, std::uint64_t node) const;
  void append_call(std::uint32_t correlation);
  void append(const Submitted& submitted);
  const char* name_of(const Work& work);
  template <class Record> void put(const Record& record);

  std::vector<std::uint8_t> records_;
  std::vector<Submitted> pending_;
  std::map<const CUstream_st*, std::uint32_t> streams_;
  std::set<std::string> names_;  ///< kept for ever, as records point at them
  std::uint32_t correlations_ = 0;
  std::uint64_t launch_ = 0;  ///< the newest of a graph
};

/// The calling thread's external correlation ids, innermost last.
std::vector<std::uint64_t>& external_ids();

}  // namespace simulated
