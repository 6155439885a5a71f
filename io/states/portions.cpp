#include <minima/io/states/portions.h>

#include <minima/io/files/crc32c.h>
#include <minima/io/files/format_error.h>
#include <minima/io/state.h>
#include <minima/io/states/state_parts.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

constexpr std::size_t smallest_cut = std::size_t{1} << 20;  ///< bytes of a tensor that is cut

std::size_t size_in_bytes(const Tensor& x) { return static_cast<std::size_t>(x.numel()) * x.itemsize(); }

/// The first byte of a rank's share.
std::size_t share_begin(std::size_t total, int rank, int ranks) {
  const std::size_t whole = total / static_cast<std::size_t>(ranks), rest = total % static_cast<std::size_t>(ranks);
  const auto r = static_cast<std::size_t>(rank);
  return whole * r + std::min(r, rest);
}

void add_replicated(std::vector<Portion>& portions, const State& state, int rank, int ranks) {
  std::size_t total = 0;
  for (const auto& [name, tensor] : state.tensors()) total += size_in_bytes(tensor);
  const bool is_last = rank + 1 == ranks;
  const std::size_t first = share_begin(total, rank, ranks), last = share_begin(total, rank + 1, ranks);
  std::size_t at = 0;
  for (const auto& [name, tensor] : state.tensors()) {
    const std::size_t begin = at, bytes = size_in_bytes(tensor), item = tensor.itemsize();
    at += bytes;
    Portion portion{name, tensor.shape(), tensor.dtype(), 0, tensor.numel(), tensor.detach(), 0};
    if (bytes < smallest_cut || !tensor.is_contiguous()) {
      // Empty tensors at the very end begin after all shares.
      if (begin >= first && (begin < last || is_last)) portions.push_back(std::move(portion));
      continue;
    }
    const auto element = [&](std::size_t bound) {
      return static_cast<std::int64_t>(bound <= begin ? 0 : std::min(bytes, bound - begin + item - 1) / item);
    };
    portion.offset = portion.begin = element(first);
    portion.count = element(last) - portion.offset;
    if (portion.count > 0) portions.push_back(std::move(portion));
  }
}

void refuse_reserved(const std::string& name) {
  if (is_own_name(name))
    throw ValueError(
        str("saving a state: the name ", printable(name), " is reserved for what ranks have of their own"));
}

void add_piece(std::vector<Portion>& portions, const TensorPiece& piece, const State& replicated) {
  refuse_reserved(piece.name);
  if (piece.name.empty()) throw ValueError("saving a state: a piece needs a name");
  if (replicated.find(piece.name))
    throw ValueError(str("saving a state: ", printable(piece.name), " is both a replicated tensor and a piece"));
  if (!piece.local.defined()) return;
  const std::int64_t count = piece.local.numel(), all = numel(piece.shape);
  if (piece.offset < 0 || piece.offset > all || count > all - piece.offset)
    throw ValueError(str("saving a state: the piece of ", printable(piece.name), " from element ", piece.offset, ", ",
                         piece.local, ", does not fit in its tensor ", piece.shape, ", which has ", all, " elements"));
  if (count == 0 && all > 0) return;
  portions.push_back({piece.name, piece.shape, piece.local.dtype(), piece.offset, count, piece.local.detach(), 0});
}

}  // namespace

std::uint32_t checksum_of_plan(const State& replicated) {
  std::uint32_t sum = 0;
  for (const auto& [name, tensor] : replicated.tensors()) {
    const std::string line =
        str(name, " ", tensor.dtype(), " ", tensor.shape(), tensor.is_contiguous() ? "\n" : " irregular\n");
    sum = crc32c(line.data(), line.size(), sum);
  }
  return sum;
}

std::string own_prefix(int rank) { return str("rank.", rank, "."); }

bool is_own_name(const std::string& name) {
  return name.starts_with("rank.") && name.size() > 5 && name[5] >= '0' && name[5] <= '9';
}

std::vector<Portion> portions_of(const StateParts& parts, int rank, int ranks) {
  for (const auto& [name, tensor] : parts.replicated.tensors()) refuse_reserved(name);
  for (const auto& [name, text] : parts.replicated.texts()) refuse_reserved(name);
  std::vector<Portion> portions;
  add_replicated(portions, parts.replicated, rank, ranks);
  for (const TensorPiece& piece : parts.pieces) add_piece(portions, piece, parts.replicated);
  for (const auto& [name, tensor] : parts.own.tensors())
    portions.push_back(
        {own_prefix(rank) + name, tensor.shape(), tensor.dtype(), 0, tensor.numel(), tensor.detach(), 0});
  return portions;
}

}  // namespace minima::detail
