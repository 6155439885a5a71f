#pragma once

#include <minima/io/tensors/pickle.h>
#include <minima/io/tensors/pt_element.h>
#include <minima/io/tensors/pt_file.h>
#include <minima/io/tensors/pt_value.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace minima::detail {

/// The most levels of lists and dicts in each other.
inline constexpr int max_pt_depth = 100;

/// Makes values of a file's pickle: knows what the classes and functions that PyTorch names stand for.
class PtObjects {
 public:
  explicit PtObjects(PtFile& file) : file_(file), pickle_(file.pickle()) {}

  /// Throws FormatError for what stands for no value, by name, and for what is nested too deeply or in itself.
  PtValue value(const Pickled& from) { return convert(from, 0); }

  /// The value of a dict's string key, not yet interpreted; null if `dict` is none or has no such key.
  const Pickled* find(const Pickled& dict, std::string_view key) const;
  /// Whether it is a dict, or a call that makes one.
  bool is_dict(const Pickled& value) const;

 private:
  PtValue convert(const Pickled& from, int depth);
  PtValue convert_object(const PickledObject& object, std::size_t index, int depth);
  PtValue call(const PickledObject& object, std::size_t index, int depth);
  std::vector<PtValue> list_of(const std::vector<Pickled>& items, int depth);
  PtValue dict_of(const std::vector<Pickled>& items, int depth);
  PtValue ordered_dict(const PickledObject& object, int depth);
  PtValue encoded_bytes(const PickledObject& object, int depth);
  PtValue numpy_scalar(const PickledObject& object, int depth);

  Tensor tensor_of(const Pickled& from, int depth);
  Tensor rebuilt(const PickledObject& object, const std::vector<Pickled>& arguments, const PtElement* element);
  Tensor tensor_in(const PtStorageId& id, const PtElement& element, const Shape& shape, const Shape& strides,
                   std::uint64_t offset, std::uint64_t at);
  Shape shape_of(const Pickled& from, std::uint64_t at) const;
  const PtElement* element_of(const Pickled& from) const;

  const std::vector<Pickled>& arguments_of(const PickledObject& call) const {
    return pickle_.object(call.arguments).items;
  }
  std::string full_name(const Pickled& name) const;
  [[noreturn]] void refuse(const Pickled& name) const;
  /// Counts a value that is made. One object may stand in many places, and those objects in many others.
  void count(std::uint64_t at);

  PtFile& file_;
  const Pickle& pickle_;
  std::size_t made_ = 0;
  std::vector<bool> is_open_;                        ///< by object: its items are being made
  std::unordered_map<std::size_t, Tensor> tensors_;  ///< by object
};

}  // namespace minima::detail
