#include <minima/ops/line_loop.h>

#include <minima/autograd/primitives.h>
#include <minima/ops/pointwise/convert.h>
#include <minima/tensor/parallel.h>

#include <algorithm>
#include <vector>

namespace minima::detail {

namespace {

bool lies_as(const Layout& x, const Layout& wanted) {
  for (int d = 0; d < x.rank(); ++d)
    if (x.shape[d] != 1 && x.strides[d] != wanted.strides[d]) return false;
  return true;
}

/// How many lines side by side: enough that rows of them fill cache lines, few enough that a strip stays in the cache.
/// It depends on the shape alone.
std::int64_t strip_width(const Lines& lines) {
  if (lines.inner == 1) return 1;
  const std::int64_t fitting = 16384 / std::max<std::int64_t>(lines.length, 1) / 16 * 16;
  return std::min(lines.inner, std::clamp<std::int64_t>(fitting, 16, 512));
}

/// A strip of a half type in float, and back.
class Buffers {
 public:
  Buffers(const LineJob& job, std::int64_t elements)
      : job_(job), elements_(elements), in_(pointwise::converter(float32, job.dtype)),
        out_(pointwise::converter(job.dtype, float32)),
        memory_(static_cast<std::size_t>(elements * (job.outputs + job.inputs))) {}

  void load(void* const* from, void** data, const Strip& lying) {
    for (int i = 0; i < job_.outputs + job_.inputs; ++i) {
      data[i] = memory_.data() + i * elements_;
      if (i >= job_.outputs) convert(in_, data[i], lying.width, 4, from[i], lying.stride, 2, lying);
    }
  }
  void store(void* const* to, void* const* data, const Strip& lying) {
    for (int i = 0; i < job_.outputs; ++i) convert(out_, to[i], lying.stride, 2, data[i], lying.width, 4, lying);
  }

 private:
  static void convert(pointwise::Convert f, void* to, std::int64_t to_stride, std::int64_t to_size, const void* from,
                      std::int64_t from_stride, std::int64_t from_size, const Strip& s) {
    if (s.stride == 1) return f(to, from, s.length);
    for (std::int64_t i = 0; i < s.length; ++i)
      f(static_cast<char*>(to) + i * to_stride * to_size, static_cast<const char*>(from) + i * from_stride * from_size,
        s.width);
  }

  const LineJob& job_;
  std::int64_t elements_;
  pointwise::Convert in_, out_;
  std::vector<float> memory_;
};

}  // namespace

Lines lines_of(const Layout& dense, int dim) {
  if (dense.rank() == 0) return {1, 1, 1};
  const std::int64_t length = dense.shape[dim], count = dense.numel();
  if (count == 0) return {0, length, 1};
  if (length == 1) return {count, 1, 1};
  const std::int64_t inner = dense.strides[dim];
  return {count / (length * inner), length, inner};
}

Tensor arranged(const Tensor& x, const Layout& dense) {
  if (lies_as(x.layout(), dense)) return x;
  Layout layout = dense;
  layout.offset = 0;
  return copy_with_layout(x, layout);
}

void for_lines(const LineJob& job, StripKernel kernel, const void* functor) {
  const auto [outer, length, inner] = job.lines;
  if (outer == 0 || length == 0 || inner == 0) return;
  const std::int64_t width = strip_width(job.lines), strips = (inner + width - 1) / width;
  const auto size = static_cast<std::int64_t>(size_of(job.dtype));
  const std::int64_t grain = std::max<std::int64_t>(
      1, grain_for(job.cost * static_cast<double>(length) * static_cast<double>(width)));

  minima::parallel_for(0, outer * strips, grain, [&](std::int64_t first, std::int64_t last) {
    Buffers buffers(job, is_half(job.dtype) ? length * width : 0);
    for (std::int64_t n = first; n < last; ++n) {
      const std::int64_t o = n / strips, c = n % strips * width;
      Strip strip{length, inner, std::min(width, inner - c), o * inner + c};
      void* data[8] = {};
      for (int i = 0; i < job.outputs + job.inputs; ++i)
        data[i] = static_cast<char*>(job.operands[i]) + (o * length * inner + c) * size;
      if (!is_half(job.dtype)) {
        kernel(functor, data, strip);
        continue;
      }
      void* wide[8] = {};
      Strip packed = strip;
      packed.stride = strip.width;
      buffers.load(data, wide, strip);
      kernel(functor, wide, packed);
      buffers.store(data, wide, strip);
    }
  });
}

}  // namespace minima::detail
