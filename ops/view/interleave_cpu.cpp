#include <minima/ops/view/kernels.h>

#include <minima/ops/loops/elements.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/threads/parallel.h>

#include <cstddef>
#include <cstdint>

namespace minima::detail {

namespace {

/// to[parts · i + k] = from[k][i]
template <std::size_t parts, class Word>
void interleave(Word* to, const Word* const* from, std::int64_t first, std::int64_t last) {
  const Word* in[parts];
  for (std::size_t k = 0; k < parts; ++k) in[k] = from[k];
  MINIMA_IVDEP
  for (std::int64_t i = first; i < last; ++i)
    for (std::size_t k = 0; k < parts; ++k)
      to[static_cast<std::int64_t>(parts) * i + static_cast<std::int64_t>(k)] = in[k][i];
}

}  // namespace

bool interleave_cpu(std::span<const Tensor> tensors, int dim, const Tensor& y) {
  constexpr std::size_t most = 4;
  const std::size_t parts = tensors.size();
  if ((parts != 2 && parts != most) || y.numel() == 0 || !y.is_contiguous()) return false;
  for (int d = dim + 1; d < y.rank(); ++d)
    if (y.shape()[d] != 1) return false;
  for (const Tensor& tensor : tensors)
    if (tensor.rank() != y.rank() || tensor.shape()[dim] != 1 || tensor.dtype() != y.dtype() || !tensor.is_contiguous())
      return false;
  with_any_word(y.itemsize(), [&]<class Word>(Word) {
    const Word* from[most] = {};
    for (std::size_t k = 0; k < parts; ++k) from[k] = static_cast<const Word*>(tensors[k].raw_data());
    auto* const to = static_cast<Word*>(y.raw_data());
    parallel_for(0, y.numel() / static_cast<std::int64_t>(parts), grain_for(0.25 * static_cast<double>(parts)),
                 [&](std::int64_t first, std::int64_t last) {
                   if (parts == 2) interleave<2>(to, from, first, last);
                   else interleave<most>(to, from, first, last);
                 });
  });
  return true;
}

}  // namespace minima::detail
