#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minima {

/// The saved state of a module, an optimizer, a generator or a loader: named tensors and named values, each in the
/// order of insertion. Dots in names form a tree: `model.layers.0.weight`. Tensors are handles, so a state shares
/// memory with the object it was taken from.
///
///     State all;
///     all.add("model", net.state_dict());
///     all.add("optimizer", optimizer.state_dict());
///     all.set_integer("epoch", 3);
///     save("run.safetensors", all);
///
///     State back = load("run.safetensors");
///     net.load_state_dict(back.sub("model"));
class MINIMA_API State {
 public:
  struct NamedTensor {
    std::string name;
    Tensor tensor;
  };
  struct NamedText {
    std::string name;
    std::string text;
  };

  // Called on a temporary (`for (auto& [name, tensor] : load(path).tensors())`), these return by value.
  const std::vector<NamedTensor>& tensors() const& { return tensors_; }
  std::vector<NamedTensor> tensors() && { return std::move(tensors_); }
  /// The values, as text.
  const std::vector<NamedText>& texts() const& { return texts_; }
  std::vector<NamedText> texts() && { return std::move(texts_); }
  bool empty() const { return tensors_.empty() && texts_.empty(); }

  /// Adds a tensor. Throws ValueError for a name that exists, an empty name, or an undefined tensor.
  void add(const std::string& name, const Tensor& tensor);
  /// The tensor with this name; throws ValueError if there is none.
  Tensor tensor(std::string_view name) const;
  /// The same; null if there is none.
  const Tensor* find(std::string_view name) const;

  // Values. Setters replace; getters throw ValueError for a missing name or a value of another kind.
  void set_text(const std::string& name, const std::string& value);
  void set_integer(const std::string& name, std::int64_t value);
  void set_unsigned(const std::string& name, std::uint64_t value);
  /// Exact: `number` returns the same double, including infinities and NaN.
  void set_number(const std::string& name, double value);
  std::string text(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  std::uint64_t unsigned_integer(std::string_view name) const;
  double number(std::string_view name) const;
  const std::string* find_text(std::string_view name) const;

  /// Adds everything in `part` under `prefix.`, or unchanged if the prefix is empty.
  void add(const std::string& prefix, const State& part);
  /// Everything under `prefix.`, with the prefix removed.
  State sub(const std::string& prefix) const;

 private:
  std::vector<NamedTensor> tensors_;
  std::vector<NamedText> texts_;
  // Hash tables: position + 1 in the list, 0 for a free slot.
  std::vector<std::uint32_t> tensor_slots_;
  std::vector<std::uint32_t> text_slots_;
};

/// `prefix.name`, or `name` if the prefix is empty.
MINIMA_API std::string join_names(const std::string& prefix, const std::string& name);

}  // namespace minima
