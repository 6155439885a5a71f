#include <minima/optim/structured/over_parts.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/optim/update/parts.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace minima::optim::detail {

namespace {

/// Indices of tensors that one call of a collective can take together.
struct Alike {
  DType dtype;
  Device device;
  std::vector<std::size_t> indices;
};
std::vector<Alike> by_dtype_and_device(const std::vector<std::size_t>& indices, const std::vector<Tensor>& tensors) {
  std::vector<Alike> lists;
  for (const std::size_t i : indices) {
    const DType dtype = tensors[i].dtype();
    const Device device = tensors[i].device();
    auto list = std::find_if(lists.begin(), lists.end(),
                             [&](const Alike& each) { return each.dtype == dtype && each.device == device; });
    if (list == lists.end()) list = lists.insert(lists.end(), {dtype, device, {}});
    list->indices.push_back(i);
  }
  return lists;
}

/// The elements of all tensors in one vector.
Tensor joined(const std::vector<Tensor>& tensors, const Alike& like) {
  std::vector<Tensor> flat;
  for (const Tensor& tensor : tensors)
    if (tensor.numel() > 0) flat.push_back(flatten(tensor));
  return flat.empty() ? empty({0}, {.dtype = like.dtype, .device = like.device}) : contiguous(cat(flat));
}

/// Takes vectors off the front of another.
class Slices {
 public:
  explicit Slices(Tensor flat) : flat_(std::move(flat)) {}
  Tensor next(std::int64_t count) { return narrow(flat_, 0, std::exchange(at_, at_ + count), count); }

 private:
  Tensor flat_;
  std::int64_t at_ = 0;
};

/// Parts follow each other in the order of processes, so that those before the first and behind the last need no call.
std::vector<Holding> holdings(const PartsOfTensors& others, const Tensor& parameter) {
  int first = 0, end = others.size();
  while (first < end) {
    const int middle = (first + end) / 2;
    const PartOfTensor part = others.place(parameter, middle);
    if (part.offset + part.count > 0) end = middle;
    else first = middle + 1;
  }
  std::vector<Holding> held;
  for (int process = first; process < others.size(); ++process) {
    const PartOfTensor part = others.place(parameter, process);
    if (part.count == 0) break;
    held.push_back({process, part.count});
  }
  return held;
}

/// compute_whole for tensors that travel together.
class Exchange {
 public:
  Exchange(PartsOfTensors& others, Alike alike, const std::vector<Tensor>& parameters, const std::vector<double>& costs)
      : others_(others), alike_(std::move(alike)), at_(alike_.indices.size()) {
    std::vector<double> own_costs;
    std::vector<std::vector<Holding>> held;
    for (const std::size_t i : alike_.indices) {
      own_costs.push_back(costs[i]);
      held.push_back(holdings(others, parameters[i]));
    }
    owners_ = balanced(own_costs, held, others.size());
    for (std::size_t n = 0; n < at_.size(); ++n)
      for (int r = 0; r < others.size(); ++r)
        if (is_mine(n) || r == others.rank()) at_[n].push_back(others.place(parameters[alike_.indices[n]], r));
  }

  void run(const std::vector<Tensor>& parts, const Function<Tensor(std::size_t, const Tensor&)>& f,
           std::vector<Tensor>& results) const {
    std::vector<Tensor> own;  // in the order of their owners
    each_owned([&](std::size_t n) { own.push_back(parts[alike_.indices[n]]); });
    const std::vector<std::int64_t> sent = counts_by_owner(), received = counts_by_holder();
    Slices arrived(others_.exchange(joined(own, alike_), sent, received));
    own.clear();
    std::vector<std::vector<Tensor>> pieces(at_.size());
    each_held([&](std::size_t n, std::size_t r) { pieces[n].push_back(arrived.next(at_[n][r].count)); });
    std::vector<Tensor> computed(at_.size());
    for (std::size_t n = 0; n < at_.size(); ++n) {
      if (!is_mine(n)) continue;
      const Shape& shape = at_[n].front().shape;
      const Tensor whole = reshape(joined(pieces[n], alike_), shape), y = f(alike_.indices[n], whole);
      if (y.shape() != shape || y.dtype() != whole.dtype())
        throw ShapeError(str("optimizer: computed ", y, " from a whole tensor ", whole));
      computed[n] = flatten(y);
      pieces[n].clear();
    }
    std::vector<Tensor> to_send;
    each_held([&](std::size_t n, std::size_t r) {
      to_send.push_back(narrow(computed[n], 0, at_[n][r].offset, at_[n][r].count));
    });
    Slices back(others_.exchange(joined(to_send, alike_), received, sent));
    each_owned([&](std::size_t n) { results[alike_.indices[n]] = back.next(own_part(n).count); });
  }

 private:
  bool is_mine(std::size_t n) const { return owners_[n] == others_.rank(); }
  const PartOfTensor& own_part(std::size_t n) const {
    return is_mine(n) ? at_[n][static_cast<std::size_t>(others_.rank())] : at_[n].front();
  }
  /// f(n) for all tensors, in the order of owners.
  template <class F>
  void each_owned(const F& f) const {
    for (int owner = 0; owner < others_.size(); ++owner)
      for (std::size_t n = 0; n < owners_.size(); ++n)
        if (owners_[n] == owner) f(n);
  }
  /// f(n, r) for the parts of the tensors that this process owns, in the order of ranks.
  template <class F>
  void each_held(const F& f) const {
    for (std::size_t r = 0; r < static_cast<std::size_t>(others_.size()); ++r)
      for (std::size_t n = 0; n < owners_.size(); ++n)
        if (is_mine(n)) f(n, r);
  }
  std::vector<std::int64_t> counts_by_owner() const {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(others_.size()));
    for (std::size_t n = 0; n < owners_.size(); ++n) counts[static_cast<std::size_t>(owners_[n])] += own_part(n).count;
    return counts;
  }
  std::vector<std::int64_t> counts_by_holder() const {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(others_.size()));
    each_held([&](std::size_t n, std::size_t r) { counts[r] += at_[n][r].count; });
    return counts;
  }

  PartsOfTensors& others_;
  Alike alike_;
  std::vector<int> owners_;
  std::vector<std::vector<PartOfTensor>> at_;  ///< of all ranks for tensors that this one owns, else only its own
};

}  // namespace

void sum_over_parts(const std::vector<Tensor>& parameters, const std::vector<Tensor>& values) {
  for (const PartsGroup& group : by_parts(parameters)) {
    if (!group.is_shared()) continue;
    for (const Alike& alike : by_dtype_and_device(group.indices, values)) {
      std::vector<Tensor> summands;
      summands.reserve(alike.indices.size());
      for (const std::size_t i : alike.indices) summands.push_back(values[i]);
      const Tensor all = joined(summands, alike);
      group.reduce(all, false);
      Slices sums(all);
      for (const Tensor& value : summands) copy_(value, reshape(sums.next(value.numel()), value.shape()));
    }
  }
}

namespace {

/// Indices of the most expensive first.
std::vector<std::size_t> by_cost(const std::vector<double>& costs) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  return order;
}

double largest_load(const std::vector<double>& costs, const std::vector<int>& owners, int size) {
  std::vector<double> loads(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < costs.size(); ++i) loads[static_cast<std::size_t>(owners[i])] += costs[i];
  return loads.empty() ? 0 : *std::max_element(loads.begin(), loads.end());
}

/// Gives the shares of processes other owners: the share that has most on a process first.
std::vector<int> relabelled(const std::vector<int>& owners, const std::vector<std::vector<Holding>>& held, int size) {
  std::map<std::pair<int, int>, std::int64_t> elements;
  for (std::size_t i = 0; i < owners.size(); ++i)
    for (const Holding& each : held[i]) elements[{owners[i], each.process}] += each.elements;
  std::vector<std::pair<std::pair<int, int>, std::int64_t>> pairs(elements.begin(), elements.end());
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<int> process_of(static_cast<std::size_t>(size), -1);
  std::vector<bool> is_taken(static_cast<std::size_t>(size));
  const auto give = [&](int share, int process) {
    if (process_of[static_cast<std::size_t>(share)] >= 0 || is_taken[static_cast<std::size_t>(process)]) return;
    process_of[static_cast<std::size_t>(share)] = process;
    is_taken[static_cast<std::size_t>(process)] = true;
  };
  for (const auto& [pair, count] : pairs) give(pair.first, pair.second);
  for (int share = 0; share < size; ++share)
    for (int process = 0; process < size; ++process) give(share, process);
  std::vector<int> others;
  for (const int owner : owners) others.push_back(process_of[static_cast<std::size_t>(owner)]);
  return others;
}

}  // namespace

std::vector<int> balanced(const std::vector<double>& costs, int size) {
  std::vector<double> loads(static_cast<std::size_t>(size));
  std::vector<int> owners(costs.size());
  for (const std::size_t i : by_cost(costs)) {
    const auto least = std::min_element(loads.begin(), loads.end());
    *least += costs[i];
    owners[i] = static_cast<int>(least - loads.begin());
  }
  return owners;
}

std::vector<int> balanced(const std::vector<double>& costs, const std::vector<std::vector<Holding>>& held, int size) {
  const std::vector<int> plain = balanced(costs, size);
  const double bound = largest_load(costs, plain, size) * (1 + 1e-12);
  std::vector<double> loads(static_cast<std::size_t>(size));
  std::vector<int> owners(costs.size());
  for (const std::size_t i : by_cost(costs)) {
    std::vector<Holding> candidates = held[i];
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Holding& a, const Holding& b) { return a.elements > b.elements; });
    const auto fits = std::find_if(candidates.begin(), candidates.end(), [&](const Holding& each) {
      return loads[static_cast<std::size_t>(each.process)] + costs[i] <= bound;
    });
    owners[i] = fits != candidates.end()
                    ? fits->process
                    : static_cast<int>(std::min_element(loads.begin(), loads.end()) - loads.begin());
    loads[static_cast<std::size_t>(owners[i])] += costs[i];
  }
  return largest_load(costs, owners, size) <= bound ? owners : relabelled(plain, held, size);
}

std::vector<Tensor> compute_whole(const std::vector<Tensor>& parameters, const std::vector<Tensor>& parts,
                                  const std::vector<double>& costs,
                                  const Function<Tensor(std::size_t i, const Tensor& whole)>& f) {
  std::vector<Tensor> results(parts.size());
  for (const auto& [others, peers, indices] : by_parts(parameters)) {
    if (!others) continue;
    for (Alike& alike : by_dtype_and_device(indices, parts))
      Exchange(*others, std::move(alike), parameters, costs).run(parts, f, results);
  }
  return results;
}

}  // namespace minima::optim::detail
