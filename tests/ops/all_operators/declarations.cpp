#include "tests/ops/all_operators/declarations.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

namespace minima::test {

std::map<std::string, std::vector<std::string>> declarations() {
  std::map<std::string, std::vector<std::string>> all;
  static const std::regex declaration(R"(MINIMA_API [^;({]*?(\w+)\(([^;]*)\);)");
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::filesystem::path(MINIMA_SOURCE_DIR) / "ops")) {
    if (entry.path().extension() != ".h") continue;
    std::ifstream in(entry.path());
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    // The library's own helpers are directly in ops/, or in minima::detail.
    const bool is_public = text.find("namespace minima {") != std::string::npos ||
                           text.find("namespace minima::linalg {") != std::string::npos ||
                           text.find("namespace minima::fft {") != std::string::npos;
    if (entry.path().parent_path().filename() == "ops" || !is_public) continue;
    for (std::sregex_iterator match(text.begin(), text.end(), declaration), end; match != end; ++match)
      all[(*match)[1]].push_back((*match)[2]);
  }
  return all;
}

}  // namespace minima::test
