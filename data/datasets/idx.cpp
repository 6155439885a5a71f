#include <minima/data/datasets/idx.h>

#include <minima/io/archives/gzip.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace minima::data {

namespace {

/// Reads a file sequentially, inflating it if it is compressed.
class Source {
 public:
  explicit Source(const std::string& path) : file_(path), rest_(file_.bytes()) {
    if (GzipReader::is_gzip(rest_)) inflated_.emplace(rest_, path);
  }

  void read(void* to, std::size_t bytes) {
    if (inflated_) return inflated_->read(to, bytes);
    if (bytes > rest_.size())
      fail(file_.size(), str("the file ends ", bytes - rest_.size(), " bytes too early: truncated?"));
    if (bytes > 0) std::memcpy(to, rest_.data(), bytes);
    rest_ = rest_.subspan(bytes);
  }
  std::uint32_t read_number() {
    std::uint8_t bytes[4];
    read(bytes, sizeof bytes);
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
  }
  void expect_end() {
    if (inflated_) return inflated_->expect_end();
    if (!rest_.empty()) fail(file_.size() - rest_.size(), str(rest_.size(), " bytes follow the promised data"));
  }
  /// Throws FormatError if the rest of the file cannot hold so many bytes.
  void expect_possible(std::size_t bytes, const std::string& what) const {
    const std::size_t most = inflated_ ? GzipReader::largest_inflated(file_.size()) : rest_.size();
    if (bytes > most) fail(0, str("the header promises ", what, ", ", bytes, " bytes; the file holds at most ", most));
  }
  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    minima::detail::throw_format_error(file_.path(), at, what);
  }

 private:
  MappedFile file_;
  std::span<const std::byte> rest_;
  std::optional<GzipReader> inflated_;
};

struct Type {
  std::uint8_t code;
  std::size_t size;
  DType dtype;
};
constexpr Type types[] = {{0x08, 1, DType::uint8}, {0x09, 1, DType::int8},    {0x0B, 2, DType::int32},
                          {0x0C, 4, DType::int32}, {0x0D, 4, DType::float32}, {0x0E, 8, DType::float64}};

const Type& read_type(Source& source, int& rank) {
  const std::uint32_t magic = source.read_number();
  rank = static_cast<int>(magic & 0xFFu);
  if (magic >> 16 != 0) source.fail(0, str("the first two bytes are not zero; not an IDX file"));
  for (const Type& type : types)
    if (type.code == (magic >> 8 & 0xFFu)) return type;
  source.fail(2, str("unknown type ", magic >> 8 & 0xFFu, "; IDX has 8, 9, 11, 12, 13 and 14"));
}

void reverse_each(std::uint8_t* bytes, std::size_t count, std::size_t size) {
  if (size == 1) return;
  for (std::size_t i = 0; i < count; ++i) std::reverse(bytes + i * size, bytes + (i + 1) * size);
}

/// int16 is widened: minima has no such dtype.
void read_widened(Source& source, std::int32_t* to, std::size_t count) {
  std::vector<std::uint8_t> bytes(2 * count);
  source.read(bytes.data(), bytes.size());
  for (std::size_t i = 0; i < count; ++i)
    to[i] = static_cast<std::int16_t>(static_cast<std::uint16_t>(bytes[2 * i] << 8 | bytes[2 * i + 1]));
}

}  // namespace

Tensor read_idx(const std::string& path) {
  Source source(path);
  int rank = 0;
  const Type& type = read_type(source, rank);
  constexpr int largest_rank = 16;
  if (rank > largest_rank) source.fail(3, str(rank, " dimensions, at most ", largest_rank, " are read"));
  Shape shape;
  auto extent = static_cast<std::int64_t>(type.size);  // a size of 0 must not hide an overflow of the others
  bool none = false;
  for (int i = 0; i < rank; ++i) {
    shape.push_back(source.read_number());
    none = none || shape.back() == 0;
    if (__builtin_mul_overflow(extent, std::max<std::int64_t>(1, shape.back()), &extent))
      source.fail(4, str("the sizes ", shape, " are larger than any memory"));
  }
  const std::size_t bytes = none ? 0 : static_cast<std::size_t>(extent);
  source.expect_possible(bytes, str(type.dtype, " ", shape));

  Tensor tensor = empty(shape, {.dtype = type.dtype});
  const auto count = static_cast<std::size_t>(tensor.numel());
  if (type.size == 2) {
    read_widened(source, tensor.data<std::int32_t>(), count);
  } else {
    source.read(tensor.raw_data(), bytes);
    reverse_each(static_cast<std::uint8_t*>(tensor.raw_data()), count, type.size);
  }
  source.expect_end();
  return tensor;
}

}  // namespace minima::data
