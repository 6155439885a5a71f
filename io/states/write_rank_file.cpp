#include <minima/io/states/write_rank_file.h>

#include <minima/io/files/crc32c.h>
#include <minima/io/states/portions.h>
#include <minima/io/states/rank_file.h>
#include <minima/io/states/write_stream.h>
#include <minima/io/tensors/safetensors_checksums.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/host_copy.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>
#include <minima/tensor/transfer.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace minima::detail {

namespace {

constexpr std::size_t staging_bytes = std::size_t{64} << 20;  ///< for data of a GPU
constexpr std::size_t piece_bytes = WriteStream::piece_bytes;

bool is_direct(const Portion& portion) { return portion.source.device().is_cpu() && portion.source.is_contiguous(); }

const std::byte* memory_of(const Portion& portion) {
  return static_cast<const std::byte*>(portion.source.raw_data()) +
         static_cast<std::size_t>(portion.begin) * size_of(portion.dtype);
}

/// Copies `count` elements of the portion, which is contiguous on a GPU, from `first` on, to host memory.
void fetch(const Portion& portion, std::int64_t first, std::int64_t count, std::byte* to) {
  const std::size_t item = size_of(portion.dtype);
  gpu_copy(to, Device::cpu(), memory_of(portion) + static_cast<std::size_t>(first) * item, portion.source.device(),
           static_cast<std::size_t>(count) * item, portion.source.impl()->storage.get());
}

void copy_irregular(const Tensor& source, std::byte* to) {
  dispatch<real_and_complex>(source.dtype(), "saving a state",
                             [&]<class T> { copy_to_host(source, reinterpret_cast<T*>(to), source.numel()); });
}

/// Writes a portion from its tensor.
std::uint32_t write_portion(WriteStream& out, const Portion& portion) {
  if (is_direct(portion)) return out.write(memory_of(portion), portion.bytes());
  if (!portion.source.is_contiguous()) {
    const std::unique_ptr<std::byte[]> values(new std::byte[portion.bytes()]);
    copy_irregular(portion.source, values.get());
    return out.write(values.get(), portion.bytes());
  }
  const auto item = size_of(portion.dtype);
  const auto step = static_cast<std::int64_t>(staging_bytes / item);
  const Tensor staging = empty_pinned(Layout::contiguous({std::min(step, portion.count)}), portion.dtype);
  std::uint32_t sum = 0;
  for (std::int64_t at = 0; at < portion.count; at += step) {
    const std::int64_t count = std::min(step, portion.count - at);
    fetch(portion, at, count, static_cast<std::byte*>(staging.raw_data()));
    sum = out.write(staging.raw_data(), static_cast<std::size_t>(count) * item, sum);
  }
  return sum;
}

}  // namespace

void copy_data(const RankFile& file, std::byte* block) {
  // Memory is copied by all threads, large and small tensors alike.
  struct Copy {
    const std::byte* from;
    std::byte* to;
    std::size_t bytes;
  };
  std::vector<Copy> copies;
  for (std::size_t i = 0; i < file.portions().size(); ++i) {
    const Portion& portion = file.portions()[i];
    std::byte* const to = block + file.position(i);
    if (portion.count == 0) continue;
    if (is_direct(portion)) {
      for (std::size_t at = 0; at < portion.bytes(); at += piece_bytes)
        copies.push_back({memory_of(portion) + at, to + at, std::min(portion.bytes() - at, piece_bytes)});
    } else if (portion.source.is_contiguous()) {
      fetch(portion, 0, portion.count, to);
    } else {
      copy_irregular(portion.source, to);
    }
  }
  parallel_for(0, static_cast<std::int64_t>(copies.size()), 4, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const Copy& copy = copies[static_cast<std::size_t>(i)];
      std::memcpy(copy.to, copy.from, copy.bytes);
    }
  });
}

WrittenFile write_rank_file(const std::string& path, const RankFile& file, const SaveIdentity& identity,
                            const std::byte* block, double bytes_per_second) {
  std::string start = file.start(identity);
  WriteStream out(path, start.size() + file.data_bytes(), bytes_per_second);
  out.write(start.data(), start.size());
  std::vector<std::uint32_t> sums(file.portions().size());
  for (const std::size_t i : file.order())
    sums[i] = block ? out.write(block + file.position(i), file.portions()[i].bytes())
                    : write_portion(out, file.portions()[i]);
  fill_in_checksums(start, sums);
  out.rewrite_start(start);
  out.finish();
  return {start.size() + file.data_bytes(), crc32c(start)};
}

}  // namespace minima::detail
