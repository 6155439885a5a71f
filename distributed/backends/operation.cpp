#include <minima/distributed/backends/backend.h>

#include <minima/distributed/backends/collective.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace minima::distributed {

const char* name(Reduce reduce) {
  static constexpr const char* names[] = {"sum", "mean", "min", "max", "product"};
  return names[static_cast<int>(reduce)];
}

namespace {

/// All ranks know the sizes of uneven parts, unless each gives others than it gets, as in an all_to_all.
std::string parts_of(const Operation& operation) {
  std::string text = str(" ", operation.output.dtype(), " in uneven parts");
  const CollectiveTraits& traits = traits_of(operation.kind);
  if (traits.input.has_rows && traits.output.has_rows) return text;
  text += " of";
  for (const std::int64_t part : operation.parts_in.empty() ? operation.parts_out : operation.parts_in)
    text += str(" ", part);
  return text;
}

/// The part of each rank in a tensor of one side; only the root is on the `other` if that says so.
std::vector<Portion> portions(const Tensor& x, const CollectiveSide& side, const CollectiveSide& other,
                              const std::vector<std::int64_t>& parts, int root, int rank, int size) {
  std::vector<Portion> all(static_cast<std::size_t>(size));
  if (!x.defined() || (side.is_root && rank != root)) return all;
  std::int64_t begin = 0;
  for (int r = 0; r < size; ++r) {
    const auto at = static_cast<std::size_t>(r);
    const std::int64_t count = !side.has_rows ? x.numel() : parts.empty() ? x.numel() / size : parts[at];
    if (!other.is_root || r == root) all[at] = {begin, count};
    if (side.has_rows) begin += count;
  }
  return all;
}

}  // namespace

std::vector<Portion> given_portions(const Operation& operation, int rank, int size) {
  const CollectiveTraits& traits = traits_of(operation.kind);
  return portions(operation.input, traits.input, traits.output, operation.parts_in, operation.peer, rank, size);
}

std::vector<Portion> taken_portions(const Operation& operation, int rank, int size) {
  const CollectiveTraits& traits = traits_of(operation.kind);
  return portions(operation.output, traits.output, traits.input, operation.parts_out, operation.peer, rank, size);
}

namespace {

std::string unlabelled(const Operation& operation) {
  std::string text = name(operation.kind);
  const CollectiveTraits& traits = traits_of(operation.kind);
  if (traits.reduces) text += str(" ", name(operation.reduce));
  // The tensor that every rank has.
  const Tensor& tensor = traits.input.is_root || !operation.input.defined() ? operation.output : operation.input;
  if (operation.is_uneven()) return text + parts_of(operation);
  if (tensor.defined()) text += str(" ", tensor.dtype(), " ", tensor.shape());
  if (operation.peer >= 0)
    text += str(operation.kind == Collective::send      ? " to "
                : operation.kind == Collective::receive ? " from "
                                                        : " root ",
                operation.peer);
  return text;
}

}  // namespace

std::string signature(const Operation& operation) {
  if (operation.replayed > 0) return str("a replay of ", operation.replayed, " captured operations");
  return operation.label.empty() ? unlabelled(operation) : str(unlabelled(operation), " '", operation.label, "'");
}

}  // namespace minima::distributed
