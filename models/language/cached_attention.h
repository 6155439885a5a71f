#pragma once

#include <minima/models/language/generate.h>
#include <minima/nn/attention/kv_cache.h>
#include <minima/ops/attention/attention.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>

// The language models share these functions. Internal to models.

namespace minima::models::detail {

/// Attention of each position to itself and those before, including the cache's if there is one, which gets k and v.
Tensor cached_attention(const Tensor& q, const Tensor& k, const Tensor& v, nn::KVCache* cache,
                        AttentionOptions options = {});

/// Throws ValueError unless there is one cache for each layer with room for `added` positions, or none. It is called
/// before any layer computes, so that a full cache leaves all as they were.
void check_caches(const char* model, const KVCaches* caches, std::size_t layers, std::int64_t added);

/// Throws unless `segments` is undefined, or fits tokens and there are no caches.
void check_segments(const char* model, const Tensor& tokens, const Tensor& segments, const KVCaches* caches);

/// The places of the next `count` positions in their texts: int64 [count] on the CPU, or [B, count] for texts of
/// several lengths.
Tensor positions_after(const KVCaches* caches, std::int64_t count);

/// The cache of a layer, or null.
inline nn::KVCache* cache_of(KVCaches* caches, std::size_t layer) { return caches ? &(*caches)[layer] : nullptr; }

/// How many positions the caches hold.
inline std::int64_t length_of(const KVCaches* caches) { return caches ? caches->front().length() : 0; }

}  // namespace minima::models::detail
