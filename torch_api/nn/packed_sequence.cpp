#include <minima/ops/recurrent/packed_sequence.h>
#include <ATen/ATen.h>
#include <minima/ops/creation/creation.h>
#include <torch/nn/utils/rnn.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace torch::nn::utils::rnn {

namespace {

Tensor from_lengths(const std::vector<std::int64_t>& lengths) {
  return minima::from_vector(lengths, {static_cast<std::int64_t>(lengths.size())});
}

std::vector<std::int64_t> to_lengths(const Tensor& lengths) {
  return lengths.to(kCPU, kLong).native().to_vector<std::int64_t>();
}

}  // namespace

Tensor invert_permutation(const Tensor& permutation) {
  if (!permutation.defined()) return Tensor();
  const std::vector<std::int64_t> order = to_lengths(permutation);
  std::vector<std::int64_t> inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) inverse[static_cast<std::size_t>(order[i])] = std::int64_t(i);
  return from_lengths(inverse).to(permutation.device());
}

PackedSequence::PackedSequence(Tensor data, Tensor batch_sizes, Tensor sorted_indices, Tensor unsorted_indices)
    : data_(std::move(data)),
      batch_sizes_(std::move(batch_sizes)),
      sorted_indices_(std::move(sorted_indices)),
      unsorted_indices_(std::move(unsorted_indices)) {
  if (!unsorted_indices_.defined()) unsorted_indices_ = invert_permutation(sorted_indices_);
  TORCH_CHECK(batch_sizes_.device().is_cpu(),
              "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. They "
              "should be instantiated by functions like pack_sequence and pack_padded_sequences in nn::utils::rnn.");
}

PackedSequence PackedSequence::pin_memory() const {
  auto pin = [](const Tensor& tensor) { return tensor.defined() ? tensor.pin_memory() : tensor; };
  return PackedSequence(pin(data_), batch_sizes_, pin(sorted_indices_), pin(unsorted_indices_));
}

PackedSequence PackedSequence::to(TensorOptions options) const {
  Tensor data = data_.to(options);
  if (data.is_same(data_)) return *this;
  auto move = [&](const Tensor& indices) { return indices.defined() ? indices.to(data.device()) : indices; };
  return PackedSequence(data, batch_sizes_, move(sorted_indices_), move(unsorted_indices_));
}

PackedSequence PackedSequence::cuda() const { return to(kCUDA); }

PackedSequence PackedSequence::cpu() const { return to(kCPU); }

bool PackedSequence::is_cuda() const { return data_.is_cuda(); }

bool PackedSequence::is_pinned() const { return data_.is_pinned(); }

PackedSequence pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first, bool enforce_sorted) {
  const std::vector<std::int64_t> sizes = to_lengths(lengths);
  TORCH_CHECK(input.numel() > 0, "Cannot pack empty tensors.");
  TORCH_CHECK(std::ranges::all_of(sizes, [](std::int64_t size) { return size > 0; }),
              "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0");
  TORCH_CHECK(
      !enforce_sorted || std::ranges::is_sorted(sizes, std::ranges::greater()),
      "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
      "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do "
      "not need ONNX exportability.");
  minima::PackedSequence packed = minima::pack_padded_sequence(input, sizes, batch_first);
  return PackedSequence(packed.data, from_lengths(packed.batch_sizes),
                        enforce_sorted ? Tensor() : from_lengths(packed.order).to(input.device()));
}

std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence, bool batch_first, double padding_value,
                                               std::optional<std::int64_t> total_length) {
  const std::vector<std::int64_t> batch_sizes = to_lengths(sequence.batch_sizes());
  const auto longest = static_cast<std::int64_t>(batch_sizes.size());
  TORCH_CHECK(!total_length || *total_length >= longest,
              "Expected total_length to be at least the length of the longest sequence in input, but got total_length=",
              total_length.value_or(0), " and max sequence length being ", longest);
  std::vector<std::int64_t> order;
  if (sequence.sorted_indices().defined()) {
    order = to_lengths(sequence.sorted_indices());
  } else if (longest > 0) {
    order.resize(static_cast<std::size_t>(batch_sizes[0]));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = std::int64_t(i);
  }
  auto [padded, lengths] = minima::pad_packed_sequence({sequence.data(), batch_sizes, std::move(order)}, batch_first,
                                                       padding_value, total_length.value_or(0));
  return {padded, from_lengths(lengths)};
}

Tensor pad_sequence(ArrayRef<Tensor> sequences, bool batch_first, double padding_value, std::string_view padding_side) {
  TORCH_CHECK(padding_side == "left" || padding_side == "right",
              "Expected padding_side to be one of left or right, but got ", std::string(padding_side), ".");
  const bool is_left = padding_side == "left";
  std::vector<minima::Tensor> natives;
  for (const Tensor& sequence : sequences) natives.push_back(is_left ? sequence.flip(0) : sequence);
  const Tensor padded = minima::pad_sequence(natives, batch_first, padding_value);
  return is_left ? padded.flip(batch_first ? 1 : 0) : padded;
}

PackedSequence pack_sequence(ArrayRef<Tensor> sequences, bool enforce_sorted) {
  std::vector<std::int64_t> lengths;
  for (const Tensor& sequence : sequences) lengths.push_back(sequence.size(0));
  return pack_padded_sequence(rnn::pad_sequence(sequences), from_lengths(lengths), false, enforce_sorted);
}

}  // namespace torch::nn::utils::rnn
