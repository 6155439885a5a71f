#include "arguments.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <string>
#include <vector>

using minima::str;
using minima::ValueError;

const char* const usage =
    "usage: minima-checkpoint ls PATH...\n"
    "       minima-checkpoint verify PATH...\n"
    "       minima-checkpoint merge STATE FILE.safetensors [--part NAME]\n"
    "       minima-checkpoint diff STATE STATE [--ignore PATTERN]...\n"
    "\n"
    "Works on states that train::Run and StateFolder have saved, by any number of ranks, and on safetensors and "
    "PyTorch\n"
    "files. A PATH is a run's folder, or a STATE: a folder such as step-0000001000 or latest, or a file.\n"
    "\n"
    "  ls       lists the states of a folder, or the tensors and values of a state\n"
    "  verify   reads everything and compares checksums\n"
    "  merge    writes one safetensors file; --part model writes what is called model.* without that prefix, as other\n"
    "           programs expect it\n"
    "  diff     lists tensors and values that differ, by how much and in how many elements; run.facts.* and "
    "run.notes.*\n"
    "           are left out, and so are names that match --ignore (* is any text, ? one character)\n"
    "\n"
    "Exit codes: 0 done, and nothing differs; 1 damaged, or different; 2 wrong arguments, or a file cannot be read or\n"
    "written.\n";

namespace {

Arguments::Command command_of(const std::string& word) {
  using Command = Arguments::Command;
  if (word == "ls") return Command::list;
  if (word == "verify") return Command::verify;
  if (word == "merge") return Command::merge;
  if (word == "diff") return Command::diff;
  if (word == "--help" || word == "-h") return Command::help;
  throw ValueError(str("unknown command ", word));
}

}  // namespace

Arguments parse(const std::vector<std::string>& words) {
  using Command = Arguments::Command;
  if (words.empty()) throw ValueError("a command is missing");
  Arguments given;
  given.command = command_of(words[0]);
  given.ignore = {"run.facts.*", "run.notes.*"};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == words.size()) throw ValueError(str(word, " needs a value"));
      return words[++i];
    };
    if (word == "--part" && given.command == Command::merge) given.part = value();
    else if (word == "--ignore" && given.command == Command::diff) given.ignore.push_back(value());
    else if (word == "--help" || word == "-h") given.command = Command::help;
    else if (word.size() > 1 && word[0] == '-') throw ValueError(str("unknown argument ", word));
    else given.paths.push_back(word);
  }
  if (given.command == Command::help) return given;
  const bool is_pair = given.command == Command::merge || given.command == Command::diff;
  if (is_pair && given.paths.size() != 2)
    throw ValueError(str(words[0], given.command == Command::merge ? " needs a state and a file" : " needs two states",
                         ", got ", given.paths.size()));
  if (given.paths.empty()) throw ValueError("a path is missing");
  return given;
}
