#pragma once

// Parsing of the examples' command lines: checks with readable errors, and the options that all have.

#include "run_options.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

namespace command_line {

/// Accepts finite numbers for which `fits` holds; rejects others with "must be <must_be>".
inline CLI::Validator number(std::string must_be, std::function<bool(double)> fits) {
  return CLI::Validator(
      [must_be, fits](std::string& given) -> std::string {
        double value = 0;
        if (CLI::detail::lexical_cast(given, value) && std::isfinite(value) && fits(value)) return "";
        return "must be " + must_be + ", not " + given;
      },
      "");
}

inline CLI::Validator positive() {
  return number("above 0", [](double value) { return value > 0; });
}
inline CLI::Validator at_least(int least) {
  return number("at least " + std::to_string(least), [least](double value) { return value >= least; });
}
inline CLI::Validator between(double least, double most) {
  char text[64];
  std::snprintf(text, sizeof text, "between %g and %g", least, most);
  return number(text, [least, most](double value) { return value >= least && value <= most; });
}

inline void add_run_options(CLI::App& app, RunOptions& options) {
  app.add_option("--threads", options.threads, "compute threads (0: one per core)")->check(at_least(0));
  app.add_option("--device", options.device,
                 "cpu, cuda or cuda:N (default: the first GPU, or the CPU if there is none)");
  app.add_option("--seed", options.seed, "seed of the random number generators");
  app.add_flag("--monitor", options.monitor,
               "show the machine's load in the progress line, and alerts; see minima-top");
  app.add_option("--prometheus", options.prometheus, "the same, with figures for Prometheus on this port of 127.0.0.1")
      ->check(CLI::Range(0, 65535));
  app.add_option("--profile", options.profile,
                 "profile 20 steps: print where their time is, and write a trace and a picture into this folder");
  app.add_flag("--profile-stacks", options.profile_stacks, "with the lines of the program that call the operators");
  app.add_flag("--profile-counters", options.profile_counters,
               "with the processor's counters of each operator, where the kernel allows it");
  app.add_option("--memory-report", options.memory_report,
                 "draw the memory of 20 steps over time, by purpose, into this SVG file");
  app.add_option("--tensorboard", options.tensorboard,
                 "write curves, hyper-parameters and results for TensorBoard into this folder");
  app.add_flag("--deterministic", options.deterministic,
               "use only algorithms that give the same bits in every run, on the CPU with any number of threads");
}

inline void add_resume_options(CLI::App& app, ResumableOptions& options) {
  app.add_option("--run", options.run,
                 "folder for the run's states: the same command resumes it (default: nothing is saved)");
  app.add_option("--save-every", options.save_every, "seconds between two saves")->check(at_least(0));
  app.add_option("--max-time", options.max_time,
                 "save and stop after this many seconds, with exit code 75 (0: no limit)")
      ->check(at_least(0));
  app.add_flag("--force", options.force, "resume although settings differ that change the result");
  app.add_option("--max-steps", options.max_steps, "stop after this many steps in total (0: no limit)")
      ->check(at_least(0));
  app.add_option("--loss-log", options.loss_log, "CSV file for the loss of every step");
}

/// Parses the command line. Returns the exit code if the program should end: after --help, or after printing one line
/// about an error on standard error.
inline std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return {};
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "%s: %s; see --help\n", app.get_name().c_str(), error.what());
    return 2;
  }
}

}  // namespace command_line
