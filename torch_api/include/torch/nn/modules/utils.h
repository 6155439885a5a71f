#pragma once

#include <torch/types.h>

#include <optional>
#include <vector>

namespace torch::nn::modules::utils {

/// The elements of t from the last to the first, each n times.
std::vector<int64_t> _reverse_repeat_vector(IntArrayRef t, int64_t n);

/// out_size, with missing elements taken from the end of `defaults`.
std::vector<int64_t> _list_with_default(ArrayRef<std::optional<int64_t>> out_size, IntArrayRef defaults);

}  // namespace torch::nn::modules::utils
