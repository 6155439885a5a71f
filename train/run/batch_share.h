#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

namespace minima::train {

struct BatchOptions {
  std::int64_t batch = 0;  ///< samples of an optimizer step, over all ranks
  std::int64_t most = 0;   ///< samples that a rank computes at once; more are accumulated. 0: its whole share
  /// 0 keeps the batch on any number of ranks, and with it the learning rate. Else `batch` is that of so many ranks,
  /// and grows and shrinks with their number; BatchShare::growth says how much.
  int scaled_from = 0;
};

/// A rank's share of each optimizer step, so that a run resumed on another number of ranks takes the same steps:
///
///     const train::BatchShare share = train::share_of_batch({.batch = 64, .most = 8}, group.rank(), group.size());
///     for (std::int64_t part = 0; part < share.parts; ++part) {
///       const Tensor x = narrow(batch, 0, share.begin(part), share.size(part));
///       (loss_of(net(x)) * share.weight(part)).backward();      // the mean loss of x
///     }
///     optimizer.step();
struct MINIMA_API BatchShare {
  std::int64_t batch = 0;             ///< samples of the step, over all ranks
  std::int64_t first = 0, count = 0;  ///< this rank's samples; counts differ by one at most
  std::int64_t parts = 1;             ///< passes of a step, the same number on all ranks
  int ranks = 1;
  double growth = 1;  ///< batch / BatchOptions::batch; by how much the learning rate of SGD rises (Goyal et al. 2017)

  /// The first sample of a part, and its number of samples. That is 0 in a part of some ranks only if `most` is 1 and
  /// their number does not divide the batch; such a rank still calls the net, with an empty batch and a sum as loss.
  std::int64_t begin(std::int64_t part) const;
  std::int64_t size(std::int64_t part) const;
  /// The factor of a part's mean loss, where gradients are the mean over the ranks and add up over the parts: the
  /// result is the gradient of the mean over the whole batch, however unevenly it is divided. 1 / parts if all are
  /// equal.
  double weight(std::int64_t part) const;
};

/// Throws ValueError for a batch of fewer samples than ranks, and for numbers out of range.
MINIMA_API BatchShare share_of_batch(const BatchOptions& options, int rank, int ranks);

/// The same for a data loader, whose ranks all take batches of one size.
struct LoaderBatch {
  std::int64_t size = 0;   ///< LoaderOptions::batch_size
  std::int64_t parts = 1;  ///< of optim::Accumulation
  double growth = 1;       ///< see BatchShare
};
/// size · parts · ranks is the batch, with as few parts as `most` allows. Throws ValueError if the ranks do not divide
/// the batch, with the numbers of ranks that do.
MINIMA_API LoaderBatch loader_batch(const BatchOptions& options, int ranks);

}  // namespace minima::train
