#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/io/text/columns.h>
#include <minima/nn/module/forward_wrapper.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/join.h>
#include <minima/profiler/advice/rules.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/storage/allocator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Rules that change the network for a trial: the sizes of its parameters, or what it keeps for backward.

namespace minima::profiler::detail {

namespace {

/// `rows` of zeros below x.
Tensor with_more_rows(const Tensor& x, std::int64_t rows) {
  Shape shape = x.shape();
  shape[0] = rows;
  return cat({x.detach(), zeros(shape, {.dtype = x.dtype(), .device = x.device()})});
}

std::string owner(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(0, dot);
}

bool is_inside(const std::string& path, const std::string& module) {
  return path == module || path.starts_with(module + ".");
}

std::int64_t peak_of_step(const Workbench& bench) {
  bench.step();  // what stays after a step belongs to the next one's peak
  reset_peak(bench.device());
  bench.step();
  return memory_stats(bench.device()).peak_allocated;
}

}  // namespace

void try_padding(Workbench& bench) {
  const std::vector<nn::NamedTensor> parameters = bench.network().named_parameters();
  double weights = 0;
  for (const nn::NamedTensor& p : parameters)
    if (p.tensor.rank() >= 2) weights += static_cast<double>(p.tensor.numel());
  for (const nn::NamedTensor& p : parameters) {
    const std::int64_t rows = p.tensor.rank() == 2 ? p.tensor.size(0) : 0;
    if (rows < 64 || rows % 8 == 0) continue;
    const double share = bench.share(is_product) * static_cast<double>(p.tensor.numel()) / weights;
    if (share < 0.05) continue;
    const std::int64_t unit = rows < 1024 ? 8 : 64, padded = (rows + unit - 1) / unit * unit;
    Trial trial{.rule = "padding",
                .change = str(p.name, ": ", padded, " instead of ", rows, " rows; the added ones are never a target")};
    {
      const NoGrad guard;  // of a product with as many rows
      const TensorOptions options{.dtype = p.tensor.dtype(), .device = p.tensor.device()};
      const Tensor x = ones({256, p.tensor.size(1)}, options), odd = ones({p.tensor.size(1), rows}, options);
      const Tensor round = ones({p.tensor.size(1), padded}, options);
      trial.promised = gain_of_part(share, bench.compare([&] { matmul(x, odd); }, [&] { matmul(x, round); }).gain());
    }
    OtherValues values;  // the parameter, and the bias that belongs to it
    const SavedState state(bench.network());
    for (const nn::NamedTensor& q : parameters) {
      if (q.name != p.name && (q.tensor.rank() != 1 || owner(q.name) != owner(p.name))) continue;
      if (q.tensor.size(0) == rows) values.add(q.tensor, with_more_rows(q.tensor, padded - rows));
    }
    const auto step_with = [&](bool more_rows) {
      values.use(more_rows);
      bench.step();
    };
    bench.attempt(std::move(trial), [&] { step_with(false); }, [&] { step_with(true); });
  }
}

namespace {

/// Modules to checkpoint: the largest that hold at most half of the activations, none inside another.
struct Block {
  std::string path;
  nn::ModuleBase* module;
  double bytes;
};
std::vector<Block> blocks_of(Workbench& bench) {
  std::vector<Block> all;
  double total = 0;
  for (const SurveyedCall& call : bench.calls()) total += call.bytes;
  for (const nn::NamedModule& named : bench.network().named_modules()) {
    if (named.name.empty() || !named.module->as<nn::Module>()) continue;
    Block block{named.name, named.module, 0};
    for (const SurveyedCall& call : bench.calls())
      if (is_inside(call.module, named.name)) block.bytes += call.bytes;
    if (block.bytes > 0 && block.bytes <= total / 2) all.push_back(block);
  }
  std::stable_sort(all.begin(), all.end(), [](const Block& a, const Block& b) { return a.bytes > b.bytes; });
  std::vector<Block> apart;
  for (const Block& block : all)
    if (std::none_of(apart.begin(), apart.end(), [&](const Block& b) { return is_inside(block.path, b.path); }))
      apart.push_back(block);
  return apart;
}

}  // namespace

void try_recomputation(Workbench& bench) {
  const std::int64_t budget = bench.options().memory_budget;
  if (budget <= 0) return;
  Trial trial{.rule = "recomputation", .peak_before = peak_of_step(bench)};
  if (trial.peak_before <= budget) return;
  bool is_on = true;
  std::vector<nn::ForwardHookHandle> handles;
  std::string paths;
  double saved = 0;
  trial.peak_after = trial.peak_before;
  for (const Block& block : blocks_of(bench)) {
    if (trial.peak_after <= budget) break;
    handles.push_back(
        nn::wrap_forward(*block.module, [&is_on](nn::Module& module, const Tensor& x, const nn::ModuleForward& given) {
          const nn::ModuleForward forward = given ? given : [&module](const Tensor& in) { return module.forward(in); };
          return is_on ? checkpoint(forward, x) : forward(x);
        }));
    trial.peak_after = peak_of_step(bench);
    paths += (paths.empty() ? "" : ", ") + block.path;
    saved += block.bytes;
  }
  trial.change = str("h = checkpoint(block, h);  // ", paths);
  trial.note = str(trial.peak_after <= budget ? "within" : "more than", " the budget of ",
                   fixed(1e-6 * static_cast<double>(budget), 1), " MB; the profile promised a peak of ",
                   fixed(1e-6 * (static_cast<double>(trial.peak_before) - saved), 1), " MB");
  const auto step_with = [&](bool on) {
    is_on = on;
    bench.step();
  };
  bench.fill(trial, bench.compare([&] { step_with(false); }, [&] { step_with(true); }));
  trial.is_advised = trial.peak_after < trial.peak_before;
  for (nn::ForwardHookHandle& handle : handles) handle.remove();
  bench.add(std::move(trial));
}

}  // namespace minima::profiler::detail
