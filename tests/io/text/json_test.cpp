#include <minima/io/text/json.h>
#include <minima/io/text/json_reader.h>
#include <minima/io/text/utf8.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace minima::json_test {
namespace {

using test::message_of;

TEST(Json, ReadsEveryKind) {
  const Json json = Json::parse(R"( {"a": [1, -2, 2.5, 1e3], "b": {"c": null}, "t": true, "f": false, "s": "x"} )");
  EXPECT_EQ(json.at("a").items().at(0).integer(), 1);
  EXPECT_EQ(json.at("a").items().at(1).integer(), -2);
  EXPECT_EQ(json.at("a").items().at(2).number(), 2.5);
  EXPECT_EQ(json.at("a").items().at(3).number(), 1000.0);
  EXPECT_TRUE(json.at("b").at("c").is_null());
  EXPECT_TRUE(json.at("t").boolean());
  EXPECT_FALSE(json.at("f").boolean());
  EXPECT_EQ(json.at("s").string(), "x");
  EXPECT_EQ(json.find("absent"), nullptr);
}

TEST(Json, KeepsIntegersExact) {
  EXPECT_EQ(Json::parse("9223372036854775807").integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Json::parse("-9223372036854775808").integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Json::parse("18446744073709551615").unsigned_integer(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(Json::parse("9007199254740993").integer(), 9007199254740993);
  EXPECT_EQ(Json::parse("9223372036854775808").kind(), Json::Kind::unsigned_integer);
  EXPECT_THROW(Json::parse("18446744073709551616"), FormatError);
  EXPECT_THROW(Json::parse("-9223372036854775809"), FormatError);
  EXPECT_EQ(Json::parse("1.0").kind(), Json::Kind::number);
}

TEST(Json, DecodesEscapes) {
  EXPECT_EQ(Json::parse(R"("\"\\\/\b\f\n\r\t")").string(), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(Json::parse(R"("\u0041\u00e9\u20ac\ud83d\ude00")").string(), "A\u00e9\u20ac\U0001F600");
}

TEST(Json, WritesWhatItReads) {
  const std::string text =
      R"({"name": "a\"b\\c\n\u0001", "empty": {}, "none": [], "n": [1, -1, 18446744073709551615, 1.0, 0.1, 1e-300]})";
  const Json json = Json::parse(text);
  EXPECT_EQ(json.text(), text);
  EXPECT_EQ(Json::parse(json.text(2)), json);
  EXPECT_EQ(Json::parse("[1, {\"a\": 2}]").text(2), "[\n  1,\n  {\n    \"a\": 2\n  }\n]");
}

TEST(Json, SetReplacesAndKeepsOrder) {
  Json json = Json::object();
  json.set("b", 1);
  json.set("a", "x");
  json.set("b", 2.5f);
  EXPECT_EQ(json.text(), R"({"b": 2.5, "a": "x"})");
}

TEST(Json, WriterRefusesWhatJsonCannotSay) {
  EXPECT_THROW(Json(std::nan("")).text(), ValueError);
  EXPECT_THROW(Json(HUGE_VAL).text(), ValueError);
  EXPECT_THROW(Json("\xff").text(), ValueError);
  EXPECT_THROW(Json(1).string(), ValueError);
  EXPECT_THROW(Json("x").integer(), ValueError);
  EXPECT_THROW(Json(-1).unsigned_integer(), ValueError);
}

struct BadJson {
  const char* text;
  int offset;
  const char* reason;
};

class JsonRefuses : public ::testing::TestWithParam<BadJson> {};

TEST_P(JsonRefuses, WithOffsetAndReason) {
  const BadJson& bad = GetParam();
  const std::string message = message_of<FormatError>([&] { Json::parse(bad.text, "x.json"); });
  EXPECT_CONTAINS(message, "x.json: byte " + std::to_string(bad.offset) + ": ");
  EXPECT_CONTAINS(message, bad.reason);
}

INSTANTIATE_TEST_SUITE_P(
    Table, JsonRefuses,
    ::testing::Values(BadJson{"", 0, "ends where a value"}, BadJson{"  ", 2, "ends where a value"},
                      BadJson{"{\"a\": 1, \"a\": 2}", 9, "\"a\" occurs twice"},
                      BadJson{"{\"a\": 1, \"b\": 0, \"\\u0061\": 2}", 17, "\"a\" occurs twice"},
                      BadJson{"1 2", 2, "something follows"}, BadJson{"[1, 2", 5, "expected , or ]"},
                      BadJson{"[1, ]", 4, "expected a JSON value"}, BadJson{"[1 2]", 3, "expected , or ]"},
                      BadJson{"{\"a\": 1,}", 8, "expected a JSON value"}, BadJson{"{\"a\" 1}", 5, "expected :"},
                      BadJson{"{1: 2}", 1, "expected a string"}, BadJson{"01", 0, "may not start with 0"},
                      BadJson{"-", 1, "expected a digit"}, BadJson{"1.", 2, "expected a digit"},
                      BadJson{"1e", 2, "expected a digit"}, BadJson{".5", 0, "expected a JSON value"},
                      BadJson{"+1", 0, "expected a JSON value"}, BadJson{"NaN", 0, "expected a JSON value"},
                      BadJson{"nul", 0, "expected null"}, BadJson{"tru", 0, "expected true"},
                      BadJson{"-Infinity", 1, "expected a digit"}, BadJson{"\"abc", 0, "does not end"},
                      BadJson{"\"a\nb\"", 2, "control character"}, BadJson{"\"\\x\"", 1, "unknown escape"},
                      BadJson{"\"\\u12g4\"", 3, "four hexadecimal"}, BadJson{"\"\\ud800\"", 1, "surrogate"},
                      BadJson{"\"\\udc00\"", 1, "surrogate"}, BadJson{"\"\\ud800\\u0041\"", 1, "surrogate"},
                      BadJson{"\"\xC0\x80\"", 1, "not UTF-8"}, BadJson{"\"\xED\xA0\x80\"", 1, "not UTF-8"},
                      BadJson{"\"aaaaaaaaa\xF4\x90\x80\x80\"", 10, "not UTF-8"},
                      BadJson{"\"\xE2\x82\"", 1, "not UTF-8"}, BadJson{"// c\n1", 0, "expected a JSON value"}));

// As Python's json.loads.
TEST(Json, NumbersOutsideOfTheRangeAreInfiniteOrZero) {
  EXPECT_EQ(Json::parse("1e400").number(), HUGE_VAL);
  EXPECT_EQ(Json::parse("-1.8e308").number(), -HUGE_VAL);
  EXPECT_EQ(Json::parse("1e-400").number(), 0);
  EXPECT_TRUE(std::signbit(Json::parse("-1e-400").number()));
}

TEST(Json, PythonsDialectHasWordsForNumbers) {
  const auto parse = [](const char* text) { return Json::parse(text, "x.json", JsonDialect::python); };
  const Json row = parse("{\"a\": NaN, \"b\": [Infinity, -Infinity, -1, 2.5], \"c\": null}");
  EXPECT_TRUE(std::isnan(row.at("a").number()));
  EXPECT_EQ(row.at("b").items()[0].number(), HUGE_VAL);
  EXPECT_EQ(row.at("b").items()[1].number(), -HUGE_VAL);
  EXPECT_EQ(row.at("b").items()[2].integer(), -1);
  for (const char* bad : {"nan", "-NaN", "+Infinity", "Inf", "NaN1", "infinity", "Infinityx"})
    EXPECT_THROW(parse(bad), FormatError) << bad;
}

TEST(Json, NamesThatAreNotUtf8CanBeMadeSo) {
  const Json bad = Json::object({{"a\xff", Json::array({"\xc3\x28", "é", 1})}});
  EXPECT_THROW(bad.text(), ValueError);
  EXPECT_EQ(bad.with_valid_utf8().text(), "{\"a\uFFFD\": [\"\uFFFD(\", \"é\", 1]}");
  EXPECT_EQ(with_valid_utf8("\xe2\x82"), "\uFFFD\uFFFD");
}

TEST(Json, LimitsDepth) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_NO_THROW(Json::parse(nested(JsonReader::depth_limit)));
  EXPECT_CONTAINS(message_of<FormatError>([&] { Json::parse(nested(JsonReader::depth_limit + 1)); }), "nested deeper");
  EXPECT_THROW(Json::parse(std::string(1'000'000, '[')), FormatError);
}

TEST(JsonReader, SkipChecksWhatItSkips) {
  JsonReader good(R"({"a": {"x": [1, 2.5, "s", null, true]}, "b": 7})");
  good.begin_object();
  std::string key;
  ASSERT_TRUE(good.next_key(key));
  good.skip();
  ASSERT_TRUE(good.next_key(key));
  EXPECT_EQ(key, "b");
  EXPECT_EQ(good.integer(), 7);
  EXPECT_FALSE(good.next_key(key));
  good.end();

  JsonReader bad(R"({"a": {"x": 1, "x": 2}})");
  bad.begin_object();
  ASSERT_TRUE(bad.next_key(key));
  EXPECT_THROW(bad.skip(), FormatError);
}

TEST(JsonReader, OffsetsCountFromTheFilesStart) {
  JsonReader in("[true]", "f", 8);
  in.begin_array();
  ASSERT_TRUE(in.next_item());
  EXPECT_CONTAINS(message_of<FormatError>([&] { in.integer(); }), "f: byte 9: expected a number");
}

}  // namespace
}  // namespace minima::json_test
