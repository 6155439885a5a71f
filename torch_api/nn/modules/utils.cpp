#include <torch/nn/modules/utils.h>

#include <c10/util/Exception.h>

namespace torch::nn::modules::utils {

std::vector<int64_t> _reverse_repeat_vector(IntArrayRef t, int64_t n) {
  TORCH_CHECK(n >= 0, "_reverse_repeat_vector: n must be at least 0, got ", n);
  std::vector<int64_t> result;
  for (size_t i = t.size(); i-- > 0;) result.insert(result.end(), static_cast<size_t>(n), t[i]);
  return result;
}

std::vector<int64_t> _list_with_default(ArrayRef<std::optional<int64_t>> out_size, IntArrayRef defaults) {
  TORCH_CHECK(defaults.size() > out_size.size(), "Input dimension should be at least ", out_size.size() + 1);
  std::vector<int64_t> result(defaults.end() - static_cast<std::ptrdiff_t>(out_size.size()), defaults.end());
  for (size_t i = 0; i < result.size(); ++i) result[i] = out_size[i].value_or(result[i]);
  return result;
}

}  // namespace torch::nn::modules::utils
