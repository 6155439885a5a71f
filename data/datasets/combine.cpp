#include <minima/data/datasets/combine.h>

#include <minima/data/sampling/random.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace minima::data::detail {

void check_indices(std::span<const std::int64_t> indices, std::int64_t size, const char* what) {
  for (const std::int64_t index : indices)
    if (index < 0 || index >= size) throw IndexError(str(what, ": index ", index, " of ", size, " samples"));
}

void check_same_size(std::int64_t first, std::int64_t other) {
  if (first != other) throw ShapeError(str("Zipped: the datasets differ in size: ", first, " and ", other));
}

std::vector<std::vector<std::int64_t>> split_indices(std::int64_t count, const std::vector<double>& shares,
                                                     std::uint64_t seed) {
  double sum = 0;
  for (const double share : shares) {
    if (!(share > 0)) throw ValueError(str("random_split: shares must be positive, got ", share));
    sum += share;
  }
  if (!(std::abs(sum - 1) < 1e-9)) throw ValueError(str("random_split: the shares add up to ", sum, ", not 1"));

  constexpr std::uint64_t split = 0x73706c6974;  // separates the split from the shuffling with the same seed
  const std::vector<std::int64_t> order = permutation(count, derived_key(seed, split, 0), 0);
  std::vector<std::vector<std::int64_t>> parts;
  double end = 0;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    end += shares[i];
    const std::int64_t last = i + 1 == shares.size() ? count : std::llround(end * static_cast<double>(count));
    parts.emplace_back(order.begin() + first, order.begin() + last);
    first = last;
  }
  return parts;
}

Tensor join(std::span<const Tensor> parts, std::span<const RowSource> sources) {
  const Tensor& like = parts[0];
  std::size_t row_bytes = like.itemsize();
  for (int d = 1; d < like.rank(); ++d) row_bytes *= static_cast<std::size_t>(like.shape()[d]);
  for (const Tensor& part : parts) {
    if (part.dtype() != like.dtype()) throw DTypeError(str("Concatenated: batches differ: ", like, " and ", part));
    bool same = part.rank() == like.rank() && part.is_contiguous() && part.rank() > 0;
    for (int d = 1; same && d < like.rank(); ++d) same = part.shape()[d] == like.shape()[d];
    if (!same) throw ShapeError(str("Concatenated: batches differ: ", like, " and ", part));
  }
  Shape shape = like.shape();
  shape[0] = static_cast<std::int64_t>(sources.size());
  Tensor joined = empty(shape, {.dtype = like.dtype()});
  auto* to = static_cast<char*>(joined.raw_data());
  for (const RowSource& source : sources) {
    if (row_bytes == 0) break;
    std::memcpy(
        to, static_cast<const char*>(parts[source.part].raw_data()) + static_cast<std::size_t>(source.row) * row_bytes,
        row_bytes);
    to += row_bytes;
  }
  return joined;
}

}  // namespace minima::data::detail
