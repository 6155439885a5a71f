#include "tables.h"

namespace bench {

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all{
      {"roofs", "what this machine can do at most", false, roofs},
      {"precision", "products in lower precision against float32", false, precision},
      {"shapes", "products of round sizes against odd ones", false, shapes},
      {"roofline", "what bounds products from small to huge", false, roofline},
      {"crossover", "from which size on the GPU is worth its transfers", true, crossover},
      {"pool", "memory from the allocator's cache against the system's", false, pool},
      {"no_grad", "time and memory of inference with and without recording", false, no_grad},
      {"fused", "fused operators against the same made of several", false, fused},
      {"batches", "latency and throughput of inference by batch size", false, batches},
      {"batch_search", "the batch size beyond which training gains nothing", false, batch_search},
      {"determinism", "what deterministic(true) costs a training step", false, determinism},
      {"captured", "captured steps against eager ones, and after how many calls they pay", true, captured},
      {"streams", "two models on two streams against one after the other", true, streams},
      {"prefetch", "a training loop that loads by itself against one with workers", false, prefetch, true},
      {"telemetry", "what a loader's stages do and wait for", false, telemetry, true},
      {"transfers", "copies to and from the GPU, pageable and pinned", true, transfers},
      {"grains", "a pointwise loop cut into ranges for the CPU's threads", false, grains},
      {"blocks", "a pointwise kernel by threads per block, predicted", false, blocks, false, true},
      {"placement", "which work belongs on the CPU, which on the GPU", false, placement},
      {"practices", "what the usual advice gains", false, practices},
      {"predictions", "training steps on GPUs that need not be there, predicted", false, predictions, false, true},
  };
  return all;
}

}  // namespace bench
