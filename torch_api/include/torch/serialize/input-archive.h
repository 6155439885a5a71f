#pragma once

#include <ATen/core/ivalue.h>
#include <torch/serialize/fwd.h>
#include <torch/types.h>

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace torch::serialize {

namespace detail {
struct Entries;
}

/// Reads what an OutputArchive wrote. `read` throws if there is nothing of that name, `try_read` returns false. Reading
/// into a tensor that is defined replaces its data, so that a module's parameters stay the same tensors. Tensors come
/// to the device that load_from was given. Without one they come to the CPU, or stay where the tensor is that they are
/// read into; LibTorch brings them to the device that they were saved on.
class InputArchive final {
 public:
  InputArchive();
  InputArchive(InputArchive&&) = default;
  InputArchive& operator=(InputArchive&&) = default;
  InputArchive(const InputArchive&) = delete;
  InputArchive& operator=(const InputArchive&) = delete;
  ~InputArchive() = default;

  void read(const std::string& key, c10::IValue& ivalue);
  bool try_read(const std::string& key, c10::IValue& ivalue);
  void read(const std::string& key, Tensor& tensor, bool is_buffer = false);
  bool try_read(const std::string& key, Tensor& tensor, bool is_buffer = false);
  void read(const std::string& key, InputArchive& archive);
  bool try_read(const std::string& key, InputArchive& archive);

  void load_from(const std::string& filename, std::optional<Device> device = std::nullopt);
  void load_from(std::istream& stream, std::optional<Device> device = std::nullopt);
  void load_from(const char* data, size_t size, std::optional<Device> device = std::nullopt);
  void load_from(const std::function<size_t(uint64_t pos, void* buf, size_t nbytes)>& read_func,
                 const std::function<size_t()>& size_func, std::optional<Device> device = std::nullopt);

  /// All names, in the order of writing.
  std::vector<std::string> keys();

  template <typename... Ts>
  void operator()(Ts&&... ts) {
    read(std::forward<Ts>(ts)...);
  }

 private:
  void load(std::span<const char> bytes, const std::string& source, std::optional<Device> device);

  std::shared_ptr<const detail::Entries> entries_;
  std::string prefix_;  ///< for messages: "a.b."
  std::optional<Device> device_;
};

}  // namespace torch::serialize
