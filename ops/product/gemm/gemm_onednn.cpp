#ifdef MINIMA_HAVE_ONEDNN

#include <minima/ops/product/gemm/engine.h>
#include <minima/ops/product/gemm/gemm_block.h>
#include <minima/ops/product/gemm/one_thread.h>
#include <minima/ops/product/gemm/packed_block.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <oneapi/dnnl/dnnl.h>

#include <new>

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

}  // namespace

void gemm_onednn(const GemmBlock<float>& x) {
  if (!packs(x) || !gemm_packed(x)) multiply(x);
}

}  // namespace minima::detail

#endif
