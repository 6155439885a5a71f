#ifdef MINIMA_HAVE_ONEDNN

#include <minima/ops/gemm/gemm_block.h>
#include <minima/ops/gemm/one_thread.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <oneapi/dnnl/dnnl.h>

#include <new>

namespace minima::detail {

void gemm_onednn(const GemmBlock<float>& x) {
  const OneThread guard;
  const dnnl_status_t status = dnnl_sgemm(x.a_transposed ? 'T' : 'N', x.b_transposed ? 'T' : 'N', x.m, x.n, x.k, 1.0f,
                                          x.a, x.lda, x.b, x.ldb, x.accumulate ? 1.0f : 0.0f, x.c, x.ldc);
  if (status == dnnl_out_of_memory) throw std::bad_alloc();
  if (status != dnnl_success)
    throw Error(str("oneDNN: status ", static_cast<int>(status), " from a product [", x.m, ", ", x.k, "] × [", x.k,
                    ", ", x.n, "]"));
}

}  // namespace minima::detail

#endif
