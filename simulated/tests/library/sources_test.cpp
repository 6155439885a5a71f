#include <minima/io/text/json.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

// Simulated GPUs run minima's own CUDA sources. What is compiled in place of one of them is tested in place of it, so
// there is one such source, and no second.

namespace minima::sources_test {
namespace {

namespace fs = std::filesystem;

const fs::path repository = MINIMA_REPOSITORY;
const std::regex needs_cuda("(.*/cuda/.*|.*_cuda)[.]cpp|.*[.]cu");
const std::regex layers(
    "(tensor|autograd|ops|io|nn|models|distributions|optim|amp|inference|data|distributed|train|profiler)/.*");

/// The CUDA sources in the layers' folders, relative to the repository.
std::set<std::string> cuda_sources() {
  std::set<std::string> found;
  for (const auto& folder : fs::directory_iterator(repository)) {
    if (!std::regex_match(folder.path().filename().string() + "/", layers)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string path = fs::relative(entry.path(), repository).generic_string();
      if (std::regex_match(path, needs_cuda)) found.insert(path);
    }
  }
  return found;
}

/// Lists the sources of the library on simulated GPUs that are compiled alone. Units of several sources, none of which
/// needs CUDA, and the precompiled header are left out.
std::set<std::string> compiled_sources() {
  std::stringstream text;
  text << std::ifstream(MINIMA_COMPILE_COMMANDS).rdbuf();
  std::set<std::string> found;
  const Json commands = Json::parse(text.str());
  for (const Json& command : commands.items())
    if (command.at("command").string().find("/minima_simulated.dir/") != std::string::npos &&
        command.at("file").string().find("/unity/") == std::string::npos &&
        command.at("file").string().find("/cmake_pch.") == std::string::npos)
      found.insert(fs::path(command.at("file").string()).lexically_relative(repository).generic_string());
  return found;
}

std::set<std::string> without(std::set<std::string> all, const std::set<std::string>& left_out) {
  std::erase_if(all, [&](const std::string& path) { return left_out.contains(path); });
  return all;
}

TEST(SimulatedSources, OnlyOneIsReplaced) {
  const std::set<std::string> sources = cuda_sources(), compiled = compiled_sources();
  ASSERT_GT(sources.size(), 60u) << "the search for CUDA sources does not find them";
  EXPECT_EQ(without(sources, compiled), std::set<std::string>{"ops/cudnn/frontend_cuda.cpp"});
  for (const std::string& path : compiled)
    EXPECT_TRUE(std::regex_match(path, layers) || path.starts_with("simulated/cudnn/"))
        << path << " is compiled into the library on simulated GPUs only";
}

}  // namespace
}  // namespace minima::sources_test
