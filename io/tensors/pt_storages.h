#pragma once

#include <minima/io/tensors/pt_value.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/storage/storage.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace minima::detail {

/// Finds the storages that a file needs for a value, in the order in which their tensors come. Tensors of one storage
/// and dtype share a row of elements, from the first one's start to the last one's end; a view with gaps that is alone
/// is written without them.
class PtStorages {
 public:
  /// A tensor as the file holds it.
  struct Placed {
    std::size_t storage = 0;
    std::int64_t offset = 0;
    Strides strides;
  };

  /// Throws ValueError for values that are nested too deeply.
  explicit PtStorages(const PtValue& value) { collect(value, 0); }

  std::size_t size() const { return ranges_.size(); }
  Placed place(const Tensor& tensor) const;
  /// The number of elements.
  std::int64_t count(std::size_t storage) const;
  /// The elements in a row, on the CPU.
  Tensor elements(std::size_t storage) const;

 private:
  struct Range {
    Tensor first;  ///< any of the tensors
    std::int64_t begin = 0, end = 0;
    int tensors = 0;
  };
  using Key = std::pair<const Storage*, DType>;
  static Key key_of(const Tensor& tensor) { return {tensor.impl()->storage.get(), tensor.dtype()}; }
  static bool is_copied(const Range& range);
  void collect(const PtValue& value, int depth);
  void add(const Tensor& tensor);

  std::map<Key, std::size_t> index_;
  std::vector<Range> ranges_;
};

}  // namespace minima::detail
