// minima-dryrun predicts a training step on a GPU that need not be there.

#include "simulated/dryrun/dry_run.h"
#include "simulated/dryrun/operator_calls.h"
#include "simulated/dryrun/report.h"
#include "simulated/dryrun/tally.h"
#include "simulated/dryrun/training_step.h"
#include "simulated/machine/gpu_kind.h"
#include "simulated/machine/kernel_counts.h"

#include <minima/distributed/backends/collective.h>
#include <minima/distributed/pretend.h>
#include <minima/io/files/atomic_file.h>
#include <minima/io/files/read_to_end.h>
#include <minima/io/text/columns.h>
#include <minima/io/text/json.h>
#include <minima/nn/layers/flatten.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr const char* usage =
    "usage: minima-dryrun gpt2|gpt2-medium|gpt2-large|gpt2-xl|resnet50|mlp|cnn|llama-3.1-8b|…|operators [options]\n"
    "\n"
    "Predicts a training step on a GPU that need not be there: its time, memory, kernels, copies and host calls.\n"
    "Nothing is computed. \"operators\" predicts calls of operators that GPUs are easily slow at, one by one.\n"
    "Llamas may be sharded over ranks that are not there either: what rank 0 would hold and send. Times then leave\n"
    "out communication.\n"
    "\n"
    "  --gpu KIND       H100, H200 (default), A100, L4, RTX4090, B200\n"
    "  --batch N        samples per step; default 64, resnet50 256, gpt2-medium and larger 16, Llamas 1\n"
    "  --dtype TYPE     bf16 (default), fp16, fp32: of autocast\n"
    "  --capture        replay the step from a CUDA graph\n"
    "  --length N       tokens of a Llama's sample; default 8192\n"
    "  --checkpoint     recompute a Llama's blocks in backward\n"
    "  --ranks N        shard a Llama over as many ranks\n"
    "  --shard STAGE    1, 2 or 3 (default)\n"
    "  --json           one JSON object instead of text\n"
    "  --timeline FILE  also draw the step as an SVG picture\n"
    "  --counts FILE    loads per thread of own kernels, a line each: NAME LOAD_BYTES LOADS_IN_FLIGHT SECTORS\n"
    "  --help           this text\n"
    "\n"
    "Exit codes: 0 reported; 1 the step failed; 2 wrong arguments; 3 the step does not fit the GPU's memory.\n";

constexpr int failed = 1, misused = 2, too_large = 3;

struct Misuse : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Arguments {
  std::string workload, gpu = "H200", timeline, counts;
  simulated::StepOptions options;
  bool json = false, help = false;
};

minima::DType parse_dtype(const std::string& text) {
  if (text == "bf16") return minima::DType::bfloat16;
  if (text == "fp16") return minima::DType::float16;
  if (text == "fp32") return minima::DType::float32;
  throw Misuse("--dtype is bf16, fp16 or fp32, not \"" + text + "\"");
}

template <class T>
T parse_number(const std::string& option, const std::string& text, T most = std::numeric_limits<T>::max()) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most)
    throw Misuse(
        option + " is a " +
        (most == std::numeric_limits<T>::max() ? "positive number" : "number from 1 to " + std::to_string(most)) +
        ", not \"" + text + "\"");
  return value;
}

std::string parse_gpu(const std::string& text) {
  std::string known;
  for (const simulated::GpuKind& kind : simulated::gpu_kinds()) {
    if (text == kind.key) return text;
    known += std::string(known.empty() ? "" : ", ") + kind.key;
  }
  throw Misuse("--gpu is one of " + known + ", not \"" + text + "\"");
}

Arguments parse(const std::vector<std::string>& words) {
  Arguments result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == words.size()) throw Misuse(word + " needs a value");
      return words[++i];
    };
    if (word == "--help" || word == "-h") result.help = true;
    else if (word == "--json") result.json = true;
    else if (word == "--capture") result.options.captured = true;
    else if (word == "--gpu") result.gpu = parse_gpu(value());
    else if (word == "--batch") result.options.batch = parse_number<std::int64_t>(word, value());
    else if (word == "--length") result.options.length = parse_number<std::int64_t>(word, value());
    else if (word == "--checkpoint") result.options.checkpointed = true;
    else if (word == "--ranks") result.options.ranks = parse_number<int>(word, value());
    else if (word == "--shard") result.options.stage = parse_number<int>(word, value(), 3);
    else if (word == "--dtype") result.options.dtype = parse_dtype(value());
    else if (word == "--timeline") result.timeline = value();
    else if (word == "--counts") result.counts = value();
    else if (word.starts_with("-") || !result.workload.empty()) throw Misuse("unknown argument \"" + word + "\"");
    else result.workload = word;
  }
  if (!result.help && result.workload.empty())
    throw Misuse("name what to run: gpt2, resnet50, mlp, cnn, a Llama or operators");
  return result;
}

int print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return 0;
  std::perror("minima-dryrun: standard output");
  return failed;
}

/// The least that the calls' bytes could take, by the time taken.
double roof_of(const simulated::DryRunReport& report) {
  double roof = 0;
  for (const simulated::KernelGroup& group : simulated::groups_of(report)) roof += group.roof * group.milliseconds;
  return report.gpu_ms > 0 ? roof / report.gpu_ms : 0;
}

int run_operators(const Arguments& arguments, simulated::DryRun& dry, minima::Device device) {
  using minima::column;
  using minima::fixed;
  minima::nn::Identity none;
  minima::Json list = minima::Json::array();
  std::string text = "calls on a simulated " + arguments.gpu + "; times are predictions, not measurements\n" +
                     column("  call", 58) + column("launches", 9, true) + column("MB", 10, true) +
                     column("us", 10, true) + column("roof", 9, true) + "\n";
  for (const simulated::OperatorCall& call : simulated::operator_calls(device)) {
    const simulated::DryRunReport report = dry.run(none, call.call, 2);
    const double roof = roof_of(report);
    list.push_back(minima::Json::object({{"call", call.name},
                                         {"launches", report.launches},
                                         {"bytes", report.bytes},
                                         {"predicted_ms", report.gpu_ms},
                                         {"roof", roof},
                                         {"uncounted_kernels", report.uncounted_kernels}}));
    text += column("  " + call.name, 58) + column(std::to_string(report.launches), 9, true) +
            column(fixed(report.bytes / 1e6, 2), 10, true) + column(fixed(1e3 * report.gpu_ms, 1), 10, true) +
            column(fixed(100 * roof, 0) + "%", 9, true) + "\n";
  }
  return print(arguments.json ? list.text(2) + "\n" : text);
}

/// The bytes that a rank sends in a step, by kind of collective, as lines or as an object.
std::string traffic_report(const minima::distributed::Traffic& traffic) {
  std::string text = "\nsent by rank 0\n";
  for (const minima::distributed::CollectiveTraits& traits : minima::distributed::collectives)
    if (const auto [calls, bytes] = traffic.of(traits.kind); calls > 0)
      text += minima::column(minima::str("  ", traits.name), 24) +
              minima::column(minima::str(calls, " calls"), 14, true) +
              minima::column(minima::fixed(static_cast<double>(bytes) / 1e9, 3) + " GB", 14, true) + "\n";
  return text;
}
minima::Json traffic_json(const minima::distributed::Traffic& traffic) {
  minima::Json sent = minima::Json::object();
  for (const minima::distributed::CollectiveTraits& traits : minima::distributed::collectives)
    if (const auto [calls, bytes] = traffic.of(traits.kind); calls > 0)
      sent.set(traits.name, minima::Json::object({{"calls", calls}, {"bytes", bytes}}));
  return sent;
}

int run(const Arguments& arguments) {
  if (!arguments.counts.empty()) {
    const std::optional<std::string> text = minima::detail::read_to_end(arguments.counts);
    if (!text) throw Misuse("--counts: cannot read " + arguments.counts);
    std::istringstream counts(*text);
    simulated::add_kernel_counts(counts);
  }
  setenv("MINIMA_SIMULATED_GPUS", ("1x" + arguments.gpu).c_str(), 1);
  const minima::Device device = minima::Device::cuda();
  simulated::DryRun dry(device);
  if (arguments.workload == "operators") return run_operators(arguments, dry, device);
  const simulated::TrainingStep workload = simulated::make_training_step(arguments.workload, arguments.options, device);
  const bool is_sharded = arguments.options.ranks > 1;
  // The second step knows the order of gathers, and is like all that follow.
  simulated::DryRunReport report = dry.run(*workload.network, workload.step, is_sharded ? 2 : 5);
  report.program_ms = dry.program_ms(workload.step);
  minima::distributed::Traffic traffic = arguments.options.traffic;
  traffic.reset();
  workload.step();
  if (!arguments.timeline.empty()) minima::write_file(arguments.timeline, simulated::timeline_svg(report));
  if (!arguments.json) return print(simulated::text_report(report) + (is_sharded ? traffic_report(traffic) : ""));
  minima::Json json = simulated::to_json(report);
  if (is_sharded) json.set("sent_by_collective", traffic_json(traffic));
  return print(json.text(2) + "\n");
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments arguments = parse({argv + 1, argv + argc});
  return arguments.help ? print(usage) : run(arguments);
} catch (const Misuse& error) {
  std::fprintf(stderr, "minima-dryrun: %s; see minima-dryrun --help\n", error.what());
  return misused;
} catch (const minima::OutOfMemoryError& error) {
  std::fprintf(stderr, "minima-dryrun: the step does not fit: %s\n", error.what());
  return too_large;
} catch (const std::exception& error) {
  std::fprintf(stderr, "minima-dryrun: %s\n", error.what());
  return failed;
}
