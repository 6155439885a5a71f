#include <minima/ops/complex/complex.h>
#include <minima/ops/copy/copy.h>

#include <torch/core/memory_order.h>
#include <torch/core/tensor.h>

namespace at {

namespace {

minima::Layout layout_for(const minima::Tensor& x, MemoryFormat format) {
  switch (format) {
    case MemoryFormat::ChannelsLast:
      TORCH_CHECK(x.rank() == 4, "required rank 4 tensor to use channels_last format");
      return minima::Layout::channels_last(x.shape());
    case MemoryFormat::ChannelsLast3d:
      TORCH_CHECK(x.rank() == 5, "required rank 5 tensor to use channels_last_3d format");
      return minima::Layout::channels_last(x.shape());
    default: return minima::Layout::contiguous(x.shape());
  }
}

Tensor converted(const Tensor& x, std::optional<ScalarType> dtype, std::optional<Device> device, bool copy,
                 std::optional<MemoryFormat> format) {
  minima::Tensor y = x;
  if (device) {
    minima::Device target = c10::native(*device);
    if (device->is_cuda() && !device->has_index() && y.device().is_cuda()) target = y.device();
    y = y.to(target);
  }
  if (dtype) {
    const minima::DType target = c10::native(*dtype);
    // As in LibTorch, imaginary parts are dropped.
    if (minima::is_complex(y.dtype()) && !minima::is_complex(target)) {
      TORCH_WARN("Casting complex values to real discards the imaginary part");
      y = minima::real(y);
    }
    y = y.to(target);
  }
  if (format && *format != MemoryFormat::Preserve) {
    const minima::Layout wanted = layout_for(y, *format);
    const bool has_it = *format == MemoryFormat::Contiguous ? y.is_contiguous() : y.layout().is_channels_last();
    if (!has_it) y = minima::copy_as(y, wanted);
    else if (copy && y.is_same(x)) y = minima::clone(y);
    return keep_order(y);
  }
  if (copy && y.is_same(x)) y = minima::clone(y);
  return follow_order(y, x);
}

}  // namespace

Tensor Tensor::to(TensorOptions options, bool non_blocking, bool copy, std::optional<MemoryFormat> format) const {
  TORCH_CHECK(!(options.has_memory_format() && format),
              "Cannot set memory_format both in TensorOptions and explicit "
              "argument; please delete the redundant setter.");
  TORCH_CHECK(!options.requires_grad(),
              "to(options) expects unset requires_grad flag, but got "
              "options.requires_grad set as true");
  return to(options.scalar_type_opt(), options.layout_opt(), options.device_opt(), options.pinned_memory_opt(),
            non_blocking, copy, format ? format : options.memory_format_opt());
}

Tensor Tensor::to(std::optional<ScalarType> dtype, std::optional<Layout> layout, std::optional<Device> device,
                  std::optional<bool>, bool, bool copy, std::optional<MemoryFormat> format) const {
  TORCH_CHECK(layout.value_or(kStrided) == kStrided, "to(options) doesn't support converting to a different layout, ",
              "but got self.layout being Strided and options.layout set as ", *layout);
  return converted(*this, dtype, device, copy, format);
}

Tensor Tensor::to(Device device, ScalarType dtype, bool, bool copy, std::optional<MemoryFormat> format) const {
  return converted(*this, dtype, device, copy, format);
}

Tensor Tensor::to(ScalarType dtype, bool, bool copy, std::optional<MemoryFormat> format) const {
  return converted(*this, dtype, std::nullopt, copy, format);
}

Tensor Tensor::to(const Tensor& other, bool, bool copy, std::optional<MemoryFormat> format) const {
  return converted(*this, other.scalar_type(), other.device(), copy, format);
}

}  // namespace at
