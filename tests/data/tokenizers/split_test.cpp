#include <minima/data/tokenizers/split.h>

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace minima::data::split_test {
namespace {

std::vector<std::string> pieces(SplitPattern pattern, std::string_view text) {
  std::vector<std::string> found;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = detail::piece_end(pattern, text, begin);
    found.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return found;
}

using Pieces = std::vector<std::string>;

#ifdef MINIMA_HAVE_UTF8PROC

// The pieces are those of the regular expressions, as PyPI's `regex` 2026 finds them.
constexpr std::string_view mixed =
    "I'Ll it's  3.14159  x=12345;\n\n  na\303\257ve \346\274\242\345\255\227\343\201\213\343\201\252 "
    "\355\225\234\352\265\255\354\226\264 \340\244\250\340\244\256\340\244\270\340\245\215\340\244\244\340\245\207 "
    "\342\205\247\302\275\302\240\343\200\200end!?\r\n\t '\305\277 \360\237\221\215\360\237\217\275\n";

TEST(SplitPattern, Gpt2CutsAsItsRegularExpression) {
  EXPECT_EQ(pieces(SplitPattern::gpt2, mixed), (Pieces{"I",
                                                       "'",
                                                       "Ll",
                                                       " it",
                                                       "'s",
                                                       " ",
                                                       " 3",
                                                       ".",
                                                       "14159",
                                                       " ",
                                                       " x",
                                                       "=",
                                                       "12345",
                                                       ";",
                                                       "\n\n ",
                                                       " na\303\257ve",
                                                       " \346\274\242\345\255\227\343\201\213\343\201\252",
                                                       " \355\225\234\352\265\255\354\226\264",
                                                       " \340\244\250\340\244\256\340\244\270",
                                                       "\340\245\215",
                                                       "\340\244\244",
                                                       "\340\245\207",
                                                       " \342\205\247\302\275",
                                                       "\302\240",
                                                       "\343\200\200",
                                                       "end",
                                                       "!?",
                                                       "\r\n\t",
                                                       " '",
                                                       "\305\277",
                                                       " \360\237\221\215\360\237\217\275",
                                                       "\n"}));
}

const Pieces llama3_begin{"I", "'Ll", " it", "'s", " ", " ", "3", "."};
const Pieces llama3_end{" ",
                        " na\303\257ve",
                        " \346\274\242\345\255\227\343\201\213\343\201\252",
                        " \355\225\234\352\265\255\354\226\264",
                        " \340\244\250\340\244\256\340\244\270",
                        "\340\245\215\340\244\244",
                        "\340\245\207",
                        " "};
const Pieces llama3_last{
    "\302\240", "\343\200\200end", "!?\r\n", "\t", " '", "\305\277", " \360\237\221\215\360\237\217\275\n"};

Pieces joined(std::initializer_list<Pieces> lists) {
  Pieces all;
  for (const Pieces& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

TEST(SplitPattern, Llama3CutsAsItsRegularExpression) {
  EXPECT_EQ(pieces(SplitPattern::llama3, mixed), joined({llama3_begin,
                                                         {"141", "59", " ", " x", "=", "123", "45", ";\n\n"},
                                                         llama3_end,
                                                         {"\342\205\247\302\275"},
                                                         llama3_last}));
}

TEST(SplitPattern, Qwen2CutsNumbersIntoDigits) {
  EXPECT_EQ(pieces(SplitPattern::qwen2, mixed),
            joined({llama3_begin,
                    {"1", "4", "1", "5", "9", " ", " x", "=", "1", "2", "3", "4", "5", ";\n\n"},
                    llama3_end,
                    {"\342\205\247", "\302\275"},
                    llama3_last}));
}

TEST(SplitPattern, ContractionsOfLlama3IgnoreCase) {
  EXPECT_EQ(pieces(SplitPattern::llama3, "we'RE x'D I'\305\277"), (Pieces{"we", "'RE", " x", "'D", " I", "'\305\277"}));
  EXPECT_EQ(pieces(SplitPattern::gpt2, "we'RE it'"), (Pieces{"we", "'", "RE", " it", "'"}));
}

#endif

TEST(SplitPattern, WhiteSpaceBeforeAWordLeavesItsLastCharacter) {
  EXPECT_EQ(pieces(SplitPattern::gpt2, "a   b"), (Pieces{"a", "  ", " b"}));
  EXPECT_EQ(pieces(SplitPattern::gpt2, "a\n\nb"), (Pieces{"a", "\n", "\n", "b"}));
  EXPECT_EQ(pieces(SplitPattern::gpt2, "a  "), (Pieces{"a", "  "}));
  EXPECT_EQ(pieces(SplitPattern::llama3, "a \n \n  b"), (Pieces{"a", " \n \n", " ", " b"}));
}

TEST(SplitPattern, BytesThatAreNotUtf8ArePunctuation) {
  for (const SplitPattern pattern : {SplitPattern::gpt2, SplitPattern::llama3, SplitPattern::qwen2})
    EXPECT_EQ(pieces(pattern, "ab\xff\xfe cd\xe2\x82"), (Pieces{"ab", "\xff\xfe", " cd", "\xe2\x82"}));
}

TEST(SplitPattern, NoneIsOnePiece) { EXPECT_EQ(pieces(SplitPattern::none, "a b\nc"), Pieces{"a b\nc"}); }

}  // namespace
}  // namespace minima::data::split_test
