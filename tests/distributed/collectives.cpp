#include "tests/distributed/collectives.h"

#include "tests/distributed/processes.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/allclose.h>
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
    // To a root in the middle: ranks before and behind it have summands, and keep them.
    const int root = size / 2;
    const Tensor mine = values(rank, {37}, dtype, device);
    const Tensor sum = group.reduce(mine, root, reduce).result();
    require(sum.defined() == (rank == root), "reduce gives to the root alone");
    if (sum.defined()) compare("reduce", sum, expected);
    else compare("a summand of reduce", mine, [&](std::int64_t i) { return value(rank, i, dtype); });
    require(!sum.defined() || sum.is_same(mine), "reduce works in place");
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

/// Rank r's number of rows where they differ: 2, 0, 1, 2, 0, 1, …
std::vector<std::int64_t> uneven_rows(int size) {
  std::vector<std::int64_t> rows;
  for (int r = 0; r < size; ++r) rows.push_back((2 + r * 4) % 3);
  return rows;
}

/// Collectives that write into tensors of the caller, with rows of 3 elements.
void check_into(const ProcessGroup& group, DType dtype, Device device) {
  const int size = group.size(), rank = group.rank();
  const TensorOptions options{.dtype = dtype, .device = device};
  const Tensor mine = values(rank, {2, 3}, dtype, device), all = empty({2 * size, 3}, options);
  require(group.all_gather_into(all, mine).result().is_same(all), "all_gather_into writes where it is told");
  const auto from_rank = [&](std::int64_t i) { return value(static_cast<int>(i / 6), i % 6, dtype); };
  compare("all_gather_into", all, from_rank);
  // In place: this rank's rows are there, the others not.
  const Tensor again = empty({2 * size, 3}, options), own = narrow(again, 0, 2 * rank, 2);
  copy_(own, mine);
  group.all_gather_into(again, own).wait();
  compare("all_gather_into in place", again, from_rank);

  const std::vector<std::int64_t> rows = uneven_rows(size);
  std::int64_t sum = 0, before = 0;
  std::vector<std::pair<int, std::int64_t>> owners;  // of each element: the rank, and its number there
  for (int r = 0; r < size; ++r) {
    if (r == rank) before = sum;
    sum += rows[static_cast<std::size_t>(r)];
    for (std::int64_t i = 0; i < 3 * rows[static_cast<std::size_t>(r)]; ++i) owners.emplace_back(r, i);
  }
  const std::int64_t ours = rows[static_cast<std::size_t>(rank)];
  const Tensor joined = empty({sum, 3}, options);
  group.all_gather_into(joined, values(rank, {ours, 3}, dtype, device), rows).wait();
  compare("all_gather_into of uneven rows", joined, [&](std::int64_t i) {
    return value(owners[static_cast<std::size_t>(i)].first, owners[static_cast<std::size_t>(i)].second, dtype);
  });
  const Tensor part = empty({ours, 3}, options);
  group.reduce_scatter_into(part, values(rank, {sum, 3}, dtype, device), Reduce::sum, rows).wait();
  compare("reduce_scatter_into of uneven rows", part,
          [&](std::int64_t i) { return reduced(Reduce::sum, dtype, size, before * 3 + i); });
  // Rank r gets rows[r] rows of everyone.
  const Tensor parts = empty({ours * size, 3}, options);
  group
      .all_to_all_into(parts, values(rank, {sum, 3}, dtype, device), rows,
                       std::vector<std::int64_t>(static_cast<std::size_t>(size), ours))
      .wait();
  compare("all_to_all_into of uneven rows", parts,
          [&](std::int64_t i) { return value(static_cast<int>(i / (3 * ours)), before * 3 + i % (3 * ours), dtype); });
}

}  // namespace

void check_collectives(const ProcessGroup& group, Device device) {
  for (const DType dtype : dtypes) {
    check_reductions(group, dtype, device);
    check_moves(group, dtype, device);
    check_into(group, dtype, device);
  }
  // Several concurrent operations, awaited out of order; one is empty.
  const Tensor a = values(group.rank(), {1000}, float32, device), b = values(group.rank(), {10}, int64, device);
  const Tensor none = empty({0}, {.device = device});
  group.reduce(none).wait();
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
    // All send first, more than what a transport keeps for a receiver; two messages of one tag keep their order.
    const Tensor large = full({1000000}, rank, {.device = device}), arrived = empty({1000000}, {.device = device});
    const Tensor small = empty({2}, {int32, device});
    group
        .exchange({distributed::send_to(large, next), distributed::send_to(out2, next),
                   distributed::receive_from(arrived, before), distributed::receive_from(small, before)})
        .wait();
    require(identical(arrived.to(Device::cpu()), full({1000000}, before)), "exchange of a large tensor");
    compare("exchange", small, [&](std::int64_t i) { return value(before, i, int32); });
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
