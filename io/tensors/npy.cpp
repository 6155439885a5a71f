#include <minima/io/tensors/npy.h>

#include <minima/io/archives/zip.h>
#include <minima/io/files/atomic_file.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/state.h>
#include <minima/io/tensors/mapped_tensor.h>
#include <minima/io/tensors/npy_header.h>
#include <minima/io/tensors/widen.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/host_copy.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace minima {

namespace {

using detail::NpyHeader;

/// Fortran order: the first dimension has stride 1.
Layout fortran_layout(const Shape& shape) {
  Layout layout{.shape = shape, .strides = shape, .offset = 0};
  std::int64_t stride = 1;
  for (int d = 0; d < shape.rank(); ++d) {
    layout.strides[d] = stride;
    stride *= std::max<std::int64_t>(shape[d], 1);
  }
  return layout;
}

Tensor in_order(const NpyHeader& header, const Tensor& elements) {
  if (!header.fortran_order) return elements;
  return Tensor(new TensorImpl(elements.impl()->storage, fortran_layout(header.shape), elements.dtype()));
}

/// Reverses the bytes of each number; a complex element has two.
void turn_round(const NpyHeader& header, std::byte* bytes, std::size_t size) {
  if (!header.big_endian) return;
  const std::size_t number = header.kind == 'c' ? header.item_bytes / 2 : header.item_bytes;
  for (std::size_t i = 0; i < size; i += number) std::reverse(bytes + i, bytes + i + number);
}

/// A dense tensor with the file's elements in the file's order. `read(to, bytes)` reads them directly into the tensor.
template <class Read>
Tensor read_elements(const NpyHeader& header, Read&& read, const std::string& source) {
  Tensor tensor = empty(header.shape, {.dtype = header.dtype});
  const auto count = static_cast<std::size_t>(tensor.numel());
  if (count == 0) return tensor;
  if (header.item_bytes == size_of(header.dtype)) {
    auto* bytes = static_cast<std::byte*>(tensor.raw_data());
    const std::size_t size = count * header.item_bytes;
    read(bytes, size);
    turn_round(header, bytes, size);
    if (header.is_uint64()) detail::check_uint64(bytes, count, source, header.data);
    if (header.dtype == DType::boolean)
      for (std::size_t i = 0; i < size; ++i)
        if (bytes[i] > std::byte{1})
          detail::throw_format_error(source, header.data + i, str("a bool of ", static_cast<int>(bytes[i])));
    return tensor;
  }
  std::byte piece[1 << 14];
  for (std::size_t done = 0; done < count;) {
    const std::size_t part = std::min(count - done, sizeof piece / header.item_bytes);
    read(piece, part * header.item_bytes);
    turn_round(header, piece, part * header.item_bytes);
    detail::widen_into(tensor, done, piece, header.item_bytes, header.kind == 'u', part);
    done += part;
  }
  return tensor;
}

Tensor read_array(ZipArchive::Reader& in, std::uint64_t size, const std::string& source) {
  std::vector<std::byte> start(std::min<std::uint64_t>(size, detail::largest_npy_header));
  in.read(start.data(), start.size());
  const NpyHeader header = detail::read_npy_header(start, size, source);
  std::span<const std::byte> rest = std::span(start).subspan(header.data);
  const auto read = [&](std::byte* to, std::size_t bytes) {
    const std::size_t held = std::min(bytes, rest.size());
    std::copy_n(rest.begin(), held, to);
    rest = rest.subspan(held);
    in.read(to + held, bytes - held);
  };
  return in_order(header, read_elements(header, read, source));
}

Tensor read_entry(const ZipArchive& archive, const ZipArchive::Member& entry, const std::string& source) {
  ZipArchive::Reader in(archive, entry);
  try {
    const Tensor tensor = read_array(in, entry.size, source);
    in.finish();
    return tensor;
  } catch (const FormatError&) {
    in.finish();  // a checksum error explains more
    throw;
  }
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
    case DType::complex64: return "<c8";
    case DType::complex128: return "<c16";
    case DType::bfloat16: break;
  }
  throw DTypeError("write_npy: NumPy has no bfloat16; convert with to(float32)");
}

}  // namespace

Tensor read_npy(const std::string& path) {
  const auto file = std::make_shared<MappedFile>(path);
  const NpyHeader header = detail::read_npy_header(file->bytes(), file->size(), path);
  const bool as_it_is = !header.big_endian && header.item_bytes == size_of(header.dtype) &&
                        header.dtype != DType::boolean && header.data % header.item_bytes == 0;
  if (as_it_is && header.is_uint64())
    detail::check_uint64(file->data() + header.data, (file->size() - header.data) / 8, path, header.data);
  if (as_it_is) return in_order(header, detail::map_tensor(file, header.data, header.shape, header.dtype));
  const std::byte* next = file->data() + header.data;
  const auto read = [&](std::byte* to, std::size_t bytes) {
    std::copy_n(std::exchange(next, next + bytes), bytes, to);
  };
  return in_order(header, read_elements(header, read, path));
}

void write_npy(const std::string& path, const Tensor& tensor) {
  std::string text = str("{'descr': '", numpy_code(tensor.dtype()), "', 'fortran_order': False, 'shape': (");
  for (const std::int64_t size : tensor.shape()) text += str(size, ",");
  text += "), }";
  constexpr std::size_t name_start = 10, alignment = 64;
  while ((name_start + text.size() + 1) % alignment != 0) text += ' ';
  text += '\n';
  std::string start("\x93NUMPY\x01\0", 8);
  start += static_cast<char>(text.size() & 0xFFu);
  start += static_cast<char>(text.size() >> 8);

  AtomicFile file(path);
  file.write(start);
  file.write(text);
  dispatch<real_and_complex>(tensor.dtype(), "write_npy", [&]<class T> {
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
  for (const ZipArchive::Member& entry : archive.members()) {
    std::string name = entry.name;
    if (!name.ends_with(".npy") || name.size() == 4)
      detail::throw_format_error(path, entry.header, name + " is not an array");
    name.resize(name.size() - 4);
    state.add(name, read_entry(archive, entry, str(path, ": ", detail::printable(entry.name))));
  }
  return state;
}

}  // namespace minima
