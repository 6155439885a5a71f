#include <minima/data/loader/loader.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <map>

namespace minima::data::collate_test {
namespace {

using minima::test::message_of;

Tensor row(std::initializer_list<float> values) { return tensor<float>(values); }

struct Named {
  Tensor image;
  std::int64_t label;
  struct Batch {
    Tensor image, label;
  };
};
struct Pair {
  Tensor x, y;
};
struct Mixed {
  Tensor x;
  float weight;
  bool flag;
  std::string name;
};
struct Deep {
  Pair pair;
  std::tuple<std::uint8_t, std::array<Tensor, 2>> rest;
};

static_assert(detail::field_count<Mixed> == 4);
static_assert(std::is_same_v<detail::FieldAt<Mixed, 3>, std::string>);
static_assert(std::is_same_v<detail::Collated<Tensor>, Tensor>);
static_assert(std::is_same_v<detail::Collated<double>, Tensor>);
static_assert(std::is_same_v<detail::Collated<Pair>, Pair>, "a struct of tensors is its own batch");
static_assert(std::is_same_v<detail::Collated<Named>, Named::Batch>, "a struct may name its batch");
static_assert(std::is_same_v<detail::Collated<Mixed>, std::tuple<Tensor, Tensor, Tensor, std::vector<std::string>>>);
static_assert(std::is_same_v<detail::Collated<std::pair<Tensor, int>>, std::tuple<Tensor, Tensor>>);
static_assert(std::is_same_v<detail::Collated<Deep>, std::tuple<Pair, std::tuple<Tensor, std::array<Tensor, 2>>>>);

/// A dataset of samples that a function makes.
template <class F>
struct Made {
  F make;
  std::int64_t count = 4;
  std::int64_t size() const { return count; }
  auto get(std::int64_t index) const { return make(index); }
};
template <class F>
Made(F) -> Made<F>;
template <class F>
Made(F, int) -> Made<F>;

TEST(Collate, StructsBecomeTheirBatch) {
  DataLoader loader(Made{[](std::int64_t i) { return Named{row({static_cast<float>(i), 1}), 10 * i}; }},
                    {.batch_size = 3});
  auto batch = loader.begin();
  EXPECT_EQ(batch->image.to_vector<float>(), (std::vector<float>{0, 1, 1, 1, 2, 1}));
  EXPECT_EQ(batch->image.shape(), (Shape{3, 2}));
  EXPECT_EQ(batch->label.dtype(), DType::int64);
  EXPECT_EQ(batch->label.to_vector<int>(), (std::vector<int>{0, 10, 20}));
  ++batch;
  EXPECT_EQ(batch->label.to_vector<int>(), (std::vector<int>{30}));
}

TEST(Collate, MixedFieldsBecomeATuple) {
  DataLoader loader(
      Made{[](std::int64_t i) { return Mixed{row({1}), 0.5f * static_cast<float>(i), i == 1, std::to_string(i)}; }},
      {.batch_size = 2});
  for (auto& [x, weight, flag, name] : loader) {
    EXPECT_EQ(x.shape(), (Shape{2, 1}));
    EXPECT_EQ(weight.to_vector<float>(), (std::vector<float>{0, 0.5f}));
    EXPECT_EQ(flag.dtype(), DType::boolean);
    EXPECT_EQ(name, (std::vector<std::string>{"0", "1"}));
    break;
  }
}

TEST(Collate, NestsAndTakesPlainTensorsAndNumbers) {
  DataLoader deep(Made{[](std::int64_t i) {
                    const Tensor t = row({static_cast<float>(i)});
                    return Deep{{t, t}, {std::uint8_t(i), {t, t}}};
                  }},
                  {.batch_size = 4, .workers = 1});
  for (auto& [pair, rest] : deep) {
    EXPECT_EQ(pair.y.to_vector<int>(), (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(std::get<0>(rest).dtype(), DType::uint8);
    EXPECT_EQ(std::get<1>(rest)[1].shape(), (Shape{4, 1}));
  }
  DataLoader numbers(Made{[](std::int64_t i) { return static_cast<double>(i); }}, {.batch_size = 4});
  for (auto& batch : numbers) EXPECT_EQ(batch.dtype(), DType::float64);
}

TEST(Collate, RefusesSamplesThatDiffer) {
  DataLoader shapes(Made{[](std::int64_t i) { return empty({i + 1, 2}); }}, {.batch_size = 3});
  EXPECT_CONTAINS(message_of<ShapeError>([&] { shapes.begin(); }),
                  "sample 1 of the batch is float32 [2, 2], sample 0 is float32 [1, 2]");
  DataLoader types(Made{[](std::int64_t i) { return empty({1}, {.dtype = i ? DType::int32 : DType::float32}); }},
                   {.batch_size = 3});
  EXPECT_THROW(types.begin(), DTypeError);
}

TEST(Collate, PadsVariableLengths) {
  const auto sequence = [](std::int64_t i) {
    std::vector<std::int64_t> tokens(static_cast<std::size_t>(i) + 1, i);
    return std::pair(from_vector(tokens, {i + 1}), i);
  };
  DataLoader loader(Made{sequence}, {.batch_size = 3}, PadCollate{{.value = -1, .multiple = 4}});
  for (auto& [tokens, index] : loader) {
    EXPECT_EQ(tokens.shape(), (Shape{3, 4}));
    EXPECT_EQ(tokens.to_vector<int>(), (std::vector<int>{0, -1, -1, -1, 1, 1, -1, -1, 2, 2, 2, -1}));
    break;
  }
  const Tensor wide = from_vector(std::vector<float>{1, 2, 3, 4}, {2, 2}),
               narrow = from_vector(std::vector<float>{5, 6, 7}, {3, 1});
  const Tensor* rows[] = {&wide, &narrow};
  Tensor padded;
  PadTensors{}(rows, padded, false);
  EXPECT_EQ(padded.shape(), (Shape{2, 3, 2}));
  EXPECT_EQ(padded.to_vector<int>(), (std::vector<int>{1, 2, 3, 4, 0, 0, 5, 0, 6, 0, 7, 0}));
  EXPECT_EQ(lengths(std::vector{wide, narrow}).to_vector<int>(), (std::vector<int>{2, 3}));
}

TEST(Collate, TakesAFunctionOfOnesOwn) {
  const auto count_by_parity = [](std::span<std::int64_t> samples) {
    std::map<bool, int> counts;
    for (const std::int64_t sample : samples) ++counts[sample % 2 == 1];
    return counts;
  };
  DataLoader loader(Made{[](std::int64_t i) { return i; }}, {.batch_size = 3, .workers = 2}, count_by_parity);
  auto batch = loader.begin();
  EXPECT_EQ((*batch)[false], 2);
  EXPECT_EQ((*batch)[true], 1);
}

TEST(ReuseOrAllocate, UsesMemoryThatNobodyElseHolds) {
  Tensor x;
  reuse_or_allocate(x, {4, 3}, DType::float32);
  const void* memory = x.raw_data();
  reuse_or_allocate(x, {2, 3}, DType::int64);
  EXPECT_EQ(x.raw_data(), memory) << "smaller, another dtype";
  EXPECT_EQ(x.shape(), (Shape{2, 3}));
  reuse_or_allocate(x, {4, 3}, DType::float32);
  EXPECT_EQ(x.raw_data(), memory);

  const Tensor kept = x;
  reuse_or_allocate(x, {4, 3}, DType::float32);
  EXPECT_NE(x.raw_data(), memory) << "a kept handle keeps its values";
  Tensor view = x.detach();
  memory = x.raw_data();
  reuse_or_allocate(x, {4, 3}, DType::float32);
  EXPECT_NE(x.raw_data(), memory) << "so does a view";
  memory = x.raw_data();
  reuse_or_allocate(x, {400, 3}, DType::float32);
  EXPECT_EQ(x.shape(), (Shape{400, 3}));
}

}  // namespace
}  // namespace minima::data::collate_test
