#include "compare.h"

#include <minima/io/files/format_error.h>
#include <minima/io/state.h>
#include <minima/io/states/name_pattern.h>
#include <minima/io/states/saved_state.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

using minima::State;
using minima::str;
using minima::Tensor;
using minima::detail::printable;

namespace {

constexpr std::int64_t piece = 1 << 20;  ///< elements that are compared at a time

class Comparison {
 public:
  explicit Comparison(const std::vector<std::string>& ignore) : ignore_(ignore) {}

  std::string text;

  bool is_ignored(const std::string& name) const {
    return std::any_of(ignore_.begin(), ignore_.end(),
                       [&](const std::string& pattern) { return minima::detail::matches_pattern(pattern, name); });
  }
  void line(const std::string& name, const std::string& what) {
    if (!is_ignored(name)) text += str("  ", printable(name), "  ", what, "\n");
  }

  /// `prefix` is for the names of what belongs to a rank.
  void texts(const State& a, const State& b, const std::string& prefix) {
    for (const auto& [name, value] : a.texts()) {
      const std::string* const other = b.find_text(name);
      if (!other) line(prefix + name, "only in the first");
      else if (*other != value) line(prefix + name, str(shortened(value), " and ", shortened(*other)));
    }
    for (const auto& [name, value] : b.texts())
      if (!a.find_text(name)) line(prefix + name, "only in the second");
  }

  void own_tensors(const State& a, const State& b, const std::string& prefix) {
    for (const auto& [name, tensor] : a.tensors()) {
      const Tensor* const other = b.find(name);
      if (!other) line(prefix + name, "only in the first");
      else if (other->dtype() != tensor.dtype() || other->shape() != tensor.shape())
        line(prefix + name, str(tensor, " and ", *other));
      else if (std::memcmp(tensor.raw_data(), other->raw_data(),
                           static_cast<std::size_t>(tensor.numel()) * tensor.itemsize()) != 0)
        line(prefix + name, str(tensor, ": values differ"));
    }
    for (const auto& [name, tensor] : b.tensors())
      if (!a.find(name)) line(prefix + name, "only in the second");
  }

 private:
  static std::string shortened(const std::string& value) {
    constexpr std::size_t most = 40;
    return str('"', printable(value.size() > most ? value.substr(0, most) : value), value.size() > most ? "…\"" : "\"");
  }
  const std::vector<std::string>& ignore_;
};

/// Says what differs between two tensors of the same dtype and shape; empty if nothing does.
std::string values_differ(const minima::SavedState& a, const minima::SavedState& b,
                          const minima::SavedState::Entry& entry) {
  const std::int64_t all = minima::numel(entry.shape);
  const std::size_t item = minima::size_of(entry.dtype);
  std::int64_t count = 0;
  double largest = 0;
  for (std::int64_t at = 0; at < all; at += piece) {
    const std::int64_t length = std::min(piece, all - at);
    const Tensor x = minima::empty(minima::Shape{length}, {.dtype = entry.dtype});
    const Tensor y = minima::empty(minima::Shape{length}, {.dtype = entry.dtype});
    a.read(entry.name, x, at);
    b.read(entry.name, y, at);
    const auto *const from = static_cast<const std::byte*>(x.raw_data()), *const to = static_cast<const std::byte*>(
                                                                              y.raw_data());
    if (std::memcmp(from, to, static_cast<std::size_t>(length) * item) == 0) continue;
    std::vector<double> left, right;
    if (!minima::is_complex(entry.dtype)) left = x.to_vector<double>(), right = y.to_vector<double>();
    for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i) {
      if (std::memcmp(from + i * item, to + i * item, item) == 0) continue;
      ++count;
      if (!left.empty()) largest = std::fmax(largest, std::fabs(left[i] - right[i]));
    }
  }
  if (count == 0) return {};
  return str(entry.dtype, " ", entry.shape, ": ", count, " of ", all, " elements differ, by at most ", largest);
}

}  // namespace

std::string differences(const minima::SavedState& a, const minima::SavedState& b,
                        const std::vector<std::string>& ignore) {
  Comparison found(ignore);
  if (a.step() != b.step()) found.line("step", str(a.step(), " and ", b.step()));
  auto left = a.tensors().begin(), right = b.tensors().begin();
  while (left != a.tensors().end() || right != b.tensors().end()) {
    if (right == b.tensors().end() || (left != a.tensors().end() && left->name < right->name)) {
      found.line(left->name, "only in the first");
      ++left;
    } else if (left == a.tensors().end() || right->name < left->name) {
      found.line(right->name, "only in the second");
      ++right;
    } else {
      if (found.is_ignored(left->name)) {
      } else if (left->dtype != right->dtype || left->shape != right->shape) {
        found.line(left->name, str(left->dtype, " ", left->shape, " and ", right->dtype, " ", right->shape));
      } else if (const std::string what = values_differ(a, b, *left); !what.empty()) {
        found.line(left->name, what);
      }
      ++left;
      ++right;
    }
  }
  found.texts(a.values(), b.values(), "");
  for (int rank = 0; rank < std::max(a.ranks(), b.ranks()); ++rank) {
    const State ours = a.own(rank).value_or(State()), theirs = b.own(rank).value_or(State());
    const std::string prefix = str("rank.", rank, ".");
    found.texts(ours, theirs, prefix);
    found.own_tensors(ours, theirs, prefix);
  }
  return found.text;
}
