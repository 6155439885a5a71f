#include "tests/docs/reference.h"
#include "tests/support/public_headers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace minima::test::reference_test {
namespace {

std::string read(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// What stands before the generated part.
std::string written_by_hand(const std::string& text, const ReferencePage& page) {
  return text.substr(0, std::min(text.find(page.title + "\n"), text.size()));
}

TEST(Reference, PagesInDocsAreCurrent) {
  for (const ReferencePage& page : reference_pages()) {
    const std::string path = std::string(MINIMA_SOURCE_DIR "/docs/") + page.file;
    const std::string wanted = written_by_hand(read(path), page) + text_of(page);
    if (std::getenv("MINIMA_WRITE_DOCS")) std::ofstream(path) << wanted;
    // As a bool: the difference of two long pages is not worth printing.
    EXPECT_TRUE(read(path) == wanted) << path << " differs from the headers; write it with\n"
                                      << "MINIMA_WRITE_DOCS=1 ctest --test-dir build/cpu -R Reference";
  }
}

TEST(Reference, EveryPublicNameHasADocComment) {
  for (const ReferencePage& page : reference_pages())
    for (const std::string& name : undocumented(page))
      ADD_FAILURE() << name << " needs a doc comment for docs/" << page.file;
}

TEST(Reference, ListsTypesFunctionsAndAliases) {
  std::string all;
  for (const ReferencePage& page : reference_pages()) all += text_of(page);
  for (const char* name : {"`Linear`", "`Sequential`", "`CrossEntropyLoss`", "`ListOf`", "clone(", "kaiming_uniform_(",
                           "`TensorDataset`", "`DataLoader`", "weighted_sampler(", "`ColorJitter`", "normalize_images(",
                           "`imagenet_mean`", "`AdamW`", "`Muon`", "cosine_restarts(", "clip_grad_norm_("})
    EXPECT_NE(all.find(name), std::string::npos) << name;
  EXPECT_NE(all.find("`in = 0, out = 0, bias = true"), std::string::npos) << "options of Linear";
  EXPECT_NE(all.find("`lr = 1e-3, momentum = 0, dampening = 0"), std::string::npos) << "options of SGD";
}

/// A table is read at a glance; the generator puts what is longer below it.
TEST(Reference, CellsHoldNoParagraphs) {
  for (const ReferencePage& page : reference_pages()) {
    const std::string text = read(std::string(MINIMA_SOURCE_DIR "/docs/") + page.file);
    std::istringstream lines(text.substr(written_by_hand(text, page).size()));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("| ")) continue;
      for (std::size_t begin = 2, end = 0; (end = line.find(" |", begin)) != line.npos; begin = end + 3)
        EXPECT_LE(end - begin, 400u) << page.file << ": " << line.substr(begin, 80) << "…";
    }
  }
}

TEST(Reference, ListsMembersOfClasses) {
  std::string all;
  for (const ReferencePage& page : reference_pages())
    if (page.members) all += text_of(page);
  for (const char* member :
       {"| `const Shape& shape() const` |", "| `void zero_grad() const` |", "| `State state_dict() const` |",
        "| `void set_integer(const std::string& name, std::int64_t value)` |", "| `void step(std::int64_t step)` |",
        "| member of `Monitor` |", "| `bool is_due() const` |"})
    EXPECT_NE(all.find(member), std::string::npos) << member;
  EXPECT_EQ(all.find("expect_dtype"), std::string::npos) << "private";
}

TEST(PublicHeaders, ReadsDeclarationsAtNamespaceScope) {
  const std::vector<Declaration> found = read_declarations({
      "namespace minima {",
      "namespace detail {",
      "void hidden() {",
      "  work();",
      "}",
      "struct Hidden {};",
      "}",
      "/// Twice x.",
      "///   twice(y);",
      "MINIMA_API Tensor twice(const Tensor& x,",
      "                        double by = 2);",
      "template <class T> requires(sizeof(T) > 1)",
      "class MINIMA_API Box : public Base {",
      "  int inside(int x);",
      "};",
      "inline bool operator==(const A& a, const A& b) { return true; }",
      "inline constexpr double mean[3] = {1, 2, 3};",
      "class Forward;",
      "template <class M>",
      "requires std::is_class_v<M> && (sizeof(M) > 1) M clone(const M& module) {",
      "  return module;",
      "}",
      "template <class T> T plain(const T& value) { return value; }",
      "using Short = Box<int>;",
      "}  // namespace minima",
  });
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[0].text, "Tensor twice(const Tensor& x, double by = 2)");
  EXPECT_EQ(found[0].comment, "Twice x.");
  EXPECT_EQ(found[1].name, "Box");
  EXPECT_EQ(found[1].body, std::vector<std::string>{"int inside(int x);"});
  EXPECT_EQ(found[2].name, "mean");
  EXPECT_EQ(found[3].text, "M clone(const M& module)");
  EXPECT_EQ(found[4].name, "plain");
  EXPECT_EQ(found[5].name, "Short");
}

}  // namespace
}  // namespace minima::test::reference_test
