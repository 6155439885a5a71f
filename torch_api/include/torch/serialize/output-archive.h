#pragma once

#include <ATen/core/ivalue.h>
#include <torch/serialize/fwd.h>
#include <torch/types.h>

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>

namespace torch::jit {
struct CompilationUnit;
}

namespace torch::serialize {

namespace detail {
struct Entries;
}

/// Values, tensors and further archives by name, in the order in which they were written.
class OutputArchive final {
 public:
  OutputArchive();
  /// LibTorch's archives share a compilation unit; here the argument means nothing.
  explicit OutputArchive(const std::shared_ptr<jit::CompilationUnit>&) : OutputArchive() {}
  OutputArchive(OutputArchive&&) = default;
  OutputArchive& operator=(OutputArchive&&) = default;
  OutputArchive(const OutputArchive&) = delete;
  OutputArchive& operator=(const OutputArchive&) = delete;
  ~OutputArchive() = default;

  std::shared_ptr<jit::CompilationUnit> compilation_unit() const { return nullptr; }

  void write(const std::string& key, const c10::IValue& ivalue);
  void write(const std::string& key, const Tensor& tensor, bool is_buffer = false);
  void write(const std::string& key, OutputArchive& nested_archive);

  void save_to(const std::string& filename);
  void save_to(std::ostream& stream);
  /// `func` gets pieces of the file, in order.
  void save_to(const std::function<size_t(const void*, size_t)>& func);

  template <typename... Ts>
  void operator()(Ts&&... ts) {
    write(std::forward<Ts>(ts)...);
  }

 private:
  std::shared_ptr<detail::Entries> entries_;
};

}  // namespace torch::serialize
