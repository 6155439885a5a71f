#include <minima/train/run/replica_check.h>

#include <minima/distributed/process_group.h>
#include <minima/io/files/crc32c.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace minima::train::detail {

namespace {

std::int64_t replica_sum(const Tensor& tensor) {
  const Tensor x = contiguous(tensor.detach().to(Device::cpu()));
  return minima::detail::crc32c(x.raw_data(), static_cast<std::size_t>(x.numel()) * x.itemsize());
}

/// The ranks of one tensor whose sum is not the most frequent one.
std::vector<int> minority(const std::vector<std::int64_t>& sums) {
  std::map<std::int64_t, int> counts;
  for (const std::int64_t sum : sums) ++counts[sum];
  if (counts.size() == 1) return {};
  const int half = static_cast<int>(sums.size()) / 2;
  std::vector<int> ranks;
  std::int64_t common = -1;
  for (const auto& [sum, count] : counts)
    if (count > half) common = sum;
  for (std::size_t rank = 0; rank < sums.size(); ++rank)
    if (sums[rank] != common) ranks.push_back(static_cast<int>(rank));
  return ranks;
}

}  // namespace

std::vector<std::string> differing_replicas(const NamedTensors& tensors, const distributed::ProcessGroup& group) {
  if (tensors.empty() || !group.defined() || group.size() == 1) return {};
  std::vector<std::int64_t> sums;
  for (const auto& [name, tensor] : tensors) sums.push_back(replica_sum(tensor));
  const auto count = static_cast<std::int64_t>(sums.size());
  const Tensor ours = from_vector(sums, {count}).to(group.device());
  const std::vector<std::int64_t> all =
      group.all_gather(ours, {.label = "checksums of replicas"}).result().to(Device::cpu()).to_vector<std::int64_t>();
  std::vector<std::string> names(static_cast<std::size_t>(group.size()));
  for (std::size_t i = 0; i < sums.size(); ++i) {
    std::vector<std::int64_t> of_ranks;
    for (std::size_t rank = 0; rank < names.size(); ++rank) of_ranks.push_back(all[rank * sums.size() + i]);
    for (const int rank : minority(of_ranks)) {
      std::string& text = names[static_cast<std::size_t>(rank)];
      text += str(text.empty() ? "" : ", ", tensors[i].first);
    }
  }
  std::vector<std::string> lines;
  for (std::size_t rank = 0; rank < names.size(); ++rank)
    if (!names[rank].empty()) lines.push_back(str("rank ", rank, ": ", names[rank]));
  return lines;
}

}  // namespace minima::train::detail
