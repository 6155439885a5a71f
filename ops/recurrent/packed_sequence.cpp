#include <minima/ops/recurrent/packed_sequence.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/index/index.h>
#include <minima/ops/index/select.h>
#include <minima/ops/op.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/checked.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace minima {

namespace {

/// [A, B, …] → [A·B, …]
Tensor merged(const Tensor& x) { return flatten(x, 0, 1); }

Tensor on_device_of(const Tensor& x, const std::vector<std::int64_t>& rows) {
  return from_vector(rows, {static_cast<std::int64_t>(rows.size())}).to(x.device());
}

/// The number of a step's row in a padded tensor of `steps` steps and `batch` sequences.
struct PaddedRows {
  std::int64_t steps, batch;
  bool batch_first;
  std::int64_t at(std::int64_t time, std::int64_t sequence) const {
    return batch_first ? sequence * steps + time : time * batch + sequence;
  }
  /// A padded tensor that holds data[i] in row rows[i].
  Tensor fill(const Tensor& data, const std::vector<std::int64_t>& rows, double value) const {
    Shape shape = data.shape();
    shape[0] = detail::fit(detail::Wide{steps} * batch, "pad_packed_sequence");
    const Tensor empty_rows = full(shape, value, {.dtype = data.dtype(), .device = data.device()});
    shape[0] = batch;
    shape.insert(batch_first ? 1 : 0, steps);
    return reshape(index_put(empty_rows, {on_device_of(data, rows)}, data), shape);
  }
};

void check_lengths(const char* name, const Tensor& x, const std::vector<std::int64_t>& lengths, std::int64_t least,
                   bool batch_first) {
  detail::check_defined(name, x);
  if (x.rank() < 2) throw ShapeError(str(name, ": needs [T, B, …] or [B, T, …], got ", x));
  const std::int64_t batch = x.size(batch_first ? 0 : 1), steps = x.size(batch_first ? 1 : 0);
  if (static_cast<std::int64_t>(lengths.size()) != batch)
    throw ValueError(
        str(name, ": needs a length for each of the ", batch, " sequences of ", x, ", got ", lengths.size()));
  for (const std::int64_t length : lengths)
    if (length < least || length > steps)
      throw ValueError(str(name, ": a length must be from ", least, " to ", steps, ", got ", length));
}

}  // namespace

PackedSequence pack_padded_sequence(const Tensor& x, const std::vector<std::int64_t>& lengths, bool batch_first) {
  check_lengths("pack_padded_sequence", x, lengths, 1, batch_first);
  const PaddedRows padded{x.size(batch_first ? 1 : 0), x.size(batch_first ? 0 : 1), batch_first};
  PackedSequence packed;
  packed.order.resize(lengths.size());
  std::iota(packed.order.begin(), packed.order.end(), std::int64_t{0});
  const auto length_of = [&](std::int64_t sequence) { return lengths[static_cast<std::size_t>(sequence)]; };
  std::stable_sort(packed.order.begin(), packed.order.end(),
                   [&](std::int64_t a, std::int64_t b) { return length_of(a) > length_of(b); });
  std::vector<std::int64_t> rows;
  for (std::int64_t time = 0; !lengths.empty() && time < length_of(packed.order[0]); ++time) {
    const std::size_t before = rows.size();
    for (const std::int64_t sequence : packed.order)
      if (length_of(sequence) > time) rows.push_back(padded.at(time, sequence));
    packed.batch_sizes.push_back(static_cast<std::int64_t>(rows.size() - before));
  }
  packed.data = index_select(merged(x), 0, on_device_of(x, rows));
  return packed;
}

PackedSequence pack_sequence(const std::vector<Tensor>& sequences) {
  std::vector<std::int64_t> lengths;
  for (const Tensor& sequence : sequences) lengths.push_back(sequence.size(0));
  return pack_padded_sequence(pad_sequence(sequences), lengths);
}

PaddedSequences pad_packed_sequence(const PackedSequence& packed, bool batch_first, double value,
                                    std::int64_t total_length) {
  const auto steps = static_cast<std::int64_t>(packed.batch_sizes.size());
  if (total_length > 0 && total_length < steps)
    throw ValueError(
        str("pad_packed_sequence: total_length ", total_length, " is below the longest sequence, ", steps));
  const PaddedRows padded{total_length > 0 ? total_length : steps, static_cast<std::int64_t>(packed.order.size()),
                          batch_first};
  PaddedSequences result{{}, std::vector<std::int64_t>(packed.order.size())};
  std::vector<std::int64_t> rows;
  for (std::int64_t time = 0; time < steps; ++time)
    for (std::int64_t i = 0; i < packed.batch_sizes[static_cast<std::size_t>(time)]; ++i) {
      const std::int64_t sequence = packed.order[static_cast<std::size_t>(i)];
      rows.push_back(padded.at(time, sequence));
      result.lengths[static_cast<std::size_t>(sequence)] = time + 1;
    }
  result.padded = padded.fill(packed.data, rows, value);
  return result;
}

Tensor pad_sequence(const std::vector<Tensor>& sequences, bool batch_first, double value) {
  if (sequences.empty()) throw ValueError("pad_sequence: needs at least one sequence");
  PaddedRows padded{0, static_cast<std::int64_t>(sequences.size()), batch_first};
  for (const Tensor& sequence : sequences) {
    if (sequence.rank() == 0) throw ShapeError("pad_sequence: a sequence is [T, …], got a scalar");
    padded.steps = std::max(padded.steps, sequence.size(0));
  }
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < padded.batch; ++i)
    for (std::int64_t time = 0; time < sequences[static_cast<std::size_t>(i)].size(0); ++time)
      rows.push_back(padded.at(time, i));
  return padded.fill(cat(sequences, 0), rows, value);
}

std::vector<Tensor> unpad_sequence(const Tensor& padded, const std::vector<std::int64_t>& lengths, bool batch_first) {
  check_lengths("unpad_sequence", padded, lengths, 0, batch_first);
  std::vector<Tensor> sequences;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    sequences.push_back(narrow(select(padded, batch_first ? 0 : 1, static_cast<std::int64_t>(i)), 0, 0, lengths[i]));
  return sequences;
}

}  // namespace minima
