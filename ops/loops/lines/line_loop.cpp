#include <minima/ops/loops/lines/line_loop.h>

#include <minima/autograd/primitives.h>
#include <minima/ops/loops/elements.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::detail {

namespace {

bool has_strides_of(const Layout& x, const Layout& wanted) {
  for (int d = 0; d < x.rank(); ++d)
    if (x.shape[d] != 1 && x.strides[d] != wanted.strides[d]) return false;
  return true;
}

/// Contiguous lines shorter than this are transposed, so that vector instructions run across them.
constexpr std::int64_t short_line = 64;

/// Groups lines into strips, by the shape alone.
struct Strips {
  std::int64_t width;  ///< adjacent lines in a strip
  std::int64_t rows, per_row;
  bool transposed = false;

  Strips(const Lines& lines, DType dtype) {
    const auto& [outer, length, inner] = lines;
    if (inner == 1) {
      transposed = length < short_line && outer >= short_line;
      width = transposed ? short_line : 1;
      rows = (outer + width - 1) / width;
      per_row = 1;
      return;
    }
    // Wide enough to read runs of whole cache lines, yet several strips for the threads and no huge buffers.
    const std::int64_t most = is_half(dtype) && length > 4096 ? 64 : max_strip;
    width = outer * inner < 8 * max_strip ? 64 : most;
    width = std::min(width, inner);
    rows = outer;
    per_row = (inner + width - 1) / width;
  }
};

/// Moves element (i, c) from one layout to another, for all elements of a strip.
template <class T>
void transpose(T* to, std::int64_t to_i, std::int64_t to_c, const T* from, std::int64_t from_i, std::int64_t from_c,
               std::int64_t length, std::int64_t width) {
  for (std::int64_t c = 0; c < width; ++c)
    for (std::int64_t i = 0; i < length; ++i) to[i * to_i + c * to_c] = from[i * from_i + c * from_c];
}

/// Buffered strips: half types converted to float, short lines transposed.
class Buffers {
 public:
  Buffers(const LineJob& job, std::int64_t elements, bool transposed)
      : job_(job),
        length_(job.lines.length),
        stride_(job.lines.inner),
        transposed_(transposed),
        half_(is_half(job.dtype)),
        item_(static_cast<std::int64_t>(size_of(compute_dtype(job.dtype)))),
        bytes_(elements * item_),
        memory_(static_cast<std::size_t>(bytes_ * (job.outputs + job.inputs + (half_ && transposed)))) {}

  void load(void* const* from, void** data, std::int64_t width) {
    for (int k = 0; k < job_.outputs + job_.inputs; ++k) {
      data[k] = slot(k);
      if (k >= job_.outputs) move(data[k], from[k], width, true);
    }
  }
  void store(void* const* to, void* const* data, std::int64_t width) {
    for (int k = 0; k < job_.outputs; ++k) move(data[k], to[k], width, false);
  }

 private:
  void* slot(int k) { return memory_.data() + k * bytes_; }

  void move(void* buffer, void* in_place, std::int64_t width, bool in) {
    if (transposed_) {
      // The lines are contiguous, so one call converts them all.
      void* lines = half_ ? slot(job_.outputs + job_.inputs) : in_place;
      if (half_ && in) pointwise::converter(float32, job_.dtype)(lines, in_place, width * length_);
      if (item_ == 4) transpose_lines<float>(buffer, lines, width, in);
      else transpose_lines<double>(buffer, lines, width, in);
      if (half_ && !in) pointwise::converter(job_.dtype, float32)(in_place, lines, width * length_);
      return;
    }
    const auto convert = in ? pointwise::converter(float32, job_.dtype) : pointwise::converter(job_.dtype, float32);
    const auto at = [](void* p, std::int64_t offset, std::int64_t size) {
      return static_cast<char*>(p) + offset * size;
    };
    if (stride_ == 1) return in ? convert(buffer, in_place, length_) : convert(in_place, buffer, length_);
    for (std::int64_t i = 0; i < length_; ++i) {
      void *wide = at(buffer, i * width, 4), *narrow = at(in_place, i * stride_, 2);
      in ? convert(wide, narrow, width) : convert(narrow, wide, width);
    }
  }

  template <class T> void transpose_lines(void* buffer, void* lines, std::int64_t width, bool in) {
    if (in) transpose(static_cast<T*>(buffer), width, 1, static_cast<const T*>(lines), 1, length_, length_, width);
    else transpose(static_cast<T*>(lines), 1, length_, static_cast<const T*>(buffer), width, 1, length_, width);
  }

  const LineJob& job_;
  std::int64_t length_, stride_;
  bool transposed_, half_;
  std::int64_t item_, bytes_;
  std::vector<char> memory_;
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
  if (has_strides_of(x.layout(), dense)) return x;
  Layout layout = dense;
  layout.offset = 0;
  return copy_with_layout(x, layout);
}

void for_lines(const LineJob& job, StripKernel kernel, const void* functor) {
  const std::int64_t outer = job.lines.outer, length = job.lines.length, inner = job.lines.inner;
  if (outer == 0 || length == 0 || inner == 0) return;
  const Strips strips(job.lines, job.dtype);
  const auto size = static_cast<std::int64_t>(size_of(job.dtype));
  const bool buffered = is_half(job.dtype) || strips.transposed;
  const std::int64_t grain =
      std::max<std::int64_t>(1, grain_for(job.cost * static_cast<double>(length) * static_cast<double>(strips.width)));

  minima::parallel_for(0, strips.rows * strips.per_row, grain, [&](std::int64_t first, std::int64_t last) {
    Buffers buffers(job, buffered ? length * strips.width : 0, strips.transposed);
    for (std::int64_t n = first; n < last; ++n) {
      const std::int64_t o = n / strips.per_row * (strips.transposed ? strips.width : 1),
                         c = n % strips.per_row * strips.width;
      const std::int64_t width = std::min(strips.width, strips.transposed ? outer - o : inner - c);
      Strip strip{length, buffered && (strips.transposed || inner > 1) ? width : inner, width, o * inner + c};
      void *in_place[8] = {}, *data[8] = {};
      for (int k = 0; k < job.outputs + job.inputs; ++k)
        in_place[k] = static_cast<char*>(job.operands[k]) + (o * length * inner + c) * size;
      if (buffered) buffers.load(in_place, data, width);
      kernel(functor, buffered ? data : in_place, strip);
      if (buffered) buffers.store(in_place, data, width);
    }
  });
}

}  // namespace minima::detail
