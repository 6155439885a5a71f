#include <minima/amp/autocast.h>
#include <minima/io/text/columns.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/join.h>
#include <minima/profiler/advice/rules.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/threads/parallel.h>

#include <utility>

// Rules that run the same step in another mode or on another batch.

namespace minima::profiler::detail {

namespace {

class Threads {
 public:
  explicit Threads(int count) : before_(num_threads()) { set_num_threads(count); }
  Threads(const Threads&) = delete;
  ~Threads() { set_num_threads(before_); }

 private:
  int before_;
};

/// The gain if the step's time in these accounts went away.
double without(const Ledger& ledger, double accounts) {
  return accounts < ledger.total() ? ledger.total() / (ledger.total() - accounts) : 0;
}

}  // namespace

void try_autocast(Workbench& bench) {
  const Device device = bench.device();
  if (amp::is_autocast_enabled(device.type)) return;
  const double share = bench.share(is_product);
  if (share < 0.05) return;
  // How much faster products are here in bfloat16: one of middling size.
  const NoGrad guard;
  const Tensor x = ones({512, 512}, {.device = device}), low = x.to(DType::bfloat16);
  const double faster = bench.compare([&] { matmul(x, x); }, [&] { matmul(low, low); }).gain();
  const EnableGrad recording;
  bench.attempt({.rule = "autocast",
                 .change = str("amp::Autocast guard(DeviceType::", device.is_cpu() ? "cpu" : "cuda",
                               ");  // around the forward pass"),
                 .promised = gain_of_part(share, faster)},
                [&] {
                  const amp::Autocast mixed(device.type);
                  bench.step();
                });
}

void try_channels_last(Workbench& bench) {
  if (bench.share(is_convolution) < 0.05) return;
  Batch changed = bench.batch();
  bool any = false;
  for (Tensor& x : changed) {
    if (x.rank() != 4 || x.size(1) == 1 || x.layout().is_channels_last()) continue;
    x = channels_last(x);
    any = true;
  }
  if (!any) return;
  bench.attempt({.rule = "channels_last", .change = "x = channels_last(x);  // once, where the data set is loaded"},
                [&] { bench.step(changed); });
}

void try_one_thread(Workbench& bench) {
  if (bench.device().is_cuda() || num_threads() == 1) return;
  const Ledger& ledger = bench.report().ledger;
  bench.attempt({.rule = "one thread", .change = "set_num_threads(1);", .promised = without(ledger, ledger.threads)},
                [&bench] {
                  const Threads one(1);
                  bench.step();
                });
}

void try_batch_sizes(Workbench& bench) {
  const Batch& batch = bench.batch();
  const AdviceOptions& options = bench.options();
  for (const Tensor& x : batch)
    if (x.rank() == 0 || x.size(0) != batch.front().size(0)) return;
  if (batch.front().size(0) == 0) return;
  Trial trial{.rule = "batch size"};
  if (bench.device().is_cpu()) {  // what does not grow with the batch
    const Ledger& ledger = bench.report().ledger;
    trial.promised = without(ledger, ledger.calls + ledger.engine + ledger.host);
  }
  Batch best = batch;
  trial.note = str("up to the largest batch tried, ", options.largest_batch);
  // Each size is compared with half of it: the knee is where a sample gets hardly faster.
  while (2 * best.front().size(0) <= options.largest_batch) {
    try {
      Batch twice;
      for (const Tensor& x : best) twice.push_back(cat({x, x}));
      const Comparison comparison = bench.compare([&] { bench.step(best); }, [&] { bench.step(twice); }, 2);
      if (!comparison.is_clear || comparison.gain() < options.min_gain) {
        trial.note = comparison.is_clear
                         ? str("the knee: with ", twice.front().size(0), " a sample takes ",
                               fixed(100 / comparison.gain(), 0), "% of the time with ", best.front().size(0))
                         : str("the knee: with ", twice.front().size(0), " a sample takes about as long as with ",
                               best.front().size(0));
        break;
      }
      best = std::move(twice);
    } catch (const OutOfMemoryError&) {
      trial.note = str("the memory limit: ", 2 * best.front().size(0), " do not fit");
      break;
    }
  }
  trial.change = str(".batch_size = ", best.front().size(0));
  // Measured once more against the caller's size: the product of the gains above would add up their noise.
  const double more = Workbench::samples(best) / Workbench::samples(batch);
  bench.fill(trial, bench.compare([&] { bench.step(); }, [&] { bench.step(best); }, more));
  trial.is_advised = trial.is_advised && more > 1;
  bench.add(std::move(trial));
}

}  // namespace minima::profiler::detail
