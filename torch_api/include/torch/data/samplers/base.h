#pragma once

#include <torch/serialize/fwd.h>
#include <torch/types.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace torch::data::samplers {

/// Says which samples make up the next batch.
template <typename BatchRequest = std::vector<size_t>>
class Sampler {
 public:
  using BatchRequestType = BatchRequest;

  virtual ~Sampler() = default;
  /// Begins an epoch, of another size if one is given.
  virtual void reset(std::optional<size_t> new_size) = 0;
  /// The next request, or nullopt at the end of the epoch.
  virtual std::optional<BatchRequest> next(size_t batch_size) = 0;
  virtual void save(serialize::OutputArchive& archive) const = 0;
  virtual void load(serialize::InputArchive& archive) = 0;
};

}  // namespace torch::data::samplers
