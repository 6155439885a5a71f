#include <minima/io/tensors/safetensors_header.h>

#include <minima/io/files/format_error.h>
#include <minima/io/tensors/safetensors_checksums.h>
#include <minima/io/text/json_reader.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

using TensorInfo = SafetensorsHeader::TensorInfo;

constexpr DType last = DType::complex64;  // the format has no complex128
constexpr const char* dtype_names[] = {"BOOL", "U8", "I8", "I32", "I64", "F16", "BF16", "F32", "F64", "C64"};
constexpr int largest_rank = 64;

/// Integers that become wider ones (widen.h).
struct OtherInteger {
  const char* name;
  DType dtype;
  std::size_t bytes;
};
constexpr OtherInteger other_integers[] = {
    {"I16", DType::int32, 2}, {"U16", DType::int32, 2}, {"U32", DType::int64, 4}, {"U64", DType::int64, 8}};

void read_dtype(JsonReader& in, TensorInfo& entry) {
  const std::string name = in.string();
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (name == dtype_names[i]) {
      entry.dtype = static_cast<DType>(i);
      entry.item_bytes = size_of(entry.dtype);
      return;
    }
  for (const OtherInteger& other : other_integers)
    if (name == other.name) {
      entry.dtype = other.dtype;
      entry.item_bytes = other.bytes;
      entry.is_unsigned = name[0] == 'U';
      return;
    }
  std::string known;
  for (const char* other : dtype_names) known += str(known.empty() ? "" : ", ", other);
  for (const OtherInteger& other : other_integers) known += str(", ", other.name);
  in.fail(str("tensor ", entry.name, " has dtype ", name, ", which minima does not have; convert it to one of ", known,
              " where the file is written"));
}

Shape read_shape(JsonReader& in) {
  Shape shape;
  for (in.begin_array(); in.next_item();) {
    if (shape.rank() == largest_rank) in.fail(str("more than ", largest_rank, " dimensions"));
    const std::uint64_t size = in.unsigned_integer();
    if (size >> 63) in.fail(str("a size of ", size));
    shape.push_back(static_cast<std::int64_t>(size));
  }
  return shape;
}

/// Offsets are relative to the end of the header.
void read_offsets(JsonReader& in, TensorInfo& entry) {
  std::size_t* const bounds[] = {&entry.begin, &entry.end};
  int count = 0;
  for (in.begin_array(); in.next_item(); ++count) {
    if (count == 2) in.fail("data_offsets has more than two numbers");
    *bounds[count] = in.unsigned_integer();
  }
  if (count != 2) in.fail("data_offsets has fewer than two numbers");
  if (entry.begin > entry.end) in.fail(str("data_offsets ends before it begins: ", entry.begin, ", ", entry.end));
}

TensorInfo read_entry(JsonReader& in, std::string name, std::size_t at) {
  TensorInfo entry{.name = std::move(name), .shape = {}, .at = at};
  bool has_dtype = false, has_shape = false, has_offsets = false;
  in.begin_object();
  for (std::string key; in.next_key(key);) {
    if (key == "dtype") read_dtype(in, entry), has_dtype = true;
    else if (key == "shape") entry.shape = read_shape(in), has_shape = true;
    else if (key == "data_offsets") read_offsets(in, entry), has_offsets = true;
    else in.fail(str("unknown key \"", key, "\" of tensor ", entry.name));
  }
  if (!has_dtype || !has_shape || !has_offsets)
    in.fail(str("tensor ", entry.name, " lacks ", !has_dtype ? "dtype" : !has_shape ? "shape" : "data_offsets"));

  auto extent = static_cast<std::int64_t>(size_of(entry.dtype));  // a size of 0 must not hide an overflow of the others
  bool overflow = false, none = false;
  for (const std::int64_t size : entry.shape) {
    overflow |= __builtin_mul_overflow(extent, size == 0 ? 1 : size, &extent);
    none |= size == 0;
  }
  const auto bytes = none ? 0 : static_cast<std::uint64_t>(extent) / size_of(entry.dtype) * entry.item_bytes;
  if (overflow) in.fail(str("tensor ", entry.name, ": shape ", entry.shape, " is larger than any memory"));
  if (bytes != entry.end - entry.begin)
    in.fail(str("tensor ", entry.name, ": ",
                entry.item_bytes == size_of(entry.dtype) ? str(entry.dtype) : str(entry.item_bytes, "-byte integers"),
                " ", entry.shape, " needs ", bytes, " bytes, but data_offsets span ", entry.end - entry.begin));
  return entry;
}

/// Checks that the tensors' data fill the file without gaps or overlaps.
void check_cover(const std::vector<TensorInfo>& entries, std::size_t data_bytes, const std::string& source) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return entries[a].begin != entries[b].begin ? entries[a].begin < entries[b].begin : entries[a].end < entries[b].end;
  });
  std::size_t covered = 0;
  for (const std::size_t i : order) {
    const TensorInfo& entry = entries[i];
    if (entry.begin != covered)
      throw_format_error(source, entry.at,
                         str("the data of tensor ", entry.name, " begin at ", entry.begin,
                             entry.begin < covered ? ", inside another tensor's, which end at "
                                                   : " after a gap; the ones before end at ",
                             covered));
    if (entry.end > data_bytes)
      throw_format_error(source, entry.at,
                         str("the data of tensor ", entry.name, " end at ", entry.end, ", but the file has only ",
                             data_bytes, " bytes of data: truncated?"));
    covered = entry.end;
  }
  if (covered != data_bytes)
    throw_format_error(source, 0, str("the tensors fill ", covered, " of ", data_bytes, " bytes of data"));
}

/// Recognises other formats that users try to load.
void refuse_other_formats(std::string_view first, const std::string& source) {
  const auto refuse = [&](const std::string& what) {
    throw_format_error(source, 0, "not a safetensors file but " + what);
  };
  if (first.starts_with("PK\x03\x04")) {  // a zip archive; its first member's name identifies the program
    if (first.find("/data.pkl") != std::string_view::npos) refuse("a PyTorch file: use read_pt, or load");
    if (first.find(".npy") != std::string_view::npos) refuse("a NumPy archive: use read_npz");
    refuse("a zip archive");
  }
  if (first.starts_with("\x80\x02\x8a\x0a\x6c\xfc")) refuse("a PyTorch file of before 1.6: use read_pt, or load");
  if (first.starts_with("\x93NUMPY")) refuse("a NumPy array: use read_npy");
}

}  // namespace

const char* safetensors_name(DType dtype) {
  if (dtype > last)
    throw DTypeError(str("write_safetensors: the format has no ", name(dtype), "; write view_as_real(x) instead"));
  return dtype_names[static_cast<int>(dtype)];
}

std::size_t safetensors_start_size(std::span<const std::byte> first, std::size_t file_size, const std::string& source) {
  constexpr std::size_t size_bytes = 8;
  refuse_other_formats({reinterpret_cast<const char*>(first.data()), first.size()}, source);
  if (first.size() < size_bytes)
    throw_format_error(source, first.size(),
                       str("the file ends inside the first ", size_bytes, " bytes; not a safetensors file"));
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < size_bytes; ++i) size |= static_cast<std::uint64_t>(first[i]) << (8 * i);
  if (size > largest_safetensors_header)
    throw_format_error(
        source, 0,
        str("a header of ", size, " bytes; the limit is ", largest_safetensors_header, "; not a safetensors file?"));
  if (size > file_size - size_bytes)
    throw_format_error(source, 0, str("a header of ", size, " bytes in a file of ", file_size, ": truncated?"));
  return size_bytes + size;
}

SafetensorsHeader read_safetensors_header(std::span<const std::byte> start, std::size_t file_size,
                                          const std::string& source, bool verify) {
  const std::size_t data = safetensors_start_size(start, file_size, source);
  const std::string_view bytes(reinterpret_cast<const char*>(start.data()), data);
  JsonReader in(bytes.substr(8), source, 8);
  SafetensorsHeader header;
  in.begin_object();
  for (std::string key; in.next_key(key);) {
    if (key == "__metadata__") {
      in.begin_object();
      for (std::string name; in.next_key(name);) {
        if (name.empty()) in.fail("a value without a name");
        header.metadata.push_back({name, in.string()});
      }
    } else {
      if (key.empty()) in.fail("a tensor without a name");
      header.entries.push_back(read_entry(in, key, in.offset()));
    }
  }
  in.end();
  take_checksums(header, bytes, source, verify);

  check_cover(header.entries, file_size - data, source);
  for (TensorInfo& entry : header.entries) {
    entry.begin += data;
    entry.end += data;
  }
  return header;
}

}  // namespace minima::detail
