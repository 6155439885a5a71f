#include <minima/io/states/snapshot_block.h>

#include <minima/io/states/portions.h>
#include <minima/io/states/rank_file.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/system/system_info.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace minima::detail {

namespace {

constexpr std::int64_t mebibyte = 1 << 20;

bool is_on_gpu(const RankFile& file) {
  return std::any_of(file.portions().begin(), file.portions().end(),
                     [](const Portion& portion) { return !portion.source.device().is_cpu(); });
}

void touch(const Tensor& memory) {
  auto* const data = static_cast<std::byte*>(memory.raw_data());
  parallel_for(0, memory.numel(), mebibyte, [&](std::int64_t first, std::int64_t last) {
    std::memset(data + first, 0, static_cast<std::size_t>(last - first));
  });
}

}  // namespace

std::byte* SnapshotBlock::reserve(const RankFile& file) {
  // One byte more, so that a state without data has a block, too.
  const auto bytes = static_cast<std::int64_t>(file.data_bytes()) + 1;
  const bool is_pinned = is_on_gpu(file);
  if (memory_.defined() && memory_.numel() >= bytes && is_pinned_ == is_pinned)
    return static_cast<std::byte*>(memory_.raw_data());
  memory_ = {};
  // Linux promises memory that it does not have, and kills who touches it.
  const std::int64_t available = cpu_info().memory_available;
  std::string reason;
  if (available > 0 && bytes > available) {
    reason = str(available / mebibyte, " MiB are available");
  } else {
    try {
      memory_ = is_pinned ? empty_pinned(Layout::contiguous({bytes}), DType::uint8)
                          : empty(Shape{bytes}, {.dtype = DType::uint8});
      is_pinned_ = is_pinned;
      touch(memory_);
      return static_cast<std::byte*>(memory_.raw_data());
    } catch (const OutOfMemoryError& error) {
      memory_ = {};
      reason = error.what();
    }
  }
  if (!has_told_)
    std::fprintf(stderr,
                 "minima: no memory for a snapshot of %lld MiB, so training waits while states are written: %s\n",
                 static_cast<long long>(bytes / mebibyte), reason.c_str());
  has_told_ = true;
  return nullptr;
}

}  // namespace minima::detail
