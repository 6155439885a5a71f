#ifdef MINIMA_HAVE_ONEDNN

#include <minima/ops/product/gemm/engine.h>
#include <minima/ops/product/gemm/gemm_block.h>
#include <minima/ops/product/gemm/one_thread.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/memory/cpu/with_memory.h>

#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <vector>

namespace minima::detail {

namespace {

void multiply(const GemmBlock<float>& x) {
  const OneThread guard;
  const float alpha = x.into == Into::subtract ? -1.0f : 1.0f, beta = x.into == Into::assign ? 0.0f : 1.0f;
  const dnnl_status_t status = dnnl_sgemm(x.a_transposed ? 'T' : 'N', x.b_transposed ? 'T' : 'N', x.m, x.n, x.k, alpha,
                                          x.a, x.lda, x.b, x.ldb, beta, x.c, x.ldc);
  if (status == dnnl_out_of_memory) throw std::bad_alloc();
  if (status != dnnl_success)
    throw Error(str("oneDNN: status ", static_cast<int>(status), " from a product [", x.m, ", ", x.k, "] × [", x.k,
                    ", ", x.n, "]"));
}

/// Without AVX-512, oneDNN reads op(A)'s columns and op(B)'s rows in place. If they are a multiple of 1 KiB apart, they
/// compete for a few sets of the L1 cache, and a product takes up to twice as long as one of operands that are copied
/// first, some of k at a time.
class Copied {
 public:
  static constexpr std::int64_t depth = 512;

  static bool pays(std::int64_t ld, std::int64_t uses, std::int64_t k) {
    constexpr std::int64_t stride = 256, least = 64;
    return ld % stride == 0 && uses >= least && k >= 2 * least && !has_avx512();
  }

  /// Room for `depth` lines of `width` elements: a block has 512 of them at most, so `memory` stays within 1.1 MiB.
  Copied(std::vector<float>& memory, std::int64_t width) : width_(width), ld_(width + 16), memory_(memory) {
    memory.resize(std::max(memory.size(), static_cast<std::size_t>(depth * ld_)));
  }
  /// `count` lines of `width` elements that are `ld` apart.
  const float* copy(const float* from, std::int64_t ld, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      std::memcpy(memory_.data() + i * ld_, from + i * ld, static_cast<std::size_t>(width_) * sizeof(float));
    return memory_.data();
  }
  std::int64_t ld() const { return ld_; }

 private:
  std::int64_t width_, ld_;
  std::vector<float>& memory_;
};

}  // namespace

void gemm_onednn(const GemmBlock<float>& x) {
  static thread_local std::vector<float> lines_of_a, lines_of_b;
  std::optional<Copied> a, b;
  if (x.a_transposed && Copied::pays(x.lda, x.n, x.k)) a.emplace(lines_of_a, x.m);
  if (!x.b_transposed && Copied::pays(x.ldb, x.m, x.k)) b.emplace(lines_of_b, x.n);
  if (!a && !b) return multiply(x);
  for (std::int64_t k = 0; k < x.k; k += Copied::depth) {
    GemmBlock<float> part = x;
    part.k = std::min(Copied::depth, x.k - k);
    if (part.into == Into::assign && k > 0) part.into = Into::add;
    part.a = x.a + (x.a_transposed ? k * x.lda : k);
    part.b = x.b + (x.b_transposed ? k : k * x.ldb);
    if (a) {
      part.a = a->copy(part.a, x.lda, part.k);
      part.lda = a->ld();
    }
    if (b) {
      part.b = b->copy(part.b, x.ldb, part.k);
      part.ldb = b->ld();
    }
    // On its own, since one that follows another may not start from the beginning.
    with_memory("a matrix product", [&] { multiply(part); });
  }
}

}  // namespace minima::detail

#endif
