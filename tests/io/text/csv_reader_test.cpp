#include <minima/io/text/csv_reader.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <cmath>

namespace minima::csv_reader_test {
namespace {

using test::message_of;

TEST(CsvReader, FindsOutTypes) {
  const CsvTable table = parse_csv("id,price,name\n1,2.5,a\n-7,1e3,\"b, \"\"c\"\"\nd\"\n", "t.csv");
  ASSERT_EQ(table.rows, 2);
  EXPECT_EQ(table.column("id").type, CsvType::integer);
  EXPECT_EQ(table.column("id").values.to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, -7}));
  EXPECT_EQ(table.column("price").values.dtype(), DType::float64);
  EXPECT_EQ(table.column("price").values.to_vector<double>(), (std::vector<double>{2.5, 1000}));
  EXPECT_EQ(table.column("name").texts, (std::vector<std::string>{"a", "b, \"c\"\nd"}));
  EXPECT_CONTAINS(message_of<ValueError>([&] { table.column("nme"); }),
                  "no column nme; the columns are id, price, name");
}

// Python's float().
TEST(CsvReader, NumbersOutsideOfTheRangeAreInfiniteOrZero) {
  const std::string zeros(400, '0');
  const std::vector<std::pair<std::string, double>> cells = {{"1e-400", 0.0},
                                                             {"-1e-400", -0.0},
                                                             {"1e400", HUGE_VAL},
                                                             {"-1e400", -HUGE_VAL},
                                                             {"+1.8e308", HUGE_VAL},
                                                             {"1e99999999999999999999", HUGE_VAL},
                                                             {"1e-99999999999999999999", 0.0},
                                                             {"1" + zeros, HUGE_VAL},
                                                             {"0." + zeros + "1", 0.0},
                                                             {"0." + zeros + "1e401", 1.0},
                                                             {"0." + zeros + "1e800", HUGE_VAL},
                                                             {"1" + zeros + "e-800", 0.0},
                                                             {"0e999", 0.0},
                                                             {"4.9e-324", 4.9406564584124654e-324},
                                                             {"inf", HUGE_VAL},
                                                             {"-Infinity", -HUGE_VAL}};
  for (const auto& [cell, value] : cells)
    for (const CsvType type : {CsvType::automatic, CsvType::number}) {
      const CsvTable table = parse_csv("p\n0.5\n" + cell + "\n", "t.csv", {.types = {type}});
      ASSERT_EQ(table.column("p").type, CsvType::number) << cell;
      const double got = table.column("p").values.to_vector<double>()[1];
      EXPECT_EQ(got, value) << cell;
      EXPECT_EQ(std::signbit(got), std::signbit(value)) << cell;
    }
}

TEST(CsvReader, TwoSignsAndOtherTextsAreNoNumbers) {
  for (const char* cell : {"+-5", "-+5", "--5", "++5", "+", "-", "+-1.5", "nan(1)", "0x10", "1e", "1_0", "5,"})
    EXPECT_EQ(parse_csv(std::string("a\n") + cell, "t.csv", {.separator = ';'}).column("a").type, CsvType::text)
        << cell;
  EXPECT_EQ(parse_csv("a\n+5\n", "t.csv").column("a").values.to_vector<int>()[0], 5);
}

TEST(CsvReader, SkipsEmptyLines) {
  for (const char* text : {"a,b\n1,2\n\n", "\na,b\r\n\r\n1,2", "a,b\n\n1,2\n\r\n\n"}) {
    const CsvTable table = parse_csv(text, "t.csv");
    ASSERT_EQ(table.rows, 1) << text;
    EXPECT_EQ(table.column("b").values.to_vector<int>()[0], 2) << text;
  }
  EXPECT_EQ(parse_csv("a\n1\n\n2\n\n", "t.csv").column("a").values.to_vector<int>(), (std::vector<int>{1, 2}));
  EXPECT_EQ(parse_csv("a\n1\n\"\"\n", "t.csv").rows, 2) << "a quoted empty text is a row";
}

TEST(CsvReader, MarksMissingValues) {
  const CsvTable table = parse_csv("a,b,c\n1,NA,x\n,2.5,\n3,,\"\"\n", "t.csv");
  EXPECT_EQ(table.column("a").missing.to_vector<int>(), (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(table.column("a").values.to_vector<int>(), (std::vector<int>{1, 0, 3}));
  EXPECT_TRUE(std::isnan(table.column("b").values.to_vector<double>()[0]));
  EXPECT_EQ(table.column("c").missing.to_vector<int>(), (std::vector<int>{0, 1, 0}))
      << "an empty text in quotes is one";
}

TEST(CsvReader, TakesOtherLayouts) {
  CsvOptions options{.separator = ';', .header = false, .types = {CsvType::number, CsvType::text}};
  const CsvTable table = parse_csv(
      "\xef\xbb\xbf"
      "1; 2\r\n3;4",
      "t.csv", options);
  EXPECT_EQ(table.rows, 2);
  EXPECT_EQ(table.column("0").values.dtype(), DType::float64);
  EXPECT_EQ(table.column("1").texts, (std::vector<std::string>{" 2", "4"}));
  EXPECT_EQ(parse_csv("", "t.csv").columns.size(), 0u);
  EXPECT_EQ(parse_csv("a,b\n", "t.csv").rows, 0);
}

TEST(CsvReader, RefusesWhatIsBroken) {
  const auto message = [](const char* text, CsvOptions options = {}) {
    return message_of<FormatError>([&] { parse_csv(text, "t.csv", options); });
  };
  EXPECT_CONTAINS(message("a,b\n1,2\n3\n"), "t.csv: byte 8, line 3: a row of 1 cells, but the first has 2");
  EXPECT_CONTAINS(message("a\n\"x"), "t.csv: byte 2, line 2: a quoted cell does not end");
  EXPECT_CONTAINS(message("a\n\"x\"y\n"), "expected a separator");
  EXPECT_CONTAINS(message("a\nx\"y\n"), "a quote inside an unquoted cell");
  EXPECT_CONTAINS(message("a\nx\ry\n"), "expected a separator or a line end");
  EXPECT_CONTAINS(message("a\n1\n2x\n", {.types = {CsvType::integer}}),
                  "t.csv: byte 4, line 3: \"2x\" in column a is not an integer");
  EXPECT_CONTAINS(message("a\n99999999999999999999\n", {.types = {CsvType::integer}}), "is not an integer");
  EXPECT_THROW(parse_csv("a\n", "t.csv", {.types = {CsvType::text, CsvType::text}}), ValueError);
  EXPECT_THROW(parse_csv("a\n", "t.csv", {.separator = '"'}), ValueError);
  EXPECT_THROW(read_csv("/nowhere.csv"), FileError);
}

TEST(CsvReader, ReadsAFile) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(read_csv(folder.file("t.csv", "x\n5\n")).column("x").values.item<int>(), 5);
}

}  // namespace
}  // namespace minima::csv_reader_test
