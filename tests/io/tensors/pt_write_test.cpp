#include <minima/io/archives/zip.h>
#include <minima/io/archives/zip_writer.h>
#include <minima/io/tensors/pt.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include "tests/support/temporary_folder.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace minima::pt_write_test {
namespace {

using test::content_of;
using test::message_of;
using test::TemporaryFolder;
using Values = std::vector<double>;
using Kind = PtValue::Kind;

PtValue there_and_back(const PtValue& value) {
  const std::string bytes = pt_bytes(value);
  return read_pt(std::as_bytes(std::span(bytes.data(), bytes.size())), "bytes");
}

TEST(PtWrite, RoundTripsEveryDtype) {
  PtValue all = PtValue::dict();
  for (int d = 0; d < dtype_count; ++d) {
    const auto dtype = static_cast<DType>(d);
    dispatch<real_and_complex>(dtype, "test", [&]<class T> {
      const T values[6] = {T(0), T(1), T(1), T(0), T(1), T(1)};
      all.set(name(dtype), from_values(values, 6, {2, 3}));
    });
    all.set(str(name(dtype), " itself"), dtype);
  }
  const PtValue back = there_and_back(all);
  for (int d = 0; d < dtype_count; ++d) {
    const auto dtype = static_cast<DType>(d);
    EXPECT_EQ(back.at(name(dtype)).tensor().dtype(), dtype);
    EXPECT_EQ(back.at(name(dtype)).tensor().shape(), (Shape{2, 3}));
    EXPECT_EQ(back.at(name(dtype)).tensor().to(complex128).to_vector<Complex<double>>(),
              all.at(name(dtype)).tensor().to(complex128).to_vector<Complex<double>>());
    EXPECT_EQ(back.at(str(name(dtype), " itself")).dtype(), dtype);
  }
}

TEST(PtWrite, RoundTripsValues) {
  PtValue all = PtValue::dict();
  const std::vector<std::int64_t> integers{0,
                                           255,
                                           256,
                                           -1,
                                           65536,
                                           -(std::int64_t{1} << 31),
                                           std::int64_t{1} << 31,
                                           std::numeric_limits<std::int64_t>::min()};
  PtValue list = PtValue::list();
  for (const std::int64_t integer : integers) list.push_back(integer);
  all.set("integers", list);
  all.set("numbers", PtValue::tuple({0.1, -0.0, std::numeric_limits<double>::infinity()}));
  all.set("none", PtValue());
  all.set("yes", true);
  all.set("text", "café\n");
  all.set("bytes", PtValue::bytes(std::string("\0\x7f\x80\xff", 4)));
  all.set("complex", Complex<double>(1, -2));
  all.set("empty", PtValue::list({PtValue::dict(), PtValue::tuple(), PtValue::list()}));
  all.set("keys", PtValue::dict({{3, "three"}, {PtValue::tuple({1, 2}), "pair"}}));
  const PtValue back = there_and_back(all);
  for (std::size_t i = 0; i < integers.size(); ++i) EXPECT_EQ(back.at("integers").items()[i].integer(), integers[i]);
  EXPECT_EQ(back.at("numbers").kind(), Kind::tuple);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(back.at("numbers").items()[i].number(), all.at("numbers").items()[i].number());
  EXPECT_TRUE(back.at("none").is_none());
  EXPECT_TRUE(back.at("yes").boolean());
  EXPECT_EQ(back.at("text").string(), "café\n");
  EXPECT_EQ(back.at("bytes").bytes(), all.at("bytes").bytes());
  EXPECT_EQ(back.at("complex").complex().im, -2);
  EXPECT_EQ(back.at("empty").items()[1].kind(), Kind::tuple);
  EXPECT_EQ(back.at("keys").at(3).string(), "three");
}

TEST(PtWrite, RoundTripsAState) {
  const TemporaryFolder folder;
  State state;
  state.add("layers.0.weight", tensor<float>({1, 2, 3}));
  state.set_integer("epoch", 3);
  state.set_number("lr", 0.125);
  state.set_text("version", "1.0");
  state.set_text("zip", "01234");
  write_pt(folder / "x.pt", state);
  const PtValue file = read_pt(folder / "x.pt");
  EXPECT_EQ(file.at("epoch").integer(), 3);
  EXPECT_EQ(file.at("lr").number(), 0.125);
  EXPECT_EQ(file.at("zip").string(), "01234") << "not the same text as 1234";
  const State back = read_pt_state(folder / "x.pt");
  EXPECT_EQ(back.tensor("layers.0.weight").to_vector<float>(), (std::vector<float>{1, 2, 3}));
  for (const auto& [name, text] : state.texts()) EXPECT_EQ(back.text(name), text) << name;
}

TEST(PtWrite, SharedStoragesStaySharedAndUnusedPartsAreLeftOut) {
  const Tensor large = arange(100000, {.dtype = float32});
  const Tensor matrix = view(slice(large, 0, 1000, 1012), {3, 4});
  const PtValue value = PtValue::list({matrix, transpose(matrix, 0, 1), select(matrix, 0, 1)});
  EXPECT_LT(pt_bytes(value).size(), 4000u);
  const PtValue back = there_and_back(value);
  const Tensor first = back.items()[0].tensor();
  EXPECT_EQ(first.to_vector<double>()[11], 1011);
  EXPECT_EQ(back.items()[1].tensor().strides(), (Strides{1, 4}));
  first.data<float>()[5] = -1;
  EXPECT_EQ(back.items()[1].tensor().to_vector<double>()[4], -1);
  EXPECT_EQ(back.items()[2].tensor().to_vector<double>(), (Values{1004, -1, 1006, 1007}));
}

TEST(PtWrite, ALoneViewWithGapsIsWrittenWithoutThem) {
  const Tensor column = select(view(arange(100000, {.dtype = float32}), {1000, 100}), 1, 3);
  EXPECT_LT(pt_bytes(column).size(), 6000u);
  const Tensor back = there_and_back(column).tensor();
  EXPECT_TRUE(back.is_contiguous());
  EXPECT_EQ(back.to_vector<double>()[999], 99903);
  const Tensor expanded = there_and_back(expand(tensor<float>({7}), {5, 1})).tensor();
  EXPECT_EQ(expanded.strides()[0], 0);
  const Tensor channels_last = empty(Layout::channels_last({2, 3, 4, 5}));
  EXPECT_EQ(there_and_back(channels_last).tensor().strides(), channels_last.strides());
}

TEST(PtWrite, EmptyTensorsAndRankZero) {
  const PtValue back = there_and_back(PtValue::list({empty({0, 3}), scalar_tensor(2.5)}));
  EXPECT_EQ(back.items()[0].tensor().shape(), (Shape{0, 3}));
  EXPECT_EQ(back.items()[1].tensor().item<double>(), 2.5);
}

TEST(PtWrite, IsDeterministicAlignedAndAtomic) {
  const TemporaryFolder folder;
  const PtValue value = PtValue::list({tensor<float>({1}), tensor<double>({1, 2}), tensor({true})});
  write_pt(folder / "a.pt", value);
  EXPECT_EQ(content_of(folder / "a.pt"), pt_bytes(value));
  const std::string bytes = pt_bytes(value);
  const ZipArchive archive(std::as_bytes(std::span(bytes.data(), bytes.size())), "a.pt");
  for (const ZipArchive::Member& member : archive.members())
    if (member.name.starts_with("archive/data/")) {
      EXPECT_EQ(member.data % 64, 0u) << member.name;
    }
  EXPECT_THROW(write_pt(folder / "a.pt", PtValue("\xff")), ValueError);
  EXPECT_EQ(content_of(folder / "a.pt"), bytes) << "the old file stays";
}

TEST(PtWrite, RefusesWhatItCannotWrite) {
  PtValue deep = 1;
  for (int i = 0; i < 101; ++i) deep = PtValue::list({deep});
  EXPECT_CONTAINS(message_of<ValueError>([&] { pt_bytes(deep); }), "nested deeper than 100 levels");
  EXPECT_CONTAINS(message_of<ValueError>([] { PtValue(~std::uint64_t{0}); }), "does not fit a 64-bit integer");
  EXPECT_CONTAINS(message_of<ValueError>([] { const PtValue undefined{Tensor()}; }), "undefined");
  EXPECT_CONTAINS(message_of<ValueError>([] { PtValue(1).string(); }), "expected string, found integer");
  EXPECT_CONTAINS(message_of<ValueError>([] { PtValue::dict({{"a", 1}}).at("b"); }), "no \"b\" among 1: a");
  EXPECT_CONTAINS(message_of<ValueError>([] { PtValue::dict({{PtValue::tuple(), 1}}).state(); }),
                  "a dict's key that is a tuple is no name");
}

TEST(PtWrite, WritesModulesOfLibTorch) {
  const TemporaryFolder folder;
  State state;
  state.add("fc.weight", tensor<float>({1, 2}));
  state.add("fc.bias", tensor<float>({3}));
  state.add("scale", tensor<float>({4}));
  state.set_integer("epoch", 3);
  write_pt(folder / "x.pt", state, {.as_modules = true});
  const std::string bytes = content_of(folder / "x.pt");
  EXPECT_CONTAINS(bytes, "__annotations__[\"fc\"] = __torch__.___torch_mangle_0.Module\n");
  EXPECT_CONTAINS(bytes, "__annotations__[\"epoch\"] = int\n");
  const State back = read_pt_state(folder / "x.pt");
  ASSERT_EQ(back.tensors().size(), 3u);
  EXPECT_EQ(back.tensor("fc.weight").to_vector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(back.integer("epoch"), 3);

  const auto message = [](const PtValue& value) {
    return message_of<ValueError>([&] { pt_bytes(value, {.as_modules = true}); });
  };
  EXPECT_CONTAINS(message(PtValue::dict({{"a", PtValue::list({PtValue("text")})}})),
                  "lists in LibTorch's modules are of tensors, integers, numbers or booleans only");
  EXPECT_CONTAINS(message(PtValue::dict({{1, 2}})), "a key of the kind integer is not");
  EXPECT_CONTAINS(message(PtValue::dict({{"a\"b", 2}})), "no module of LibTorch's may have the name a\"b");
  EXPECT_CONTAINS(message(tensor<float>({1})), "a tensor alone is called \"0\"");
  state.add("fc", tensor<float>({4}));
  EXPECT_CONTAINS(message_of<ValueError>([&] { write_pt(folder / "x.pt", state, {.as_modules = true}); }),
                  "fc is both a module and something in one");
}

/// Runs in CTest with the label `python`; MINIMA_TORCH_PYTHON is the Python that has PyTorch, `python3` by default.
TEST(PythonPt, PyTorchLoadsItWithWeightsOnly) {
  const char* const given = std::getenv("MINIMA_TORCH_PYTHON");
  const std::string python = given ? given : "python3";
  if (std::system(("'" + python + "' -c 'import torch; torch.load' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "PyTorch is not installed; MINIMA_TORCH_PYTHON names the Python that has it";
  const TemporaryFolder folder;
  const Tensor x = arange(6, {.dtype = float32});
  write_pt(folder / "x.pt", PtValue::dict({{"x", view(x, {2, 3})}, {"row", slice(x, 0, 3, 6)}, {"epoch", 3}}));
  folder.file("check.py",
              "import sys, torch\n"
              "x = torch.load(sys.argv[1], weights_only=True)\n"
              "assert torch.equal(x['x'], torch.arange(6.).view(2, 3)) and x['epoch'] == 3\n"
              "x['x'][1, 0] = 30\n"
              "assert x['row'].tolist() == [30, 4, 5]\n");
  EXPECT_EQ(std::system(("'" + python + "' '" + folder / "check.py" + "' '" + folder / "x.pt" + "'").c_str()), 0);
}

}  // namespace
}  // namespace minima::pt_write_test
