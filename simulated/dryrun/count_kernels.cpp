// minima-count-kernels runs small training steps under the PTX interpreter and prints what their kernels do, a line
// each: "KEY SECTORS READ WRITTEN ISSUE_SLOTS THREAD_BYTES SYMBOL", of the largest launch of each instance. The columns
// are those of simulated/machine/kernel_counts.h. scripts/count_kernels.py adds what the machine code shows.

#include "simulated/dryrun/dry_run.h"
#include "simulated/dryrun/touched_pages.h"
#include "simulated/dryrun/training_step.h"
#include "simulated/executor.h"
#include "simulated/machine/kernel_counts.h"
#include "simulated/ptx/execution/launch.h"
#include "simulated/ptx/execution/program.h"
#include "simulated/ptx/library.h"
#include "simulated/ptx/text/fat_binary.h"

#include <minima/autograd/backward.h>
#include <minima/io/files/atomic_file.h>
#include <minima/nn/layers/embedding.h>
#include <minima/nn/norm/layer_norm.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/loss/linear_cross_entropy.h>
#include <minima/ops/reduce/sum.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace simulated;

struct Counted {
  std::string key;  ///< empty for a kernel that the file does not have
  ptx::Counts counts;
  Touched touched;
  double threads = 0;
};

/// Interprets kernels when they are launched, while all other work of a dry run computes nothing.
class Counter final : public Executor {
 public:
  explicit Counter(const std::string& files) : library_(files) {}

  void run(const std::string&, const Launch&, const std::function<void()>&) override {}
  std::function<void()> prepare(const void* function, const std::string& kernel, const Launch& launch, void** arguments,
                                std::function<void()>) override {
    if (!counting) return [] {};
    const std::string signature = signature_of_kernel(function);
    const ptx::Program* const program = library_.find(signature);
    if (!program) {
      std::fprintf(stderr, "minima-count-kernels: no PTX of %s\n", kernel.c_str());
      launches.emplace_back();
      return [] {};
    }
    std::vector<std::uint8_t> parameters(program->parameter_bytes());
    for (std::size_t i = 0; i < program->parameters().size(); ++i) {
      const auto [offset, bytes] = program->parameters()[i];
      std::memcpy(parameters.data() + offset, arguments[i], bytes);
    }
    const auto [grid, block, shared_bytes] = launch;
    const ptx::Shape shape{{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes};
    const TouchedPages pages(parameters);
    const ptx::Counts counts = ptx::run(*program, shape, parameters, {.global_races = false});
    Counted counted{.key = key_of_kernel(signature),
                    .counts = counts,
                    .touched = pages.touched(),
                    .threads = static_cast<double>(grid.x) * grid.y * grid.z * block.x * block.y * block.z};
    symbols[counted.key] = program->name();
    launches.push_back(std::move(counted));
    return [] {};
  }

  /// Whether an entry of the module jumps back.
  bool has_loop(const std::string& symbol) {
    for (const auto& [signature, entry] : library_.kernels()) {
      if (entry != symbol) continue;
      const std::string_view body = library_.module_of(signature).find(symbol)->body;
      for (std::size_t colon = 0; (colon = body.find(":\n", colon)) != std::string_view::npos; ++colon) {
        const std::size_t start = body.rfind('\n', colon) + 1;
        const std::string jump = "bra " + std::string(body.substr(start, colon - start)) + ";";
        std::string text(body.substr(colon));
        std::replace(text.begin(), text.end(), '\t', ' ');
        for (std::size_t at; (at = text.find("bra.uni ")) != std::string::npos;) text.erase(at + 3, 4);
        if (text.find(jump) != std::string::npos) return true;
      }
    }
    return false;
  }

  bool counting = false;
  std::vector<Counted> launches;               ///< in order
  std::map<std::string, std::string> symbols;  ///< by key

 private:
  ptx::Library library_;
};

/// A launch with the operands that the dry run saw. A page counts as far as the kernel asked for bytes.
struct Row {
  ptx::Counts counts;
  double operands = 0, read = 0, written = 0, thread_bytes = 0;
  double bytes() const { return read + written; }
};
using Rows = std::map<std::string, Row>;

/// Whether each thread has a part of limited size, so that its bytes limit the launch's: one without a loop, or with
/// one of at most `chunk_rows` rounds.
bool is_bounded(Counter& counter, const std::string& key, const std::string& symbol) {
  return key.starts_with("run_sums_kernel") || !counter.has_loop(symbol);
}

/// The loss over a GPT-2's whole vocabulary, whose rows are longer than those of its reduced step.
TrainingStep make_vocabulary_step(minima::DType dtype, minima::Device device) {
  const auto tokens = std::make_shared<minima::nn::Embedding>(minima::nn::EmbeddingOptions{.count = 50304, .dim = 64});
  tokens->to(device);
  const minima::Tensor x = minima::zeros({64, 64}, {.dtype = dtype, .device = device});
  const minima::Tensor next = minima::zeros({64}, {.dtype = minima::int64, .device = device});
  return {tokens, [=] {
            const minima::Tensor loss = minima::linear_cross_entropy(x, tokens->weight.to(dtype), {}, next);
            loss.backward();
            return loss;
          }};
}

/// Sums over many rows, which the gradients of a GPT-2's biases take, and those of its reduced step do not.
TrainingStep make_sums_step(minima::DType dtype, minima::Device device) {
  const auto network = std::make_shared<minima::nn::LayerNorm>(minima::nn::LayerNormOptions{.shape = {1}});
  const minima::Tensor x = minima::zeros({4096, 768}, {.dtype = dtype, .device = device});
  return {network, [=] { return minima::sum(minima::sum(x, {0})); }};
}

/// A step of minima-dryrun's, reduced, or one of those above.
TrainingStep make_step(const std::string& workload, minima::DType dtype, minima::Device device) {
  if (workload == "vocabulary") return make_vocabulary_step(dtype, device);
  if (workload == "sums") return make_sums_step(dtype, device);
  return make_training_step(workload, {.dtype = dtype, .reduced = true}, device);
}

void count(Counter& counter, const std::string& workload, minima::DType dtype, Rows& rows) {
  const minima::Device device = minima::Device::cuda();
  DryRun dry(device);
  const TrainingStep step = make_step(workload, dtype, device);
  constexpr int warmup = 2;
  int steps = 0;
  counter.launches.clear();
  const DryRunReport report = dry.run(
      *step.network,
      [&] {
        counter.counting = steps++ == warmup;
        return step.step();
      },
      warmup);
  counter.counting = false;
  auto launch = counter.launches.begin();
  for (const Piece& piece : report.pieces) {
    if (piece.cost.kind != WorkKind::kernel) continue;
    const Counted& counted = *launch++;
    if (counted.key.empty()) continue;
    const auto least = [](std::size_t pages, std::uint64_t asked) {
      return std::min(static_cast<double>(pages), static_cast<double>(asked));
    };
    Row now{.counts = counted.counts,
            .operands = piece.cost.bytes(),
            .read = least(counted.touched.read, counted.counts.loads.bytes),
            .written = least(counted.touched.written, counted.counts.stores.bytes)};
    Row& row = rows[counted.key];
    const double thread_bytes = std::max(row.thread_bytes, now.bytes() / counted.threads);
    if (now.bytes() > row.bytes()) row = now;
    row.thread_bytes = thread_bytes;
  }
}

double rounded(double value) {
  if (value == 0) return 0;
  const double step = std::pow(10, std::floor(std::log10(value)) - 2);
  return std::round(value / step) * step;
}

void print(Counter& counter, const Rows& rows) {
  for (const auto& [key, row] : rows) {
    const double bytes = std::max(row.bytes(), 1.0);
    const double moved = 32.0 * static_cast<double>(row.counts.loads.sectors + row.counts.stores.sectors);
    const double slots = 32.0 * static_cast<double>(row.counts.instructions);
    constexpr double least = 4096;  // what less says depends on how a launch begins
    const auto share = [&](double part) { return row.operands > 0 ? std::min(1.0, part / row.operands) : 1; };
    const std::string& symbol = counter.symbols[key];
    std::printf("%s %.4g %.4g %.4g %.4g %.4g %s\n", key.c_str(),
                bytes < least ? 1 : rounded(std::max(1.0, moved / bytes)), rounded(share(row.read)),
                rounded(share(row.written)), bytes < least ? 0 : rounded(slots / bytes),
                is_bounded(counter, key, symbol) ? rounded(row.thread_bytes) : 0, symbol.c_str());
  }
}

/// Writes the PTX of each module that has one of the entries to FOLDER/N.ptx.
void write_modules(const Counter& counter, const std::string& files, const std::string& folder) {
  int number = 0;
  for (const std::string& text : ptx::read_ptx(files))
    if (std::any_of(counter.symbols.begin(), counter.symbols.end(),
                    [&](const auto& of_key) { return text.find(".entry " + of_key.second + "(") != text.npos; }))
      minima::write_file(folder + "/" + std::to_string(number++) + ".ptx", text);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2 || argc > 3) {
    std::fputs(
        "usage: minima-count-kernels FILE [FOLDER]\n"
        "Counts the kernels whose PTX FILE has, and writes that to FOLDER.\n",
        stderr);
    return 2;
  }
  setenv("MINIMA_SIMULATED_GPUS", "1xH200", 1);
  clear_kernel_counts();
  Counter counter(argv[1]);
  set_executor(&counter);
  Rows rows;
  for (const char* const workload : {"gpt2", "vocabulary", "sums", "resnet50", "mlp", "cnn"})
    for (const minima::DType dtype : {minima::DType::bfloat16, minima::DType::float16, minima::DType::float32})
      count(counter, workload, dtype, rows);
  print(counter, rows);
  if (argc == 3) write_modules(counter, argv[1], argv[2]);
  set_executor(nullptr);
} catch (const std::exception& error) {
  std::fprintf(stderr, "minima-count-kernels: %s\n", error.what());
  return 1;
}
