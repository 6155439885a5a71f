#include <minima/io/tensors/pt_storages.h>

#include <minima/io/tensors/pt_objects.h>
#include <minima/io/tensors/pt_value.h>
#include <minima/ops/copy/copy.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace minima::detail {

PtStorages::Placed PtStorages::place(const Tensor& tensor) const {
  const std::size_t storage = index_.at(key_of(tensor));
  const Range& range = ranges_[storage];
  if (is_copied(range)) return {storage, 0, Layout::contiguous(tensor.shape()).strides};
  return {storage, tensor.layout().offset - range.begin, tensor.strides()};
}

std::int64_t PtStorages::count(std::size_t storage) const {
  const Range& range = ranges_[storage];
  return is_copied(range) ? range.first.numel() : range.end - range.begin;
}

Tensor PtStorages::elements(std::size_t storage) const {
  const Range& range = ranges_[storage];
  if (is_copied(range)) return contiguous(range.first.detach()).to(Device::cpu());
  Layout row{.shape = {range.end - range.begin}, .strides = {1}, .offset = range.begin};
  return Tensor(new TensorImpl(range.first.impl()->storage, std::move(row), range.first.dtype())).to(Device::cpu());
}

/// A view with gaps, the only one of its storage.
bool PtStorages::is_copied(const Range& range) {
  return range.tensors == 1 && !range.first.layout().is_dense() && range.end - range.begin > range.first.numel();
}

void PtStorages::collect(const PtValue& value, int depth) {
  if (depth > max_pt_depth) throw ValueError(str("write_pt: values are nested deeper than ", max_pt_depth, " levels"));
  if (value.kind() == PtValue::Kind::tensor) return add(value.tensor());
  if (value.kind() == PtValue::Kind::list || value.kind() == PtValue::Kind::tuple)
    for (const PtValue& item : value.items()) collect(item, depth + 1);
  if (value.kind() == PtValue::Kind::dict)
    for (const auto& [key, item] : value.entries()) collect(key, depth + 1), collect(item, depth + 1);
}

void PtStorages::add(const Tensor& tensor) {
  const auto [found, is_new] = index_.emplace(key_of(tensor), ranges_.size());
  const std::int64_t begin = tensor.layout().offset, end = std::max(begin, tensor.layout().end());
  if (is_new) ranges_.push_back({.first = tensor, .begin = begin, .end = end});
  Range& range = ranges_[found->second];
  range.begin = std::min(range.begin, begin);
  range.end = std::max(range.end, end);
  range.tensors += is_new || !range.first.is_same(tensor);
}

}  // namespace minima::detail
