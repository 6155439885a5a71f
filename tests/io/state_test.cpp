#include <minima/io/state.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/io/counter.h>
#include <minima/io/name_hash.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include "tests/support/temporary_folder.h"

#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>

namespace minima::state_test {
namespace {

using test::message_of;

TEST(State, ACounterIsRefusedIfItCannotCountOn) {
  State state;
  for (const std::int64_t value : {INT64_C(0), INT64_C(7), INT64_C(1) << 53}) {
    state.set_integer("step", value);
    EXPECT_EQ(detail::counter(state, "step"), value);
  }
  for (const std::int64_t value : {INT64_C(-1), (INT64_C(1) << 53) + 1, INT64_MAX, INT64_MIN}) {
    state.set_integer("step", value);
    EXPECT_CONTAINS(message_of<ValueError>([&] { detail::counter(state, "step"); }),
                    "State: \"step\" must be from 0 to ");
  }
  state.set_integer("step", 8);
  EXPECT_THROW(detail::counter(state, "step", 7), ValueError);
}

TEST(State, KeepsOrderAndFindsByName) {
  State state;
  for (int i = 0; i < 1000; ++i) state.add(str("t", i), scalar_tensor(i));
  EXPECT_EQ(state.tensors()[999].name, "t999");
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(state.tensor(str("t", i)).item<int>(), i);
  EXPECT_EQ(state.find("t1000"), nullptr);
  EXPECT_TRUE(state.tensor("t5").is_same(state.tensors()[5].tensor));
}

// CPython 3.11's hash() under PYTHONHASHSEED=0, whose key is 0.
TEST(State, NamesAreHashedBySipHash) {
  EXPECT_EQ(detail::sip_hash("a", 0, 0), 0x407448d2b89b1813);
  EXPECT_EQ(detail::sip_hash("layers.0", 0, 0), 0xa4a377e7a259b3ac);
  EXPECT_EQ(detail::sip_hash("model.layers.0.weight", 0, 0), 0xcc30a428d434e57);
  EXPECT_EQ(detail::name_hash("layers.0"), detail::name_hash(std::string("layers.0")));
}

/// Names of 16 letters and digits that all have the same std::hash, the MurmurHash64A of libstdc++, whose seed is
/// known.
std::vector<std::string> colliding_names(std::size_t count) {
  constexpr std::uint64_t multiplier = 0xc6a4a7935bd1e995, hash_seed = 0xc70f6907, wanted_hash = 12345;
  const auto mix = [](std::uint64_t v) { return v ^ v >> 47; };
  std::uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - multiplier * inverse;
  std::vector<std::string> names;
  const auto is_plain = [](std::uint64_t bytes) {
    for (; bytes; bytes >>= 8)
      if (const char c = static_cast<char>(bytes & 255u); c < ' ' || c > '~' || c == '"' || c == '\\') return false;
    return true;
  };
  for (std::uint64_t tried = 0; names.size() < count; ++tried) {
    std::uint64_t half[2] = {};
    for (std::size_t i = 0; i < 8; ++i)
      half[0] |= std::uint64_t(static_cast<unsigned char>("abcdefghijklmnopqrstuvwxyz012345"[tried >> (5 * i) & 31u]))
                 << (8 * i);
    const std::uint64_t hash = ((hash_seed ^ 16 * multiplier) ^ mix(half[0] * multiplier) * multiplier) * multiplier;
    half[1] = mix(((wanted_hash * inverse) ^ hash) * inverse) * inverse;
    if (half[1] >> 56 != 0 && is_plain(half[1])) names.emplace_back(reinterpret_cast<const char*>(half), 16);
  }
  return names;
}

TEST(State, NamesOfOneHashTakeNoLongerThanOthers) {
  constexpr std::size_t sample_count = 6'000;
  const std::vector<std::string> colliding = colliding_names(sample_count);
  ASSERT_EQ(std::hash<std::string>()(colliding[0]), std::hash<std::string>()(colliding[1]));
  std::vector<std::string> ordinary;
  for (std::size_t i = 0; i < sample_count; ++i) ordinary.push_back(str("model.layer", i));
  const auto seconds = [](const std::vector<std::string>& names) {
    const std::clock_t start = std::clock();
    const Tensor tensor = scalar_tensor(0);
    State state;
    for (const std::string& name : names) {
      state.add(name, tensor);
      state.set_text(name, "");
    }
    for (const std::string& name : names) EXPECT_NE(state.find(name), nullptr);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  const double usual = seconds(ordinary);
  EXPECT_LT(seconds(colliding), 10 * usual + 0.2);
}

TEST(State, ValuesAreExact) {
  State state;
  state.set_integer("i", std::numeric_limits<std::int64_t>::min());
  state.set_unsigned("u", std::numeric_limits<std::uint64_t>::max());
  state.set_number("n", 0.1);
  state.set_number("inf", -HUGE_VAL);
  state.set_number("nan", std::nan(""));
  state.set_text("t", "a");
  state.set_text("t", "b");
  EXPECT_EQ(state.integer("i"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(state.unsigned_integer("u"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(state.number("n"), 0.1);
  EXPECT_EQ(state.number("inf"), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(state.number("nan")));
  EXPECT_EQ(state.text("t"), "b");
  EXPECT_EQ(state.texts().size(), 6u);
}

TEST(State, JoinsAndSplitsByPrefix) {
  State layer;
  layer.add("weight", scalar_tensor(1));
  layer.set_integer("step", 7);
  State all;
  all.add("model", layer);
  all.add("models", layer);
  all.add("", layer);
  EXPECT_TRUE(all.find("model.weight") && all.find("models.weight") && all.find("weight"));
  const State back = all.sub("model");
  EXPECT_EQ(back.tensors().size(), 1u);
  EXPECT_TRUE(back.tensor("weight").is_same(layer.tensor("weight")));
  EXPECT_EQ(back.integer("step"), 7);
  EXPECT_TRUE(all.sub("absent").empty());
}

TEST(State, ErrorsNameWhatIsWrong) {
  State state;
  state.add("a.weight", scalar_tensor(1));
  state.set_text("word", "1x");
  EXPECT_CONTAINS(message_of<ValueError>([&] { state.tensor("b"); }), "no tensor \"b\" among 1: a.weight");
  EXPECT_CONTAINS(message_of<ValueError>([&] { state.integer("epoch"); }), "no value \"epoch\"");
  EXPECT_CONTAINS(message_of<ValueError>([&] { state.integer("word"); }), "\"1x\", not a 64-bit integer");
  EXPECT_CONTAINS(message_of<ValueError>([&] { state.add("a.weight", scalar_tensor(2)); }),
                  "there already is a tensor \"a.weight\"");
  EXPECT_THROW(state.add("c", Tensor()), ValueError);
  EXPECT_THROW(state.add("", scalar_tensor(1)), ValueError);
}

TEST(Checkpoint, RestoresAGenerator) {
  const test::TemporaryFolder folder;
  RandomGenerator source(0xFFFF'FFFF'FFFF'FFFFu);
  source.reserve(12345);
  State state;
  state.add("generator", state_dict(source));
  save(folder / "run.safetensors", state);
  RandomGenerator restored;
  load_state_dict(restored, load(folder / "run.safetensors").sub("generator"));
  EXPECT_EQ(restored.state().seed, source.state().seed);
  EXPECT_EQ(restored.state().offset, 12345u);
}

}  // namespace
}  // namespace minima::state_test
