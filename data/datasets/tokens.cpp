#include <minima/data/datasets/tokens.h>

#include <minima/io/files/atomic_file.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/tensors/mapped_tensor.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace minima::data {

namespace {

constexpr std::size_t header_ints = 256;
constexpr std::size_t header_bytes = header_ints * sizeof(std::int32_t);

struct Layout {
  std::int32_t magic;
  std::int32_t version;
  std::size_t width;
};
constexpr Layout narrow_layout{20240520, 1, 2}, wide_layout{20240801, 7, 4};

std::int32_t header_int(const MappedFile& file, std::size_t index) {
  std::int32_t value;
  std::memcpy(&value, file.data() + index * sizeof value, sizeof value);
  return value;
}

template <class T>
void widen(const std::uint8_t* from, std::int64_t count, std::int64_t* to) {
  for (std::int64_t i = 0; i < count; ++i) {
    T token;
    std::memcpy(&token, from + static_cast<std::size_t>(i) * sizeof token, sizeof token);
    to[i] = token;
  }
}

template <class T>
void write_as(AtomicFile& file, std::span<const std::int64_t> tokens) {
  constexpr std::size_t chunk_size = 1 << 16;
  std::vector<T> chunk;
  for (std::size_t at = 0; at < tokens.size(); at += chunk.size()) {
    const auto part = tokens.subspan(at, std::min(chunk_size, tokens.size() - at));
    chunk.assign(part.begin(), part.end());
    file.write(chunk.data(), chunk.size() * sizeof(T));
  }
}

}  // namespace

TokenFile::TokenFile(const std::string& path) : width_(2) {
  const auto file = std::make_shared<MappedFile>(path);
  const auto fail = [&](std::size_t at, const std::string& what) {
    minima::detail::throw_format_error(path, at, what);
  };
  std::size_t start = 0;
  for (const Layout& layout : {narrow_layout, wide_layout}) {
    if (file->size() < sizeof(std::int32_t) || header_int(*file, 0) != layout.magic) continue;
    if (file->size() < header_bytes)
      fail(file->size(), str("the file ends inside its header of ", header_bytes, " bytes"));
    if (header_int(*file, 1) != layout.version)
      fail(4, str("version ", header_int(*file, 1), ", expected ", layout.version));
    const std::int64_t count = header_int(*file, 2);
    const auto held = static_cast<std::int64_t>((file->size() - header_bytes) / layout.width);
    if (count != held || (file->size() - header_bytes) % layout.width != 0)
      fail(8, str("the header promises ", count, " tokens of ", layout.width, " bytes, but ",
                  file->size() - header_bytes, " bytes follow"));
    start = header_bytes;
    width_ = layout.width;
  }
  if ((file->size() - start) % width_ != 0) fail(file->size() - 1, "the file ends inside a token");
  tokens_ = minima::detail::map_tensor(file, start, {static_cast<std::int64_t>(file->size() - start)}, DType::uint8);
}

TokenFile TokenFile::of_bytes(const std::string& path) {
  TokenFile result;
  const auto file = std::make_shared<MappedFile>(path);
  result.tokens_ = minima::detail::map_tensor(file, 0, {static_cast<std::int64_t>(file->size())}, DType::uint8);
  return result;
}

void TokenFile::read(std::int64_t first, std::int64_t count, std::int64_t* to) const {
  if (first < 0 || count < 0 || first > size() - count)
    throw IndexError(str("TokenFile: tokens ", first, " to ", first + count, " of ", size()));
  const std::uint8_t* from = tokens_.data<std::uint8_t>() + static_cast<std::size_t>(first) * width_;
  if (width_ == 1) widen<std::uint8_t>(from, count, to);
  else if (width_ == 2) widen<std::uint16_t>(from, count, to);
  else widen<std::uint32_t>(from, count, to);
}

void write_tokens(const std::string& path, std::span<const std::int64_t> tokens) {
  std::int64_t largest = 0;
  for (const std::int64_t token : tokens) {
    if (token < 0 || token > std::numeric_limits<std::uint32_t>::max())
      throw ValueError(str("write_tokens: ", token, " does not fit 32 bits"));
    largest = std::max(largest, token);
  }
  const auto all_at_once = [&](std::vector<std::int64_t>& to) { to.assign(tokens.begin(), tokens.end()); };
  detail::write_tokens(path, static_cast<std::int64_t>(tokens.size()), largest, all_at_once);
}

void detail::write_tokens(const std::string& path, std::int64_t count, std::int64_t largest,
                          const Function<void(std::vector<std::int64_t>&)>& next) {
  if (count > std::numeric_limits<std::int32_t>::max())
    throw ValueError(
        str("write_tokens: ", count, " tokens; the format holds fewer than 2³¹, so split them into files"));
  const Layout& layout = largest <= std::numeric_limits<std::uint16_t>::max() ? narrow_layout : wide_layout;
  std::array<std::int32_t, header_ints> header{layout.magic, layout.version, static_cast<std::int32_t>(count)};
  AtomicFile file(path);
  file.write(header.data(), sizeof header);
  std::vector<std::int64_t> tokens;
  for (std::int64_t written = 0; written < count; written += static_cast<std::int64_t>(tokens.size())) {
    tokens.clear();
    next(tokens);
    if (layout.width == 2) write_as<std::uint16_t>(file, tokens);
    else write_as<std::uint32_t>(file, tokens);
  }
  file.commit();
}

TokenDataset::TokenDataset(TokenFile file, std::int64_t length, std::int64_t stride)
    : file_(std::move(file)), length_(length), stride_(stride) {
  if (length < 1 || stride < 1)
    throw ValueError(str("TokenDataset: length ", length, " and stride ", stride, " must be at least 1"));
  count_ = file_.size() <= length ? 0 : (file_.size() - length - 1) / stride + 1;
}

std::array<Tensor, 2> TokenDataset::fetch(std::span<const std::int64_t> indices) const {
  const auto rows = static_cast<std::int64_t>(indices.size());
  std::array<Tensor, 2> batch{empty({rows, length_}, {.dtype = DType::int64}),
                              empty({rows, length_}, {.dtype = DType::int64})};
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t index = indices[static_cast<std::size_t>(row)];
    if (index < 0 || index >= count_) throw IndexError(str("TokenDataset: index ", index, " of ", count_));
    for (std::int64_t shift = 0; shift < 2; ++shift)
      file_.read(index * stride_ + shift, length_,
                 batch[static_cast<std::size_t>(shift)].data<std::int64_t>() + row * length_);
  }
  return batch;
}

}  // namespace minima::data
