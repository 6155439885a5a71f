// Prints the table of docs/profiling.md: for each rule of `profiler::advise` a program with its problem, the gain
// promised and the gain obtained. The CPU's are measured; a GPU's are predicted, where minima for simulated GPUs is
// built.

#include "programs.h"

#include <minima/io/text/columns.h>
#include <minima/profiler/advice/comparison.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/system/system_info.h>
#ifdef MINIMA_PREDICTS
#include "simulated/dryrun/dry_run.h"
#include "simulated/dryrun/predict_advice.h"
#endif

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

using namespace minima;

namespace {

std::string gain_text(double gain, double spread, bool is_clear) {
  std::string text = fixed(gain, 2);
  if (spread >= 0.005) text += str(" ± ", fixed(spread, 2));
  if (!is_clear) text += ", no clear difference";
  return text;
}

/// `promised | obtained |`
std::string cells(const profiler::Advice& advice, const std::string& rule) {
  const profiler::Trial* const trial = advice.find(rule);
  if (!trial) return " | nothing to try |";
  std::string obtained = trial->gain() == 0 ? trial->note : gain_text(trial->gain(), trial->spread, trial->is_clear);
  if (trial->peak_before > 0)
    obtained += str(", ", trial->peak_before / 1'000'000, " → ", trial->peak_after / 1'000'000, " MB");
  return str(" ", trial->promised > 0 ? fixed(trial->promised, 2) : std::string(), " | ", obtained, " |");
}

/// The gain of the same program with the advice followed.
std::string applied(const advice::Program& program, const advice::Setup& setup, Device device,
                    const profiler::SecondsOf& seconds_of, bool is_exact) {
  if (!program.is_applied) return " |";
  const advice::Setup other = program.without_problem(device);
  const Function<void()> before = [&] { setup.step(setup.batch); }, after = [&] { other.step(other.batch); };
  if (is_exact) return str(" ", fixed(seconds_of(before) / seconds_of(after), 2), " |");
  const profiler::Comparison comparison = profiler::compare_in_turns(before, after, seconds_of, {.seconds = 1});
  return str(" ", gain_text(comparison.gain(), comparison.spread, comparison.is_clear), " |");
}

double seconds_on_cpu(const Function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  call();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void print_row(const advice::Program& program, const char* device, const std::string& rest) {
  std::printf("| %s | %s | %s |%s\n", program.rule, program.text, device, rest.c_str());
  std::fflush(stdout);
}

/// Samples that take 2 ms each to make.
struct Slow {
  std::int64_t size() const { return 64; }
  std::pair<Tensor, Tensor> get(std::int64_t index) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return {full({64}, static_cast<double>(index)), zeros({}, {.dtype = int64})};
  }
};

/// A loop over 8 batches, with 8 ms of computation for each.
profiler::LoaderTime run_loader(profiler::LoaderSetting setting) {
  using Clock = std::chrono::steady_clock;
  data::DataLoader loader(Slow{}, {.batch_size = 8, .workers = setting.workers, .prefetch = setting.prefetch});
  const Clock::time_point start = Clock::now();
  for ([[maybe_unused]] const auto& batch : loader) std::this_thread::sleep_for(std::chrono::milliseconds(8));
  const double batches = 8;
  return {std::chrono::duration<double>(Clock::now() - start).count() / batches,
          loader.stats().compute.waiting_for_input / batches};
}

void run() {
  setenv("MINIMA_SIMULATED_GPUS", "1xH200", 0);
  std::printf(
      "%s, %d threads\n\n| rule | program | device | promised | obtained | followed |\n| --- | --- | --- | --- | --- | "
      "--- |\n",
      system_info().cpu.name.c_str(), num_threads());
  for (const advice::Program& program : advice::programs()) {
    if (!program.on_cpu) continue;
    profiler::AdviceOptions options = program.options;
    options.only = {program.rule};
    options.seconds = 1;
    const advice::Setup setup = program.with_problem(Device::cpu());
    const profiler::Advice advice = profiler::advise(*setup.network, setup.step, setup.batch, options);
    print_row(program, "CPU",
              cells(advice, program.rule) + applied(program, setup, Device::cpu(), seconds_on_cpu, false));
  }
  const advice::Program loader{.rule = "loader",
                               .text = "8 samples of 2 ms and 8 ms of computation, no workers",
                               .with_problem = nullptr,
                               .without_problem = nullptr};
  print_row(loader, "CPU", cells(profiler::advise_loader(run_loader, {.workers = 0}), "loader") + " |");
#ifdef MINIMA_PREDICTS
  for (const advice::Program& program : advice::programs()) {
    if (!program.on_gpu) continue;
    profiler::AdviceOptions options = program.options;
    options.only = {program.rule};
    const advice::Setup setup = program.with_problem(Device::cuda());
    const profiler::Advice advice = simulated::predict_advice(*setup.network, setup.step, setup.batch, options);
    simulated::DryRun dry(Device::cuda());
    const auto predict = [&](const Function<void()>& call) {
      return dry.run(*setup.network, [&call] { return call(), Tensor(); }, 2).predicted_ms;
    };
    print_row(program, "H200, predicted",
              cells(advice, program.rule) + applied(program, setup, Device::cuda(), predict, true));
  }
#endif
}

}  // namespace

int main() try { run(); } catch (const std::exception& error) {
  std::fprintf(stderr, "advice_table: %s\n", error.what());
  return 1;
}
