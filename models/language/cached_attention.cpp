#include <minima/models/language/cached_attention.h>

#include <minima/models/language/generate.h>
#include <minima/nn/attention/kv_cache.h>
#include <minima/ops/attention/attention.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace minima::models::detail {

Tensor cached_attention(const Tensor& q, const Tensor& k, const Tensor& v, nn::KVCache* cache,
                        AttentionOptions options) {
  options.causal = !cache || (cache->length() == 0 && !cache->hides());
  if (!cache) return scaled_dot_product_attention(q, k, v, options);
  const auto [keys, values] = cache->append(k, v);
  const std::int64_t window = std::exchange(options.window, 0);  // the queries are not the first ones
  if (!options.causal) options.mask = cache->mask(q.size(-2), window);
  else options.window = window;
  // Attention computes in float32 whatever it reads, so nothing is lost but what the cache's dtype rounds away.
  if (keys.dtype() == q.dtype()) return scaled_dot_product_attention(q, keys, values, options);
  return scaled_dot_product_attention(q.to(keys.dtype()), keys, values, options).to(q.dtype());
}

void check_caches(const char* model, const KVCaches* caches, std::size_t layers, std::int64_t added) {
  if (!caches) return;
  if (caches->size() != layers)
    throw ValueError(str(model, ": there are ", caches->size(), " caches for ", layers, " layers; use caches()"));
  const nn::KVCache& first = caches->front();
  if (added > first.capacity() - first.length())
    throw ValueError(str(model, ": ", added, " more positions do not fit into the caches: ", first.length(), " of ",
                         first.capacity(), " are taken; make them larger, or call truncate()"));
}

Tensor positions_after(const KVCaches* caches, std::int64_t count) {
  return caches ? caches->front().positions(count) : arange(count);
}

}  // namespace minima::models::detail
