#include <minima/models/language/cached_attention.h>

#include <minima/models/language/generate.h>
#include <minima/nn/attention/kv_cache.h>
#include <minima/ops/attention/attention.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
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
  options.causal = !cache || (cache->length() == 0 && !cache->hides());
  if (!cache) return scaled_dot_product_attention(q, k, v, options);
  auto [keys, values] = cache->append(k, v);
  if (!options.causal) {
    const std::int64_t window = std::exchange(options.window, 0);  // the queries are not the first ones
    if (q.size(-2) == 1 && !cache->hides()) {
      if (const std::int64_t beyond = cache->length() - window; window > 0 && beyond > 0)
        keys = narrow(keys, -2, beyond, window), values = narrow(values, -2, beyond, window);
    } else {
      options.mask = cache->mask(q.size(-2), window);
    }
  }
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

void check_segments(const char* model, const Tensor& tokens, const Tensor& segments, const KVCaches* caches) {
  if (!segments.defined()) return;
  if (caches) throw ValueError(str(model, ": packed documents have no caches; leave out one of the two"));
  if (segments.shape() != tokens.shape())
    throw ShapeError(str(model, ": segments must be [B, T] like the tokens ", tokens.shape(), ", got ", segments));
}

Tensor positions_after(const KVCaches* caches, std::int64_t count) {
  return caches ? caches->front().positions(count) : arange(count);
}

}  // namespace minima::models::detail
