// minima-info prints the version and build of minima, the processor, the GPUs, the libraries and what is missing; or
// what a file of weights holds.

#include "contents.h"
#include "illegal_instructions.h"
#include "report.h"

#include <minima/tensor/system/system_info.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

constexpr const char* usage =
    "usage: minima-info [FILE | --json | --require-libraries | --version | --help]\n"
    "\n"
    "Prints how minima was built, the processor and GPUs it runs on, the libraries it uses, and what is missing.\n"
    "\n"
    "  FILE                 the tensors and values in a safetensors or PyTorch file instead\n"
    "  --json               one JSON object instead of text\n"
    "  --require-libraries  the version and file of each library that training on GPUs uses; fails unless all can be "
    "opened\n"
    "  --version            the version only\n"
    "  --help               this text\n"
    "\n"
    "Exit codes: 0 the report was printed, whatever it says; 1 it could not be made or written; 2 unknown argument;\n"
    "3 a required library is missing.\n";

constexpr int misused = 2, lacks_libraries = 3;

/// minima computes without some of these, but differently and slower.
constexpr const char* required[] = {"cuBLASLt", "cuBLAS", "cuDNN", "NVRTC", "cuFFT", "cuSOLVER", "NCCL", "CUPTI"};

int print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return 0;
  std::perror("minima-info: standard output");
  return could_not_report;
}

bool is_known(const std::string& argument) {
  if (!argument.starts_with('-')) return true;  // a file
  for (const char* known : {"--json", "--require-libraries", "--version", "--help", "-h"})
    if (argument == known) return true;
  return false;
}

int require_libraries() {
  const std::vector<minima::LibraryInfo> libraries = minima::library_info();
  std::string found, missing;
  for (const std::string name : required) {
    bool is_there = false;
    for (const minima::LibraryInfo& library : libraries)
      if (library.name == name && library.is_available) {
        is_there = true;
        found += name + std::string(11 - name.size(), ' ') + library.version +
                 std::string(library.version.size() < 11 ? 11 - library.version.size() : 1, ' ') + library.path + '\n';
      }
    if (!is_there) missing += (missing.empty() ? "" : ", ") + name;
  }
  const int status = print(found);
  if (missing.empty() || status != 0) return status;
  std::fprintf(stderr, "minima-info: not found: %s; minima-info without options says why\n", missing.c_str());
  return lacks_libraries;
}

int answer(const std::string& argument) {
  if (argument == "--help" || argument == "-h") return print(usage);
  if (argument == "--version") return print(minima::build_info().version + '\n');
  if (argument == "--require-libraries") return require_libraries();
  if (!argument.empty() && argument[0] != '-') return print(contents_of(argument));
  const minima::SystemInfo info = minima::system_info();
  return print(argument == "--json" ? json_report(info) : text_report(info));
}

}  // namespace

int main(int argc, char** argv) {
  explain_illegal_instructions();
  const std::string argument = argc > 1 ? argv[1] : "";
  if (argc > 2 || !is_known(argument)) {
    std::fprintf(stderr, "minima-info: %s: %s; see minima-info --help\n",
                 argc > 2 ? "one argument at most" : "unknown argument", argv[argc - 1]);
    return misused;
  }
  try {
    return answer(argument);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "minima-info: %s\n", error.what());
    return could_not_report;
  }
}
