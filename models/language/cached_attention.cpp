#include <minima/models/language/cached_attention.h>

#include <minima/models/language/generate.h>
#include <minima/nn/attention/kv_cache.h>
#include <minima/ops/attention/attention.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace minima::models::detail {

Tensor cached_attention(const Tensor& q, const Tensor& k, const Tensor& v, nn::KVCache* cache,
                        AttentionOptions options) {
  options.causal = !cache || cache->length() == 0;
  if (!cache) return scaled_dot_product_attention(q, k, v, options);
  auto [keys, values] = cache->append(k, v);
  if (options.causal) return scaled_dot_product_attention(q, keys, values, options);
  const std::int64_t window = std::exchange(options.window, 0);  // the queries are not the first ones
  if (q.size(-2) == 1) {
    if (const std::int64_t beyond = cache->length() - window; window > 0 && beyond > 0)
      keys = narrow(keys, -2, beyond, window), values = narrow(values, -2, beyond, window);
  } else {
    options.mask = cache->mask(q.size(-2), window);
  }
  return scaled_dot_product_attention(q, keys, values, options);
}

void check_caches(const char* model, const KVCaches* caches, std::size_t layers) {
  if (caches && caches->size() != layers)
    throw ValueError(str(model, ": there are ", caches->size(), " caches for ", layers, " layers; use caches()"));
}

}  // namespace minima::models::detail
