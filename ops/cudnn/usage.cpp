#include <minima/ops/cudnn/usage.h>

#include <minima/ops/cudnn/graph.h>

#include <mutex>
#include <string>

namespace minima {

namespace {

struct Counts {
  std::mutex mutex;
  cudnn::Usage usage;
};
Counts& counts() {
  static Counts* const all = new Counts;
  return *all;
}

}  // namespace

namespace detail {

void count_graph(bool planned, const std::string& refusal) {
  const std::lock_guard lock(counts().mutex);
  cudnn::Usage& usage = counts().usage;
  ++(planned ? usage.planned : usage.refused);
  if (!planned) usage.refusal = refusal;
}

}  // namespace detail

cudnn::Usage cudnn::usage() {
  const std::lock_guard lock(counts().mutex);
  return counts().usage;
}

}  // namespace minima
