#include <minima/ops/attention/attention_tiles.h>

#include <minima/ops/attention/kernels.h>
#include <minima/ops/loops/elements.h>
#include <minima/ops/loops/math/math_cpu.h>
#include <minima/ops/product/gemm/matrices.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/random/philox.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace minima::detail {

AttentionSizes::AttentionSizes(const Tensor& q, const Tensor& k, const Tensor& v)
    : queries(q.size(-2)), keys(k.size(-2)), width(q.size(-1)), value_width(v.size(-1)) {
  for (int i = 0; i < q.rank() - 3; ++i) batch *= q.shape()[i];
  if (q.rank() > 2) {
    heads = q.size(-3);
    key_heads = k.size(-3);
  }
}

AttentionTasks::AttentionTasks(const AttentionSizes& sizes, const Tensor& bounds, std::int64_t heads, std::int64_t tile,
                               bool of_keys)
    : whole_{0, 0, sizes.queries, 0, sizes.keys}, heads_(heads), tile_(tile), of_keys_(of_keys) {
  count_ = sizes.batch * heads_ * tiles_of(whole_);
  if (!bounds.defined() || count_ == 0) return;
  const std::int32_t* const of = bounds.data<std::int32_t>();
  starts_ = {0};
  for (std::int64_t batch = 0; batch < sizes.batch; ++batch) {
    for (std::int64_t first = 0, end = 0; first < sizes.queries; first = end) {
      end = of[2 * (batch * sizes.queries + first) + 1];
      spans_.push_back({batch, first, end, first, end});
      starts_.push_back(starts_.back() + heads_ * tiles_of(spans_.back()));
    }
  }
  count_ = starts_.back();
}

std::int64_t AttentionTasks::tiles_of(const AttentionSpan& span) const {
  return tile_ == 0 ? 1 : ((of_keys_ ? span.keys() : span.queries()) + tile_ - 1) / tile_;
}

AttentionTasks::Task AttentionTasks::at(std::int64_t index) const {
  if (spans_.empty()) {
    const std::int64_t tiles = tiles_of(whole_);
    AttentionSpan span = whole_;
    span.batch = index / tiles / heads_;
    return {span, index / tiles % heads_, index % tiles};
  }
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), index);
  const auto place = static_cast<std::size_t>(after - starts_.begin() - 1);
  const std::int64_t tiles = tiles_of(spans_[place]), inside = index - starts_[place];
  return {spans_[place], inside / tiles, inside % tiles};
}

HeadMatrix::HeadMatrix(const Tensor& x)
    : x_(x.size(-1) <= 1 || x.strides().back() == 1 ? x : row_major_copy(x, x.dtype())), columns_(x.size(-1)) {}

char* HeadMatrix::row(std::int64_t batch, std::int64_t head, std::int64_t index) const {
  const Layout& layout = x_.layout();
  const int rank = layout.rank();
  std::int64_t at = index * layout.strides[rank - 2];
  if (rank > 2) at += head * layout.strides[rank - 3];
  for (int i = rank - 4; i >= 0; --i) {
    at += batch % layout.shape[i] * layout.strides[i];
    batch /= layout.shape[i];
  }
  return static_cast<char*>(x_.raw_data()) + at * static_cast<std::int64_t>(x_.itemsize());
}

template <class T>
Rows<T> HeadMatrix::load(std::int64_t batch, std::int64_t head, std::int64_t first, std::int64_t count,
                         Buffer<T>& buffer) const {
  const pointwise::Convert convert = pointwise::converter(dtype_of<T>, x_.dtype());
  const std::int64_t ld = x_.strides()[x_.rank() - 2];
  // The product needs rows that do not overlap.
  if (!convert && ld >= columns_) return {reinterpret_cast<const T*>(row(batch, head, first)), ld};
  buffer.resize(count * columns_);
  for (std::int64_t i = 0; i < count; ++i) {
    const char* const from = row(batch, head, first + i);
    if (convert) convert(buffer.data() + i * columns_, from, columns_);
    else std::memcpy(buffer.data() + i * columns_, from, static_cast<std::size_t>(columns_) * sizeof(T));
  }
  return {buffer.data(), columns_};
}

template <class T>
Rows<T> HeadMatrix::load_scaled(std::int64_t batch, std::int64_t head, std::int64_t first, std::int64_t count,
                                double scale, Buffer<T>& buffer) const {
  const Rows<T> rows = load(batch, head, first, count, buffer);
  buffer.resize(count * columns_);
  const T factor = static_cast<T>(scale);
  for (std::int64_t i = 0; i < count; ++i) {
    const T* const from = rows.data + i * rows.ld;
    T* const to = buffer.data() + i * columns_;
    MINIMA_IVDEP
    for (std::int64_t j = 0; j < columns_; ++j) to[j] = from[j] * factor;  // perhaps in place
  }
  return {buffer.data(), columns_};
}

template <class T>
void HeadMatrix::store(std::int64_t batch, std::int64_t head, std::int64_t first, std::int64_t count,
                       Rows<T> rows) const {
  const pointwise::Convert convert = pointwise::converter(x_.dtype(), dtype_of<T>);
  for (std::int64_t i = 0; i < count; ++i) {
    char* const to = row(batch, head, first + i);
    const T* const from = rows.data + i * rows.ld;
    if (convert) convert(to, from, columns_);
    else std::memcpy(to, from, static_cast<std::size_t>(columns_) * sizeof(T));
  }
}

AttentionMask::AttentionMask(const AttentionAttributes& attributes, const AttentionSizes& sizes, const Tensor& mask)
    : sizes_(sizes),
      causal_(attributes.causal),
      window_(attributes.window),
      dropout_(attributes.dropout),
      start_(attributes.start) {
  if (mask.defined()) mask_ = mask;
}

template <class T>
void AttentionMask::apply(std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t first,
                          std::int64_t count, T* scores) const {
  constexpr T hidden = -math::cpu::Format<T>::infinity;
  if (causal_)
    for (std::int64_t j = std::max<std::int64_t>(0, query + 1 - first); j < count; ++j) scores[j] = hidden;
  if (window_ > 0) {
    const std::int64_t before = std::min(count, first_in_window(query) - first);
    if (before > 0) std::fill_n(scores, before, hidden);
    for (std::int64_t j = std::max<std::int64_t>(0, past_window(query + 1) - first); j < count; ++j) scores[j] = hidden;
  }
  if (!mask_.defined()) return;
  const Layout& layout = mask_.layout();  // expanded to [..., heads, queries, keys]
  const int rank = layout.rank();
  std::int64_t at = query * layout.strides[rank - 2] + first * layout.strides[rank - 1];
  if (rank > 2) at += head * layout.strides[rank - 3];
  for (int i = rank - 4; i >= 0; --i) {
    at += batch % layout.shape[i] * layout.strides[i];
    batch /= layout.shape[i];
  }
  const std::int64_t step = layout.strides[rank - 1];
  dispatch<all_types>(mask_.dtype(), "scaled_dot_product_attention", [&]<class M> {
    const M* const values = static_cast<const M*>(mask_.raw_data()) + at;
    if constexpr (std::is_same_v<M, bool>) {
      for (std::int64_t j = 0; j < count; ++j) scores[j] = values[j * step] ? scores[j] : hidden;
    } else {
      for (std::int64_t j = 0; j < count; ++j) scores[j] += static_cast<T>(values[j * step]);
    }
  });
}

template <class T>
void AttentionMask::factors(std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t first,
                            std::int64_t count, T* out, std::vector<std::uint32_t>& words) const {
  const std::int64_t element = ((batch * sizes_.heads + head) * sizes_.queries + query) * sizes_.keys + first;
  const std::int64_t skipped = element % 4, blocks = (skipped + count + 3) / 4;
  words.resize(static_cast<std::size_t>(blocks * 4));
  philox_words(start_.seed, start_.offset + static_cast<std::uint64_t>(element / 4), words.data(), blocks);
  // The same rule as dropout(): u < 1 - p for u = (word >> 8) / 2²⁴.
  const auto threshold = static_cast<std::uint32_t>(std::ceil((1 - dropout_) * 0x1p24));
  const T scale = static_cast<T>(1 / (1 - dropout_));
  const std::uint32_t* const word = words.data() + skipped;
  for (std::int64_t j = 0; j < count; ++j) out[j] = word[j] >> 8 < threshold ? scale : T(0);
}

#define MINIMA_ATTENTION_TILES(T)                                                                                      \
  template Rows<T> HeadMatrix::load(std::int64_t, std::int64_t, std::int64_t, std::int64_t, Buffer<T>&) const;         \
  template Rows<T> HeadMatrix::load_scaled(std::int64_t, std::int64_t, std::int64_t, std::int64_t, double, Buffer<T>&) \
      const;                                                                                                           \
  template void HeadMatrix::store(std::int64_t, std::int64_t, std::int64_t, std::int64_t, Rows<T>) const;              \
  template void AttentionMask::apply(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, T*) const;  \
  template void AttentionMask::factors(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, T*,       \
                                       std::vector<std::uint32_t>&) const;
MINIMA_ATTENTION_TILES(float)
MINIMA_ATTENTION_TILES(double)

}  // namespace minima::detail
