#include <minima/models/language/cached_attention.h>

#include <minima/models/language/generate.h>
#include <minima/nn/attention/kv_cache.h>
#include <minima/ops/attention/attention.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstddef>

namespace minima::models::detail {

Tensor cached_attention(const Tensor& q, const Tensor& k, const Tensor& v, nn::KVCache* cache,
                        AttentionOptions options) {
  options.causal = !cache || cache->length() == 0;
  if (!cache) return scaled_dot_product_attention(q, k, v, options);
  const auto [keys, values] = cache->append(k, v);
  if (!options.causal) options.mask = cache->mask(q.size(-2));
  return scaled_dot_product_attention(q, keys, values, options);
}

void check_caches(const char* model, const KVCaches* caches, std::size_t layers) {
  if (caches && caches->size() != layers)
    throw ValueError(str(model, ": there are ", caches->size(), " caches for ", layers, " layers; use caches()"));
}

}  // namespace minima::models::detail
