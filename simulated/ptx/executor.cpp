#include "simulated/ptx/executor.h"

#include "simulated/kernels/fiber_executor.h"
#include "simulated/machine/machine.h"
#include "simulated/machine/memory.h"
#include "simulated/machine/report.h"
#include "simulated/machine/schedule.h"
#include "simulated/ptx/execution/program.h"
#include "simulated/ptx/lint.h"
#include "simulated/ptx/text/text_file.h"

#include <driver_types.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace simulated::ptx {

namespace {

cudaError_t error_of(Fault::Kind kind) {
  switch (kind) {
    case Fault::Kind::misaligned: return cudaErrorMisalignedAddress;
    case Fault::Kind::out_of_bounds: return cudaErrorIllegalAddress;
    case Fault::Kind::trap: return cudaErrorAssert;
    case Fault::Kind::endless: return cudaErrorLaunchTimeout;
    case Fault::Kind::unknown: return cudaErrorIllegalInstruction;
    default: return cudaErrorLaunchFailure;
  }
}

/// The machine's books; memory that is not in them is the program's own, which tests hand to kernels.
std::optional<Range> find_allocation(std::uint64_t address) {
  const auto* const pointer = reinterpret_cast<const void*>(address);
  const Memory& memory = machine().memory;
  if (const std::optional<Memory::Place> place = memory.find(pointer)) {
    const auto begin = reinterpret_cast<std::uint64_t>(place->start);
    return Range{begin, begin + place->bytes};
  }
  if (address < 4096 || memory.is_device_address(pointer)) return std::nullopt;
  return Range{address, address + 16};
}

Shape shape_of(const Launch& launch) {
  return {.grid = {launch.grid.x, launch.grid.y, launch.grid.z},
          .block = {launch.block.x, launch.block.y, launch.block.z},
          .shared_bytes = launch.shared_bytes};
}

std::uint64_t number_from(const char* name) {
  const char* const value = std::getenv(name);
  return value ? std::strtoull(value, nullptr, 10) : 0;
}

std::optional<std::map<std::string, Limits>>& limits_of_kernels() {
  static auto* const limits = new std::optional<std::map<std::string, Limits>>;
  return *limits;
}

std::optional<std::map<std::string, Bound>>& bounds_of_kernels() {
  static auto* const bounds = new std::optional<std::map<std::string, Bound>>;
  return *bounds;
}

/// At the end of a program. Its exit status becomes 1 if a kernel does not fit its limits or bounds.
void report(const PtxExecutor& executor) {
  if (const char* const file = std::getenv("MINIMA_SIMULATED_COUNTS")) write_counts(file, executor.counts());
  if (std::getenv("MINIMA_SIMULATED_MUTANTS")) {
    const char* const file = std::getenv("MINIMA_SIMULATED_FATES");
    append_text_file(file ? file : "/dev/stdout", executor.mutant_report());
  }
  if (bounds_of_kernels()) {
    const Judgement judgement = judge(executor.differences(), *bounds_of_kernels());
    std::fputs(judgement.report.c_str(), stdout);
    std::fflush(stdout);
    if (!judgement.kept) std::_Exit(1);
  }
  if (!limits_of_kernels()) return;
  Verdict verdict = judge(executor.counts(), *limits_of_kernels());
  if (executor.counts().empty()) {
    verdict.kept = false;
    for (const std::string& kernel : executor.without_ptx())
      verdict.report += kernel + ": not found in MINIMA_SIMULATED_PTX\n";
  }
  std::fputs(verdict.report.c_str(), stdout);
  std::fflush(stdout);
  if (!verdict.kept) std::_Exit(1);
}

}  // namespace

void PtxExecutor::run(const std::string& kernel, const Launch& launch, const std::function<void()>& body) {
  without_ptx_.insert(kernel);
  fiber_executor().run(kernel, launch, body);
}

std::function<void()> PtxExecutor::prepare(const void* function, const std::string& kernel, const Launch& launch,
                                           void** arguments, std::function<void()> body) {
  const std::string signature = signature_of_kernel(function);
  const Program* const program = library_.find(signature);
  if (!program) return Executor::prepare(function, kernel, launch, arguments, std::move(body));
  std::vector<std::uint8_t> parameters(program->parameter_bytes());
  for (std::size_t i = 0; i < program->parameters().size(); ++i) {
    const auto [offset, bytes] = program->parameters()[i];
    std::memcpy(parameters.data() + offset, arguments[i], bytes);
  }
  const auto compiled = [this, signature, program, launch, parameters] {
    static const std::uint64_t order = number_from("MINIMA_SIMULATED_ORDER");
    static const bool races = !std::getenv("MINIMA_SIMULATED_NO_GLOBAL_RACES");
    try {
      if (mutants_per_kernel_ != 0) try_mutants(signature, *program, shape_of(launch), parameters);
      counts_[signature] += ptx::run(*program, shape_of(launch), parameters,
                                     {.find_range = find_allocation, .global_races = races, .order = order});
    } catch (const Fault& fault) {
      throw DeviceFault{error_of(fault.kind()), fault.what()};
    }
  };
  if (!compares_) return compiled;
  return [this, signature, kernel, launch, parameters = std::move(parameters), body = std::move(body), compiled] {
    run_both(signature, kernel, launch, parameters, body, compiled);
  };
}

/// The PTX comes last: its results stay.
void PtxExecutor::run_both(const std::string& signature, const std::string& kernel, const Launch& launch,
                           std::span<const std::uint8_t> parameters, const std::function<void()>& body,
                           const std::function<void()>& compiled) {
  const std::vector<Part> memory = memory_of(parameters);
  const auto copy = [&](std::vector<Bytes>& bytes) {
    bytes.resize(memory.size());
    for (std::size_t i = 0; i < memory.size(); ++i) bytes[i].assign(memory[i].begin(), memory[i].end());
  };
  copy(results_.before);
  fiber_executor().run(kernel, launch, body);
  copy(results_.source);
  for (std::size_t i = 0; i < memory.size(); ++i)
    std::copy(results_.before[i].begin(), results_.before[i].end(), memory[i].begin());
  compiled();
  copy(results_.ptx);
  differences_[signature] += compare(signature, results_);
}

void PtxExecutor::try_mutants(const std::string& signature, const Program& program, const Shape& shape,
                              const std::vector<std::uint8_t>& parameters) {
  std::unique_ptr<Mutants>& mutants = mutants_[signature];
  if (!mutants) {
    const Module& module = library_.module_of(signature);
    mutants = std::make_unique<Mutants>(module, program, mutants_per_kernel_, killed_[signature]);
  }
  const std::vector<Part> memory = memory_of(parameters);
  // A mutant must not reach anything else.
  const FindRange find = [&](std::uint64_t address) -> std::optional<Range> {
    for (const Part part : memory)
      if (const auto begin = reinterpret_cast<std::uint64_t>(part.data());
          address >= begin && address < begin + part.size())
        return Range{begin, begin + part.size()};
    return std::nullopt;
  };
  mutants->try_all(shape, parameters, {.find_range = find}, memory, all_inputs_);
}

std::string PtxExecutor::mutant_report() const {
  std::string text;
  for (const auto& [signature, mutants] : mutants_)
    for (const Outcome& outcome : mutants->outcomes())
      text += name(outcome.fate) + (outcome.barrier ? "\tbarrier\t" : "\tmutant\t") +
              (outcome.equivalent.empty() ? "-" : outcome.equivalent) + "\t" + signature + "\t" + outcome.change + "\n";
  return text;
}

void PtxExecutor::read_killed(std::istream& reports) {
  for (std::string fate, kind, rule, signature, change;
       std::getline(reports, fate, '\t') && std::getline(reports, kind, '\t') && std::getline(reports, rule, '\t') &&
       std::getline(reports, signature, '\t') && std::getline(reports, change);)
    if (fate == name(Fate::killed)) killed_[signature].insert(change);
}

PtxExecutor* executor_from_environment() {
  static PtxExecutor* const executor = []() -> PtxExecutor* {
    const char* const wanted = std::getenv("MINIMA_SIMULATED_EXECUTOR");
    if (!wanted || std::string_view(wanted) == "fibers") return nullptr;
    const char* const files = std::getenv("MINIMA_SIMULATED_PTX");
    const bool both = std::string_view(wanted) == "both";
    if ((std::string_view(wanted) != "ptx" && !both) || !files)
      not_modelled("MINIMA_SIMULATED_EXECUTOR=" + std::string(wanted) +
                   ": it may be fibers, or ptx or both with the files that have kernels in MINIMA_SIMULATED_PTX");
    auto* const result = new PtxExecutor(files);
    if (both) {
      const char* const bounds = std::getenv("MINIMA_SIMULATED_BOUNDS");
      bounds_of_kernels() = bounds ? read_bounds(bounds) : std::map<std::string, Bound>();
      result->compare_with_fibers();
    }
    result->make_mutants(number_from("MINIMA_SIMULATED_MUTANTS"));
    if (const char* const killed = std::getenv("MINIMA_SIMULATED_KILLED")) {
      std::istringstream reports(read_text_file(killed).value_or(""));
      result->read_killed(reports);
    }
    if (const char* const limits = std::getenv("MINIMA_SIMULATED_LIMITS")) limits_of_kernels() = read_limits(limits);
    std::atexit([] { report(*executor_from_environment()); });
    return result;
  }();
  return executor;
}

}  // namespace simulated::ptx
