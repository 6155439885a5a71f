#include "tests/structure/sample_tree.h"
#include "tests/structure/source_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// cmake/families.cmake chooses sources by regular expressions: those of the core, those compiled alone, and those of
// ops/ that loop over elements. A file that is renamed or new must not slip through them.

namespace structure::families_test {
namespace {

namespace fs = std::filesystem;

/// The quoted words of `set(NAME …)`.
std::vector<std::string> patterns(const fs::path& root, const std::string& name) {
  std::string text;
  for (const std::string& line : read_source(root, root / "cmake/families.cmake").lines) text += line + "\n";
  std::vector<std::string> found;
  std::size_t at = text.find("set(" + name);
  for (int depth = 0; at != text.npos && at < text.size(); ++at) {
    if (text[at] == '"') {
      const std::size_t end = text.find('"', at + 1);
      found.push_back(text.substr(at + 1, end - at - 1));
      at = end;
    } else if (text[at] == '(') {
      ++depth;
    } else if (text[at] == ')' && --depth == 0) {
      break;
    }
  }
  return found;
}

/// Multiplies out a regular expression: `a/(b|c)?d` is `a/bd`, `a/cd` and `a/d`.
class Expansion {
 public:
  explicit Expansion(std::string pattern) : pattern_(std::move(pattern)) {}
  std::vector<std::string> all() { return alternatives(); }

 private:
  std::vector<std::string> alternatives() {
    std::vector<std::string> done, open{""};
    while (at_ < pattern_.size() && pattern_[at_] != ')') {
      if (pattern_[at_] == '|') {
        ++at_;
        done.insert(done.end(), open.begin(), open.end());
        open = {""};
        continue;
      }
      std::vector<std::string> longer;
      for (const std::vector<std::string> ends = repeated(atom()); const std::string& begin : open)
        for (const std::string& end : ends) longer.push_back(begin + end);
      open = std::move(longer);
    }
    done.insert(done.end(), open.begin(), open.end());
    return done;
  }

  /// A group, a set of characters, or one character.
  std::vector<std::string> atom() {
    if (pattern_[at_] == '(') {
      ++at_;
      std::vector<std::string> inner = alternatives();
      ++at_;
      return inner;
    }
    const std::size_t end = pattern_[at_] == '[' ? pattern_.find(']', at_ + 2) + 1 : at_ + 1;
    const std::string text = pattern_.substr(at_, end - at_);
    at_ = end;
    return {text};
  }

  std::vector<std::string> repeated(std::vector<std::string> atoms) {
    if (at_ == pattern_.size() || std::string("*+?").find(pattern_[at_]) == std::string::npos) return atoms;
    const char sign = pattern_[at_++];
    if (sign == '?') atoms.emplace_back();
    else
      for (std::string& each : atoms) each = "(" + each + ")" + sign;
    return atoms;
  }

  std::string pattern_;
  std::size_t at_ = 0;
};

std::vector<SourceFile> compiled_sources(const fs::path& root) {
  std::vector<std::string> folders = layers();
  folders.emplace_back("simulated/cudnn");
  std::vector<SourceFile> sources = sources_in(root, folders);
  std::erase_if(sources,
                [](const SourceFile& file) { return !file.path.ends_with(".cpp") && !file.path.ends_with(".cu"); });
  return sources;
}

/// Whether a source is among those that a list names: the core by whole paths, the others by parts of them.
bool is_among(const std::string& list, const std::string& path, const std::regex& pattern) {
  return list == "MINIMA_CORE" ? std::regex_match(path, pattern) : std::regex_search(path, pattern);
}

Complaints dead_patterns(const fs::path& root) {
  Complaints complaints;
  const std::vector<SourceFile> sources = compiled_sources(root);
  for (const std::string list : {"MINIMA_CORE", "alone", "loops"})
    for (const std::string& pattern : patterns(root, list))
      for (const std::string& part : Expansion(pattern).all()) {
        const std::regex regex(part);
        if (std::none_of(sources.begin(), sources.end(),
                         [&](const SourceFile& file) { return is_among(list, file.path, regex); }))
          complaints.push_back("cmake/families.cmake: " + list + ": no source is called " + part);
      }
  return complaints;
}

constexpr std::string_view signs[] = {"parallel_for(", ".data<",          "->data<",
                                      "raw_data()",    "/loop_pragmas.h", "<minima/ops/pointwise.h>"};

/// Whether a source reaches into tensors, spreads work over threads, guides how loops are compiled, or makes loops of
/// functions of single elements.
bool works_on_elements(const SourceFile& file) {
  return std::any_of(file.lines.begin(), file.lines.end(), [](const std::string& line) {
    const std::string_view code = std::string_view(line).substr(0, line.find("//"));
    return std::any_of(std::begin(signs), std::end(signs),
                       [&](std::string_view sign) { return code.find(sign) != code.npos; });
  });
}

/// Fronts of operators that do so without a loop over elements.
const std::map<std::string, std::string>& harmless_fronts() {
  static const std::map<std::string, std::string> fronts{
      {"ops/autocast/cast_cache.cpp", "passes addresses to a kernel"},
      {"ops/fft/fourier.cpp", "spreads a batch over threads, which call an operator"},
      {"ops/linalg/cholesky.cpp", "checks a matrix's pivots, which is little next to solving with it"},
      {"ops/linalg/lu.cpp", "the same"},
      {"ops/loss/linear_cross_entropy.cpp", "writes one number"},
      {"ops/pointwise.cpp", "chooses dtypes and layouts"},
      {"ops/view/flip.cpp", "numbers the places of one dimension"},
      {"ops/view/repeat.cpp", "the same"},
  };
  return fronts;
}

/// Fronts are compiled at -O2, in one unit for each folder.
Complaints slow_fronts(const fs::path& root, const std::map<std::string, std::string>& harmless) {
  Complaints complaints;
  std::vector<std::regex> not_fronts;
  for (const char* const list : {"alone", "loops"})
    for (const std::string& pattern : patterns(root, list)) not_fronts.emplace_back(pattern);
  const auto is_front = [&](const std::string& path) {
    return path.starts_with("ops/") && std::none_of(not_fronts.begin(), not_fronts.end(), [&](const std::regex& each) {
             return std::regex_search(path, each);
           });
  };
  std::map<std::string, std::string> unused = harmless;
  for (const SourceFile& file : compiled_sources(root)) {
    if (works_on_elements(file) && is_front(file.path) && unused.erase(file.path) == 0)
      complaints.push_back(file.path +
                           ": works on elements, but is compiled at -O2 as the front of an operator; call it "
                           "…_cpu.cpp or add it to `loops` in cmake/families.cmake");
  }
  for (const auto& [path, reason] : unused) complaints.push_back(path + ": is no exception any more");
  return complaints;
}

TEST(Families, EachPatternMatchesASource) {
  const Complaints complaints = dead_patterns(repository());
  EXPECT_TRUE(complaints.empty()) << to_text(complaints);
}

TEST(Families, FrontsOfOperatorsLeaveLoopsOverElementsToOthers) {
  const Complaints complaints = slow_fronts(repository(), harmless_fronts());
  EXPECT_TRUE(complaints.empty()) << to_text(complaints);
}

TEST(FamiliesCheck, NamesPatternsWithoutASource) {
  const SampleTree tree;
  tree.write("cmake/families.cmake",
             "set(MINIMA_CORE  # regular expressions\n  \"io/((text|files)/)?[^/]*\" \"nn/(save|load)[.].*\")\n"
             "set(alone \"_cuda[.]cpp$|[.]cu$\")\nset(loops \"^ops/.*/(pad|counts_[a-z]+)[.]\")\n");
  tree.write("io/text/json.cpp", "");
  tree.write("io/csv.cpp", "");
  tree.write("nn/save_load.cpp", "");
  tree.write("nn/load.cpp", "");
  tree.write("ops/view/pad.cpp", "");
  tree.write("ops/view/pad_cuda.cpp", "");
  const Complaints expected{"cmake/families.cmake: MINIMA_CORE: no source is called io/files/([^/])*",
                            "cmake/families.cmake: MINIMA_CORE: no source is called nn/save[.](.)*",
                            "cmake/families.cmake: alone: no source is called [.]cu$",
                            "cmake/families.cmake: loops: no source is called ^ops/(.)*/counts_([a-z])+[.]"};
  EXPECT_EQ(dead_patterns(tree.root()), expected);
}

TEST(FamiliesCheck, NamesFrontsThatLoop) {
  const SampleTree tree;
  tree.write("cmake/families.cmake", "set(alone \"_cpu[.]\")\nset(loops \"^ops/.*/pad[.]\")\n");
  tree.write("ops/view/pad.cpp", "x.data<float>();\n");
  tree.write("ops/view/pad_cpu.cpp", "parallel_for(0, n, 1, f);\n");
  tree.write("ops/view/join.cpp", "  parallel_for(0, n, 1, f);\n");
  tree.write("ops/view/split.cpp", "return narrow(x, 0, 1, 2);  // instead of x.data<float>()\n");
  tree.write("ops/view/one.cpp", "*x.data<float>() = 1;\n");
  tree.write("data/join.cpp", "parallel_for(0, n, 1, f);\n");
  const Complaints complaints = slow_fronts(tree.root(), {{"ops/view/one.cpp", ""}, {"ops/view/two.cpp", ""}});
  ASSERT_EQ(complaints.size(), 2);
  EXPECT_TRUE(complaints[0].starts_with("ops/view/join.cpp: works on elements")) << complaints[0];
  EXPECT_EQ(complaints[1], "ops/view/two.cpp: is no exception any more");
}

}  // namespace
}  // namespace structure::families_test
