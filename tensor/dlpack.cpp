#include <minima/tensor/dlpack.h>

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace minima {

namespace {

/// The exported object: keeps the tensor alive and owns shape and strides.
struct Exported {
  dlpack::Managed managed;
  Tensor tensor;
  std::vector<std::int64_t> shape, strides;
};

dlpack::DataType type_of(DType dtype) {
  const auto bits = static_cast<std::uint8_t>(8 * size_of(dtype));
  if (dtype == DType::boolean) return {6, 8, 1};
  if (dtype == DType::bfloat16) return {4, 16, 1};
  if (is_complex(dtype)) return {5, bits, 1};
  if (is_floating(dtype)) return {2, bits, 1};
  return {static_cast<std::uint8_t>(dtype == DType::uint8 ? 1 : 0), bits, 1};
}

DType dtype_of_type(const dlpack::DataType& type) {
  for (const DType dtype : {DType::boolean, DType::uint8, DType::int8, DType::int32, DType::int64, DType::float16,
                            DType::bfloat16, DType::float32, DType::float64, DType::complex64, DType::complex128}) {
    const dlpack::DataType own = type_of(dtype);
    if (own.code == type.code && own.bits == type.bits && type.lanes == 1) return dtype;
  }
  throw DTypeError(str("from_dlpack: code ", int{type.code}, " with ", int{type.bits}, " bits and ", type.lanes,
                       " lanes is none of minima's dtypes"));
}

}  // namespace

dlpack::Managed* to_dlpack(const Tensor& x) {
  if (!x.defined()) throw ValueError("to_dlpack: the tensor is undefined");
  if (x.requires_grad())
    throw ValueError("to_dlpack: the tensor requires grad, which DLPack cannot express; detach it first");
  auto exported = std::make_unique<Exported>();
  exported->tensor = x;
  exported->shape.assign(x.shape().begin(), x.shape().end());
  exported->strides.assign(x.strides().begin(), x.strides().end());
  exported->managed = {{x.raw_data(),
                        {x.device().is_cuda() ? 2 : 1, x.device().index},
                        x.rank(),
                        type_of(x.dtype()),
                        exported->shape.data(),
                        exported->strides.data(),
                        0},
                       exported.get(),
                       [](dlpack::Managed* managed) { delete static_cast<Exported*>(managed->context); }};
  return &exported.release()->managed;
}

Tensor from_dlpack(dlpack::Managed* managed) {
  if (managed == nullptr) throw ValueError("from_dlpack: the tensor is null");
  const dlpack::DLTensor& from = managed->tensor;
  if (from.device.type != 1 && from.device.type != 2)
    throw ValueError(
        str("from_dlpack: device type ", from.device.type, " is not supported; it must be CPU (1) or CUDA (2)"));
  const DType dtype = dtype_of_type(from.dtype);
  Shape shape;
  for (int d = 0; d < from.rank; ++d) shape.push_back(from.shape[d]);
  Layout layout = Layout::contiguous(shape);
  for (int d = 0; from.strides != nullptr && d < from.rank; ++d) {
    layout.strides[d] = from.strides[d];
    if (from.strides[d] < 0) throw ValueError(str("from_dlpack: negative stride in dimension ", d));
  }
  const Device device = from.device.type == 2 ? Device::cuda(from.device.id) : Device::cpu();
  const auto release = [](void* context) {
    auto* given = static_cast<dlpack::Managed*>(context);
    if (given->deleter) given->deleter(given);
  };
  return from_blob(static_cast<char*>(from.data) + from.byte_offset, layout, {.dtype = dtype, .device = device},
                   release, managed);
}

}  // namespace minima
