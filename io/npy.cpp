#include <minima/io/npy.h>

#include <minima/io/atomic_file.h>
#include <minima/io/mapped_tensor.h>
#include <minima/io/npy_header.h>
#include <minima/io/zip.h>
#include <minima/tensor/dispatch.h>
#include <minima/tensor/host_copy.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace minima {

namespace {

using detail::NpyHeader;

/// The first dimension's neighbours are next to each other.
Layout fortran_layout(const Shape& shape) {
  Layout layout{.shape = shape, .strides = shape, .offset = 0};
  std::int64_t stride = 1;
  for (int d = 0; d < shape.rank(); ++d) {
    layout.strides[d] = stride;
    stride *= std::max<std::int64_t>(shape[d], 1);
  }
  return layout;
}

template <class From, class To>
void widen(const std::byte* from, To* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + static_cast<std::size_t>(i) * sizeof value, sizeof value);
    to[i] = value;
  }
}

/// A dense tensor with the file's elements in the file's order.
Tensor copy_elements(const NpyHeader& header, const std::byte* bytes, const std::string& source) {
  const auto size = static_cast<std::size_t>(numel(header.shape)) * header.item_bytes;
  std::vector<std::byte> turned;
  if (header.big_endian && header.item_bytes > 1) {
    turned.assign(bytes, bytes + size);
    for (std::size_t i = 0; i < size; i += header.item_bytes)
      std::reverse(turned.data() + i, turned.data() + i + header.item_bytes);
    bytes = turned.data();
  }
  if (header.dtype == DType::boolean)
    for (std::size_t i = 0; i < size; ++i)
      if (bytes[i] > std::byte{1})
        throw FormatError(str(source, ": byte ", header.data + i, ": a bool of ", static_cast<int>(bytes[i])));
  if (header.item_bytes == size_of(header.dtype)) return detail::copy_tensor(bytes, header.shape, header.dtype);

  Tensor tensor = empty(header.shape, {.dtype = header.dtype});
  if (header.item_bytes == 4) widen<std::uint32_t>(bytes, tensor.data<std::int64_t>(), tensor.numel());
  else if (header.kind == 'u') widen<std::uint16_t>(bytes, tensor.data<std::int32_t>(), tensor.numel());
  else widen<std::int16_t>(bytes, tensor.data<std::int32_t>(), tensor.numel());
  return tensor;
}

Tensor in_order(const NpyHeader& header, const Tensor& elements) {
  if (!header.fortran_order) return elements;
  return Tensor(new TensorImpl(elements.impl()->storage, fortran_layout(header.shape), elements.dtype()));
}

const char* numpy_code(DType dtype) {
  switch (dtype) {
    case DType::boolean: return "|b1";
    case DType::uint8: return "|u1";
    case DType::int8: return "|i1";
    case DType::int32: return "<i4";
    case DType::int64: return "<i8";
    case DType::float16: return "<f2";
    case DType::float32: return "<f4";
    case DType::float64: return "<f8";
    case DType::bfloat16: break;
  }
  throw DTypeError("write_npy: NumPy has no bfloat16; convert with to(float32)");
}

}  // namespace

Tensor read_npy(const std::string& path) {
  const auto file = std::make_shared<MappedFile>(path);
  const NpyHeader header = detail::read_npy_header(file->bytes(), path);
  const bool as_it_is = !header.big_endian && header.item_bytes == size_of(header.dtype) &&
                        header.dtype != DType::boolean && header.data % header.item_bytes == 0;
  return in_order(header, as_it_is ? detail::map_tensor(file, header.data, header.shape, header.dtype)
                                   : copy_elements(header, file->data() + header.data, path));
}

void write_npy(const std::string& path, const Tensor& tensor) {
  std::string text = str("{'descr': '", numpy_code(tensor.dtype()), "', 'fortran_order': False, 'shape': (");
  for (const std::int64_t size : tensor.shape()) text += str(size, ",");
  text += "), }";
  constexpr std::size_t kStart = 10, kAlignment = 64;
  while ((kStart + text.size() + 1) % kAlignment != 0) text += ' ';
  text += '\n';
  std::string start("\x93NUMPY\x01\0", 8);
  start += static_cast<char>(text.size() & 0xFFu);
  start += static_cast<char>(text.size() >> 8);

  AtomicFile file(path);
  file.write(start);
  file.write(text);
  dispatch<all_types>(tensor.dtype(), "write_npy", [&]<class T> {
    const auto bytes = static_cast<std::size_t>(tensor.numel()) * sizeof(T);
    if (tensor.is_contiguous() && tensor.device().is_cpu()) return file.write(tensor.raw_data(), bytes);
    const std::unique_ptr<T[]> values(new T[static_cast<std::size_t>(tensor.numel())]);
    detail::copy_to_host(tensor, values.get(), tensor.numel());
    file.write(values.get(), bytes);
  });
  file.commit();
}

State read_npz(const std::string& path) {
  const MappedFile file(path);
  return read_npz(file.bytes(), path);
}

State read_npz(std::span<const std::byte> file, const std::string& path) {
  const ZipArchive archive(file, path);
  State state;
  for (const ZipArchive::Entry& entry : archive.entries()) {
    std::string name = entry.name;
    if (!name.ends_with(".npy") || name.size() == 4)
      throw FormatError(str(path, ": byte ", entry.header, ": ", name, " is not an array"));
    name.resize(name.size() - 4);
    const std::string source = str(path, ": ", entry.name);
    const std::vector<std::byte> bytes = archive.read(entry);
    const NpyHeader header = detail::read_npy_header(bytes, source);
    state.add(name, in_order(header, copy_elements(header, bytes.data() + header.data, source)));
  }
  return state;
}

}  // namespace minima
