#include <minima/ops/view/pad_roll_triangle_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

namespace minima::detail {

namespace {

/// Calls f(word, index) with the types for y's elements and for element indices.
template <class F>
void with_types(const Tensor& y, F&& f) {
  with_word(size_of(y.dtype()), [&]<class Word>(Word word) {
    if (y.numel() < INT32_MAX) f(word, std::uint32_t{});
    else f(word, std::uint64_t{});
  });
}

template <class Word> const Word* words(const Tensor& x) { return static_cast<const Word*>(x.raw_data()); }
template <class Word> Word* words(Tensor& y) { return static_cast<Word*>(y.raw_data()); }

}  // namespace

void pad_kernel_cuda(const Tensor& x, const PadPlan& plan, std::uint64_t value, Tensor& y) {
  if (y.numel() == 0) return;
  with_types(y, [&]<class Word, class Index>(Word, Index) {
    cuda::launch("pad", cuda::grid_for(y.numel()), pad_kernel<Word, Index>, words<Word>(x), plan, y.numel(), value,
                 words<Word>(y));
  });
}

void roll_kernel_cuda(const Tensor& x, const Lines& lines, std::int64_t by, Tensor& y) {
  if (y.numel() == 0) return;
  with_types(y, [&]<class Word, class Index>(Word, Index) {
    cuda::launch("roll", cuda::grid_for(y.numel()), roll_kernel<Word, Index>, words<Word>(x),
                 lines.length * lines.inner, by * lines.inner, y.numel(), words<Word>(y));
  });
}

void triangle_kernel_cuda(const Tensor& x, std::int64_t diagonal, bool lower, Tensor& y) {
  if (y.numel() == 0) return;
  with_types(y, [&]<class Word, class Index>(Word, Index) {
    cuda::launch("triangle", cuda::grid_for(y.numel()), triangle_kernel<Word, Index>, words<Word>(x), y.size(-2),
                 y.size(-1), diagonal, lower, y.numel(), words<Word>(y));
  });
}

}  // namespace minima::detail
