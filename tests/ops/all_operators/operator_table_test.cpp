#include "tests/ops/all_operators/operator_table.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace {

const char* const page = MINIMA_SOURCE_DIR "/docs/operators.md";

TEST(OperatorTable, PageInDocsIsCurrent) {
  const std::string wanted = minima::test::operator_table();
  if (std::getenv("MINIMA_WRITE_DOCS")) std::ofstream(page) << wanted;
  std::ifstream in(page);
  const std::string written{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  // As a bool: the difference of two long pages is not worth printing.
  EXPECT_TRUE(written == wanted) << page << " is not what the operators say; write it with\n"
                                 << "MINIMA_WRITE_DOCS=1 ctest --test-dir build/cpu -R OperatorTable";
}

TEST(OperatorTable, NamesAnOperatorOfEachKind) {
  const std::string table = minima::test::operator_table();
  for (const char* row : {"| `softmax` |", "| `add scalar` |", "| `scalar sub` |", "| `slice` |", "| `nonzero` |",
                          "| `conv2d` |", "| `max` |"})
    EXPECT_NE(table.find(row), std::string::npos) << row;
}

TEST(OperatorTable, SaysOfEachOperatorWhatItComputes) {
  const std::string table = minima::test::operator_table();
  for (std::size_t at = table.find("` |  |"); at != std::string::npos; at = table.find("` |  |", at + 1)) {
    const std::size_t start = table.rfind('\n', at) + 1;
    ADD_FAILURE() << "the declaration needs a doc comment: " << table.substr(start, at - start + 1);
  }
}

}  // namespace
