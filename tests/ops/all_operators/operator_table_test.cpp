#include "tests/ops/all_operators/operator_table.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>

namespace operator_table_test {
namespace {

const char* const page = MINIMA_SOURCE_DIR "/docs/operators.md";

std::string read(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Also as `add scalar` or `scalar sub`.
bool lists(const std::string& table, const std::string& name) {
  for (const std::string& cell : {"`" + name + "`", "`" + name + " ", " " + name + "`"})
    if (table.find(cell) != std::string::npos) return true;
  return false;
}

TEST(OperatorTable, PageInDocsIsCurrent) {
  const std::string wanted = minima::test::operator_table();
  if (std::getenv("MINIMA_WRITE_DOCS")) std::ofstream(page) << wanted;
  // As a bool: the difference of two long pages is not worth printing.
  EXPECT_TRUE(read(page) == wanted) << page << " differs from the operators; write it with\n"
                                    << "MINIMA_WRITE_DOCS=1 ctest --test-dir build/cpu -R OperatorTable";
}

TEST(OperatorTable, NamesAnOperatorOfEachKind) {
  const std::string table = minima::test::operator_table();
  for (const char* row :
       {"| `softmax` |", "| `add scalar` |", "| `scalar sub` |", "| `slice` |", "| `nonzero` |", "| `conv2d` |",
        "| `max` |", "| `zeros` |", "| `unbind` |", "| `addcmul_` |", "| `from_blob` |"})
    EXPECT_NE(table.find(row), std::string::npos) << row;
}

// Reads the headers in its own way: a declaration that the generator overlooks fails here.
TEST(OperatorTable, ListsEveryPublicFunction) {
  static const std::regex include(R"re(#include <minima/(.*)>)re"), declaration(R"re(\nMINIMA_API [^;({]*?(\w+)\()re");
  const std::string table = minima::test::operator_table(), all = read(MINIMA_SOURCE_DIR "/ops/ops.h");
  for (std::sregex_iterator header(all.begin(), all.end(), include), end; header != end; ++header) {
    const std::string text = read(MINIMA_SOURCE_DIR "/" + (*header)[1].str());
    for (std::sregex_iterator match(text.begin(), text.end(), declaration); match != end; ++match)
      EXPECT_TRUE(lists(table, (*match)[1])) << (*match)[1] << " of " << (*header)[1];
  }
}

TEST(OperatorTable, SaysWhatEachFunctionDoes) {
  const std::string table = minima::test::operator_table();
  const std::size_t members = table.find("### Members of Tensor"), after_members = table.find("\n## ", members);
  for (std::size_t at = table.find("` |  |"); at != std::string::npos; at = table.find("` |  |", at + 1)) {
    if (members < at && at < after_members) continue;  // their signatures say enough
    const std::size_t start = table.rfind('\n', at) + 1;
    if (table.find("` |", start) != at) continue;  // not the first cell
    ADD_FAILURE() << "the declaration needs a doc comment: " << table.substr(start, at - start + 1);
  }
}

}  // namespace
}  // namespace operator_table_test
