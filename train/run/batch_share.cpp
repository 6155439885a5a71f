#include <minima/train/run/batch_share.h>

#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace minima::train {

namespace {

std::int64_t batch_for(const BatchOptions& options, int ranks) {
  minima::detail::check_count("BatchOptions", "batch", options.batch, 1);
  minima::detail::check_count("BatchOptions", "most", options.most, 0);
  minima::detail::check_count("BatchOptions", "scaled_from", options.scaled_from, 0);
  if (ranks < 1) throw ValueError(str("share_of_batch: ", ranks, " ranks"));
  if (options.scaled_from == 0) return options.batch;
  return std::llround(static_cast<double>(options.batch) * ranks / options.scaled_from);
}

double growth_of(std::int64_t batch, const BatchOptions& options) {
  return static_cast<double>(batch) / static_cast<double>(options.batch);
}

}  // namespace

std::int64_t BatchShare::begin(std::int64_t part) const { return first + count * part / parts; }
std::int64_t BatchShare::size(std::int64_t part) const { return begin(part + 1) - begin(part); }
double BatchShare::weight(std::int64_t part) const {
  return static_cast<double>(size(part) * ranks) / static_cast<double>(batch);
}

BatchShare share_of_batch(const BatchOptions& options, int rank, int ranks) {
  BatchShare share;
  share.batch = batch_for(options, ranks);
  share.ranks = ranks;
  if (rank < 0 || rank >= ranks) throw ValueError(str("share_of_batch: rank ", rank, " of ", ranks));
  if (share.batch < ranks)
    throw ValueError(str("share_of_batch: a batch of ", share.batch, " samples is too small for ", ranks, " ranks"));
  const std::int64_t least = share.batch / ranks, rest = share.batch % ranks;
  share.first = least * rank + std::min<std::int64_t>(rank, rest);
  share.count = least + (rank < rest ? 1 : 0);
  if (options.most > 0) share.parts = (least - (rest > 0 ? 0 : 1)) / options.most + 1;  // ⌈the largest share / most⌉
  share.growth = growth_of(share.batch, options);
  return share;
}

LoaderBatch loader_batch(const BatchOptions& options, int ranks) {
  const std::int64_t batch = batch_for(options, ranks);
  if (batch < ranks)
    throw ValueError(str("loader_batch: a batch of ", batch, " samples is too small for ", ranks, " ranks"));
  if (batch % ranks != 0) {
    std::string fitting;
    for (int other = 1; other < 2 * ranks && other <= batch; ++other)
      if (batch % other == 0) fitting += str(fitting.empty() ? "" : ", ", other);
    throw ValueError(str("loader_batch: a batch of ", batch, " samples cannot be divided by ", ranks,
                         " ranks; choose one that can, or ", fitting, " ranks"));
  }
  const std::int64_t share = batch / ranks;
  std::int64_t parts = options.most > 0 ? (share - 1) / options.most + 1 : 1;
  while (share % parts != 0) ++parts;
  return {.size = share / parts, .parts = parts, .growth = growth_of(batch, options)};
}

}  // namespace minima::train
