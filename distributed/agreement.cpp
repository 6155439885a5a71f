#include <minima/distributed/agreement.h>

#include <minima/autograd/mode.h>
#include <minima/distributed/backends/backend.h>
#include <minima/distributed/process_group.h>
#include <minima/io/files/format_error.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minima::distributed::detail {

namespace {

std::string line_at(const std::string& text, std::size_t at) {
  const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  return begin < text.size() ? text.substr(begin, text.find('\n', begin) - begin) : std::string("nothing more");
}

}  // namespace

bool has_others(const ProcessGroup& group) {
  return group.size() > 1 && std::string_view(group.backend()) != "pretended";
}

void expect_agreement(const char* who, const char* what, const std::string& text, const ProcessGroup& group) {
  if (!has_others(group)) return;
  const NoGrad guard;
  const Device device = group.device();
  const Tensor size = full({}, static_cast<double>(text.size()), {.dtype = int64}).to(device);
  const auto length = group.broadcast(size, 0, {.label = str("size of the ", what)}).result().item<std::int64_t>();
  std::vector<std::uint8_t> bytes(text.begin(), text.end());
  bytes.resize(static_cast<std::size_t>(length));
  const auto theirs =
      group.broadcast(from_vector(bytes, {length}).to(device), 0, {.label = what}).result().to_vector<std::uint8_t>();
  const std::string first(theirs.begin(), theirs.end());
  const Tensor differs = full({}, first == text ? 0 : 1, {.dtype = int32}).to(device);
  const bool any = group.all_reduce(differs, Reduce::max, {.label = str("whether ranks agree on the ", what)})
                       .result()
                       .item<std::int32_t>() != 0;
  if (first != text) {
    const std::size_t shorter = std::min(first.size(), text.size());
    const auto at = static_cast<std::size_t>(
        std::mismatch(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(shorter), text.begin()).first -
        first.begin());
    throw ValueError(str(who, ": rank ", group.rank(), "'s ", what, " differs from rank 0's: there '",
                         minima::detail::printable(line_at(first, at)), "', here '", line_at(text, at), "'"));
  }
  if (any) throw ValueError(str(who, ": another rank's ", what, " differs from rank 0's; see that rank's error"));
}

}  // namespace minima::distributed::detail
