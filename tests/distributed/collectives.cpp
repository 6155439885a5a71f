#include "tests/distributed/collectives.h"

#include "tests/distributed/processes.h"

#include <minima/ops/copy/copy.h>
#include <minima/tensor/base/dispatch.h>

#include <cmath>

namespace minima::test {

namespace {

using distributed::Reduce;

constexpr DType dtypes[] = {boolean, uint8, int8, int32, int64, float16, bfloat16, float32, float64};

/// Rank r's values: small whole numbers, so that sums are exact in every dtype.
double value(int rank, std::int64_t i, DType dtype) {
  const double v = static_cast<double>((rank * 3 + i) % 4);
  return dtype == boolean ? v > 1 : dtype == uint8 ? v : v - 1;
}

Tensor values(int rank, const Shape& shape, DType dtype, Device device) {
  std::vector<double> all(static_cast<std::size_t>(numel(shape)));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = value(rank, static_cast<std::int64_t>(i), dtype);
  return from_vector(all, shape).to(dtype).to(device);
}

double reduced(Reduce reduce, DType dtype, int size, std::int64_t i) {
  double result = value(0, i, dtype);
  for (int r = 1; r < size; ++r) {
    const double v = value(r, i, dtype);
    switch (reduce) {
      case Reduce::min: result = std::min(result, v); break;
      case Reduce::max: result = std::max(result, v); break;
      case Reduce::product: result *= v; break;
      default: result += v;
    }
  }
  if (dtype == boolean) return result != 0;
  if (dtype == uint8) return std::fmod(result, 256);
  return reduce == Reduce::mean ? result / size : result;
}

template <class Expected>
void compare(const char* what, const Tensor& got, const Expected& expected) {
  const std::vector<double> all = got.to(float64).to_vector<double>();
  // A mean of eight may be rounded in half types.
  const double slack = is_half(got.dtype()) ? 8e-3 : 1e-6;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double wanted = expected(static_cast<std::int64_t>(i));
    require(std::abs(all[i] - wanted) <= slack * std::abs(wanted),
            str(what, " of ", got.dtype(), ": element ", i, " is ", all[i], " instead of ", wanted));
  }
}

void check_reductions(const ProcessGroup& group, DType dtype, Device device) {
  const int size = group.size(), rank = group.rank();
  for (const Reduce reduce : {Reduce::sum, Reduce::mean, Reduce::min, Reduce::max, Reduce::product}) {
    if (reduce == Reduce::mean && !is_floating(dtype)) continue;
    const auto expected = [&](std::int64_t i) { return reduced(reduce, dtype, size, i); };
    compare("all_reduce", group.all_reduce(values(rank, {37}, dtype, device), reduce).result(), expected);
    const Tensor part = group.reduce_scatter(values(rank, {size, 5}, dtype, device), reduce).result();
    require(part.shape() == Shape({5}), "shape of reduce_scatter");
    compare("reduce_scatter", part, [&](std::int64_t i) { return expected(rank * 5 + i); });
  }
}

void check_moves(const ProcessGroup& group, DType dtype, Device device) {
  const int size = group.size(), rank = group.rank(), root = size - 1;
  const Tensor mine = values(rank, {3}, dtype, device);
  const auto from_rank = [&](std::int64_t i) { return value(static_cast<int>(i / 3), i % 3, dtype); };
  Tensor x = clone(mine);
  compare("broadcast", group.broadcast(x, root).result(), [&](std::int64_t i) { return value(root, i, dtype); });
  compare("all_gather", group.all_gather(mine).result(), from_rank);
  const Tensor gathered = group.gather(mine, root).result();
  require(gathered.defined() == (rank == root), "gather gives to the root alone");
  if (gathered.defined()) compare("gather", gathered, from_rank);
  const Tensor rows = values(rank, {size, 3}, dtype, device);
  compare("all_to_all", group.all_to_all(rows).result(),
          [&](std::int64_t i) { return value(static_cast<int>(i / 3), rank * 3 + i % 3, dtype); });
  compare("scatter", group.scatter(x, rank == root ? rows : Tensor(), root).result(),
          [&](std::int64_t i) { return value(root, rank * 3 + i, dtype); });
}

}  // namespace

void check_collectives(const ProcessGroup& group, Device device) {
  for (const DType dtype : dtypes) {
    check_reductions(group, dtype, device);
    check_moves(group, dtype, device);
  }
  // Several concurrent operations, awaited out of order; one is empty.
  const Tensor a = values(group.rank(), {1000}, float32, device), b = values(group.rank(), {10}, int64, device);
  const Tensor none = empty({0}, {.device = device});
  const auto first = group.all_reduce(a), second = group.all_reduce(b), third = group.all_reduce(none);
  third.wait();
  compare("second of three", second.result(),
          [&](std::int64_t i) { return reduced(Reduce::sum, int64, group.size(), i); });
  compare("first of three", first.result(),
          [&](std::int64_t i) { return reduced(Reduce::sum, float32, group.size(), i); });
  require(first.is_done(), "what was waited for is done");
  group.barrier();
}

void check_messages_and_subgroups(const ProcessGroup& group, Device device) {
  const int size = group.size(), rank = group.rank();
  if (size > 1) {
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    Tensor in = values(0, {70000}, float32, device), in2 = values(0, {2}, int32, device);
    const Tensor out = values(rank, {70000}, float32, device), out2 = values(rank, {2}, int32, device);
    // All send before any rank receives; two tags are received in another order than they were sent.
    const auto s1 = group.send(out, next, 1), s2 = group.send(out2, next, 2);
    const auto r2 = group.receive(in2, before, 2), r1 = group.receive(in, before, 1);
    r1.wait();
    r2.wait();
    s1.wait();
    s2.wait();
    compare("receive", in, [&](std::int64_t i) { return value(before, i, float32); });
    compare("receive", in2, [&](std::int64_t i) { return value(before, i, int32); });
  }
  std::vector<int> half;
  for (int r = rank % 2; r < size; r += 2) half.push_back(r);
  const ProcessGroup part = group.subgroup(half);
  require(part.size() == static_cast<int>(half.size()) && half[static_cast<std::size_t>(part.rank())] == rank,
          "ranks of a subgroup");
  const Tensor sum = part.all_reduce(values(rank, {4}, float64, device)).result();
  compare("all_reduce of a subgroup", sum, [&](std::int64_t i) {
    double total = 0;
    for (const int r : half) total += value(r, i, float64);
    return total;
  });
  group.barrier();
}

}  // namespace minima::test
