#pragma once

#include <minima/autograd/saved_tensor.h>
#include <minima/io/text/json.h>
#include <minima/profiler/causes/value_trace.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace minima::profiler {

/// A block of memory and why it is alive.
struct LiveBlock {
  enum class Kind : std::uint8_t { saved, parameter, buffer, gradient };
  Kind kind = Kind::saved;
  std::int64_t bytes = 0;
  std::string spec = {};                  ///< `float32 [32, 128]`, as the first keeper sees it
  std::string maker = {};                 ///< `linear in a`; empty for what no recorded operator made
  std::vector<std::string> keepers = {};  ///< `the gradient of relu in b`, or the tensor's name
  double recompute_seconds = 0;           ///< what its maker took; 0 where it is unknown
  double offload_seconds = 0;             ///< copying it away and back
};

struct LiveReport {
  std::vector<LiveBlock> blocks;  ///< largest first
  std::int64_t allocated = 0;     ///< by the whole process on the device

  /// Bytes of the blocks. The rest of `allocated` belongs to the program: data, results, optimizers' state.
  MINIMA_API std::int64_t named() const;
  MINIMA_API std::string text(int most = 20) const;
  /// {"allocated", "named", "blocks": [{"kind", "bytes", "tensor", "maker", "keepers", "recompute_ms", "offload_ms"}]}
  MINIMA_API Json json() const;
};

struct LiveMemoryOptions {
  /// One direction of the copy that offloading makes: 16 lanes of PCIe 4.0 reach about 25e9.
  double offload_bytes_per_second = 25e9;
};

/// Says why memory is alive: which node keeps it for the gradient of which operator in which module, who made it, and
/// what recomputing or offloading it instead would cost.
///
///     profiler::LiveMemory memory;
///     memory.watch(net);
///     const Tensor loss = cross_entropy(net(x), y);
///     std::puts(memory.report().text().c_str());
///
/// Sees what this thread saves during its lifetime, except under other saved-tensor hooks within it. Destroy it on its
/// thread. Meanwhile saved tensors are not checked for in-place changes.
class MINIMA_API LiveMemory final : private detail::ValueTrace, private SavedTensorHooks {
 public:
  explicit LiveMemory(const LiveMemoryOptions& options = {});
  ~LiveMemory();

  /// Names modules, parameters, buffers and gradients. The network must outlive this.
  template <class Module>
  LiveMemory& watch(Module& network) {
    ValueTrace::watch(network);
    for (const auto& [name, tensor] : network.named_parameters()) named_.push_back({name, tensor, true});
    for (const auto& [name, tensor] : network.named_buffers()) named_.push_back({name, tensor, false});
    return *this;
  }

  /// Reports what is alive now.
  LiveReport report(Device device = Device::cpu()) const;

 private:
  struct Maker {
    Origin origin;
    std::size_t bytes;
    double seconds;
  };
  struct Named {
    std::string name;
    Tensor tensor;
    bool is_parameter;
  };
  /// Times operators. A class of its own, since ValueTrace has an `end` for formulas.
  class MINIMA_API Timer final : public Observer {
   public:
    Timer() : previous_(set_observer(this)) {}
    Timer(const Timer&) = delete;
    ~Timer() { set_observer(previous_); }
    void begin(const char* op, Cost cost) override;
    void end() noexcept override;

    double last_seconds = 0;  ///< of the last operator that ended

   private:
    std::vector<double> began_;  ///< of operators under way, innermost last
    Observer* previous_;
  };
  struct Saved;
  class Held;

  void see(const Origin& origin, const Tensor& value) override;
  PackedTensor* pack(const Tensor& tensor, const char* op, bool is_leaf) override;

  LiveMemoryOptions options_;
  std::map<const Storage*, Maker> makers_;
  std::vector<Named> named_;
  std::shared_ptr<Saved> saved_;  ///< shared with what the graph holds, which may live longer
  Timer timer_;
};

}  // namespace minima::profiler
