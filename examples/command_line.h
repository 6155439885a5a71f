#pragma once

// What the examples' command lines share.

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>

namespace command_line {

/// Accepts finite numbers for which `fits` holds; what else is given is told what it "must be".
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

/// Reads the command line. Returns false, with the exit code, where the program is to end at once: after --help, and
/// after one line on standard error about what is wrong.
inline bool parse(CLI::App& app, int argc, char** argv, int& exit_code) {
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::Success& wanted) {  // --help
    exit_code = app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "%s: %s; see --help\n", app.get_name().c_str(), error.what());
    exit_code = 2;
  }
  return false;
}

/// The command as it was typed, to be pasted into a shell, with `--resume PATH` in place of any earlier --resume.
inline std::string resume_command(int argc, char** argv, const std::string& path) {
  std::string command;
  const auto add = [&](const std::string& word) {
    const bool is_plain =
        word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%") ==
        std::string::npos;
    if (!command.empty()) command += ' ';
    if (is_plain && !word.empty()) {
      command += word;
      return;
    }
    command += '\'';
    for (const char c : word) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
    command += '\'';
  };
  for (int i = 0; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--resume") ++i;
    else if (word.rfind("--resume=", 0) != 0) add(word);
  }
  add("--resume");
  add(path);
  return command;
}

/// What a program says on standard error when Ctrl-C has ended its training, `ranks` being how many processes trained.
inline void print_interrupted(const char* program, long long steps, int ranks, const std::string& resume) {
  std::fprintf(stderr, "%s: interrupted after step %lld; everything is saved. To resume%s:\n  %s\n", program, steps,
               ranks > 1 ? ", launch as many processes of" : "", resume.c_str());
}

}  // namespace command_line
