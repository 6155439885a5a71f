#include <minima/ops/loss/ctc.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/reduction.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/select.h>
#include <minima/ops/loss/reduced.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/split.h>
#include <minima/ops/view/view.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace minima {

namespace {

constexpr const char* op = "ctc_loss";

/// The logarithm of 0: finite, so that differences of two of them are numbers.
constexpr double never = -1e30;

using Lengths = std::vector<std::int64_t>;

void check_lengths(const char* what, const Lengths& lengths, std::int64_t count, std::int64_t most) {
  if (static_cast<std::int64_t>(lengths.size()) != count)
    throw ShapeError(str(op, ": needs ", count, " ", what, ", one for each sequence, got ", lengths.size()));
  for (const std::int64_t length : lengths)
    if (length < 0 || length > most)
      throw ValueError(str(op, ": ", what, " must be between 0 and ", most, ", got ", length));
}

/// [N, 1] on a device.
Tensor column(const Lengths& values, Device device) {
  return from_vector(values, {static_cast<std::int64_t>(values.size()), 1}).to(device);
}

/// The targets in rows [N, longest], from where each of them starts; others are blank.
Tensor rows(const Tensor& targets, const Tensor& starts, const Tensor& lengths, std::int64_t longest,
            std::int64_t blank) {
  const Tensor step = unsqueeze(arange(0, longest, 1, {.dtype = DType::int64, .device = targets.device()}), 0);
  const Tensor exists = step < lengths;
  if (targets.numel() == 0) return full(exists.shape(), blank, {.dtype = DType::int64, .device = targets.device()});
  const Tensor from = where(exists, starts + step, 0);
  return where(exists, reshape(gather(flatten(targets), 0, flatten(from)), from.shape()), blank);
}

/// blank, first, blank, second, …, blank: [N, S] → [N, 2S + 1].
Tensor with_blanks(const Tensor& labels, std::int64_t blank) {
  const std::int64_t count = labels.shape()[0], states = 2 * labels.shape()[1];
  const Tensor blanks = full({count, 1}, blank, {.dtype = DType::int64, .device = labels.device()});
  return cat({reshape(stack({expand(blanks, labels.shape()), labels}, 2), {count, states}), blanks}, 1);
}

/// -log p of each sequence: scores [T, N, states] of the states, whose labels are `states`.
Tensor losses_of(const Tensor& scores, const Tensor& states, std::int64_t blank, const Tensor& steps,
                 const Tensor& lengths) {
  const std::int64_t count = states.shape()[0], width = states.shape()[1];
  const TensorOptions options{.dtype = scores.dtype(), .device = scores.device()};
  const Tensor impossible = full({count, 2}, never, options);
  // A label may follow the one before the last blank unless both are the same.
  const Tensor before =
      cat({full({count, 2}, blank, {.dtype = DType::int64, .device = states.device()}), slice(states, 1, 0, -2)}, 1);
  const Tensor skip =
      where(logical_and(states != blank, states != narrow(before, 1, 0, width)), 0, never).to(options.dtype);
  const Tensor place = unsqueeze(arange(0, width, 1, {.dtype = DType::int64, .device = states.device()}), 0);
  // Column s + 2 holds state s, so that shifted views need no copy.
  Tensor state = cat({impossible, expand(where(place == 0, 0, never).to(options.dtype), {count, width})}, 1);
  std::int64_t step = 0;
  for (const Tensor& score : split(scores, 1, 0)) {
    const Tensor stay = narrow(state, 1, 2, width), advance = narrow(state, 1, 1, width);
    // At the first step the sequence may start with either of two states, which staying and advancing give.
    const Tensor from = logaddexp(stay, advance);
    const Tensor all = step == 0 ? from : logaddexp(from, narrow(state, 1, 0, width) + skip);
    state = cat({impossible, where(steps > step, all + squeeze(score, 0), stay)}, 1);
    ++step;
  }
  const Tensor end = lengths * 2 + 2, last = gather(state, 1, end);
  const Tensor other = where(lengths > 0, gather(state, 1, end - 1), never);
  return -squeeze(logaddexp(last, other), 1);
}

}  // namespace

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Lengths& input_lengths,
                const Lengths& target_lengths, const CtcOptions& options) {
  detail::check_defined(op, log_probs);
  detail::check_defined(op, targets, 1);
  if (!is_floating(log_probs.dtype()))
    throw DTypeError(str(op, ": log_probs must be floating, got ", log_probs, "; convert them with to()"));
  if (targets.dtype() != DType::int64)
    throw DTypeError(str(op, ": targets must be int64, got ", targets, "; convert them with to()"));
  const bool batched = log_probs.rank() == 3;
  const std::int64_t count = batched ? log_probs.shape()[1] : 1;
  const bool padded = targets.rank() == 2;
  if ((!batched && log_probs.rank() != 2) || targets.rank() < 1 || targets.rank() > 2 ||
      (padded && targets.shape()[0] != count))
    throw ShapeError(str(op, ": needs log_probs [T, N, C] or [T, C] and targets [N, S] or a vector, got ", log_probs,
                         " and ", targets));
  const std::int64_t classes = log_probs.shape().back();
  if (options.blank < 0 || options.blank >= classes)
    throw ValueError(str(op, ": blank must be one of the ", classes, " classes, got ", options.blank));
  check_lengths("input lengths", input_lengths, count, log_probs.shape()[0]);
  check_lengths("target lengths", target_lengths, count, padded ? targets.shape()[1] : targets.numel());
  Lengths starts;
  std::int64_t longest = 0, total = 0;
  for (std::size_t i = 0; i < target_lengths.size(); ++i) {
    starts.push_back(padded ? static_cast<std::int64_t>(i) * targets.shape()[1] : total);
    total += target_lengths[i];
    longest = std::max(longest, target_lengths[i]);
  }
  if (!padded && total != targets.numel())
    throw ShapeError(
        str(op, ": the target lengths add up to ", total, ", but there are ", targets.numel(), " targets"));

  const Tensor given = detail::autocast(Cast::to_float32, log_probs);
  const Tensor x = detail::in_full(given);
  const detail::WithoutAutocast guard;
  const Device device = x.device();
  const Tensor lengths = column(target_lengths, device);
  const Tensor states =
      with_blanks(rows(targets, column(starts, device), lengths, longest, options.blank), options.blank);
  const Tensor batch = batched ? x : unsqueeze(x, 1);
  const Tensor scores = gather(batch, 2, expand(unsqueeze(states, 0), {x.shape()[0], count, states.shape()[1]}));
  Tensor losses = losses_of(scores, states, options.blank, column(input_lengths, device), lengths);
  losses = where(losses > -never / 2, options.zero_infinity ? 0 : std::numeric_limits<double>::infinity(), losses);
  if (options.reduction == Reduction::mean) losses = losses / reshape(maximum(lengths, 1), {count}).to(losses.dtype());
  if (!batched && options.reduction == Reduction::none) losses = reshape(losses, {});
  return cast(detail::reduced(losses, options.reduction), given.dtype());
}

}  // namespace minima
