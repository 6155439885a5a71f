#include <minima/io/tensors/pt.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include "tests/support/temporary_folder.h"

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// tests/fixtures/pt/make.py wrote the files with PyTorch, make_libtorch.cpp those of LibTorch.

namespace minima::pt_test {
namespace {

using test::content_of;
using test::message_of;
using test::TemporaryFolder;
using Values = std::vector<double>;
using Kind = PtValue::Kind;

const std::string fixtures = MINIMA_FIXTURES "/pt/";

Values values(const PtValue& value) { return value.tensor().to_vector<double>(); }

/// The same checkpoint, written by several versions.
class Checkpoint : public testing::TestWithParam<const char*> {
 protected:
  const PtValue file_ = read_pt(fixtures + GetParam());
};

TEST_P(Checkpoint, HoldsAStateDict) {
  const PtValue& model = file_.at("model");
  ASSERT_EQ(model.entries().size(), 7u);
  EXPECT_EQ(model.entries()[0].first.string(), "0.weight");
  EXPECT_EQ(values(model.at("0.weight")), (Values{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(model.at("0.weight").tensor().shape(), (Shape{3, 2}));
  EXPECT_EQ(values(model.at("1.bias")), (Values{3, 4, 5}));
  EXPECT_EQ(model.at("1.num_batches_tracked").tensor().dtype(), int64);
  EXPECT_EQ(model.at("1.num_batches_tracked").tensor().rank(), 0);
}

TEST_P(Checkpoint, HoldsAnOptimizersState) {
  const PtValue& optimizer = file_.at("optimizer");
  EXPECT_EQ(values(optimizer.at("state").at(2).at("exp_avg")), (Values{20, 21, 22}));
  EXPECT_EQ(values(optimizer.at("state").at(0).at("step")), (Values{5}));
  const PtValue& group = optimizer.at("param_groups").items().at(0);
  EXPECT_EQ(group.at("lr").number(), 0.125);
  EXPECT_EQ(group.at("betas").kind(), Kind::tuple);
  EXPECT_EQ(group.at("betas").items()[1].number(), 0.75);
  EXPECT_FALSE(group.at("amsgrad").boolean());
  EXPECT_EQ(group.at("params").items()[3].integer(), 3);
}

TEST_P(Checkpoint, ViewsShareTheirStorage) {
  const PtValue& views = file_.at("views");
  const Tensor base = views.at("base").tensor();
  EXPECT_EQ(base.to_vector<int>(), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  base.data<double>()[6] = 100;
  EXPECT_EQ(values(views.at("row")), (Values{4, 5, 100, 7}));
  EXPECT_EQ(values(views.at("column")), (Values{2, 100, 10}));
  EXPECT_EQ(values(views.at("transposed")), (Values{0, 4, 8, 1, 5, 9, 2, 100, 10, 3, 7, 11}));
  EXPECT_EQ(values(views.at("expanded")), (Values{1, 1, 1, 1}));
  EXPECT_EQ(views.at("expanded").tensor().strides(), (Strides{0, 0}));
  EXPECT_EQ(views.at("empty").tensor().shape(), (Shape{0, 3}));
  EXPECT_EQ(values(views.at("parameter")), (Values{0, 1}));
}

TEST_P(Checkpoint, HoldsEveryDtype) {
  for (const auto& [name, value] : file_.at("dtypes").entries()) {
    const Tensor x = value.tensor();
    EXPECT_EQ(str(x.dtype()), name.string() == "int16" ? "int32" : name.string());
    if (is_complex(x.dtype())) EXPECT_EQ(x.to(complex128).to_vector<Complex<double>>()[2].re, 1);
    else EXPECT_EQ(x.to_vector<double>(), (Values{0, 1, 1})) << name.string();
  }
}

TEST_P(Checkpoint, HoldsPythonsValues) {
  const PtValue& all = file_.at("values");
  EXPECT_EQ(all.at("epoch").integer(), 3);
  EXPECT_EQ(all.at("minus").integer(), -70000);
  EXPECT_EQ(all.at("wide").integer(), std::int64_t{1} << 40);
  EXPECT_EQ(all.at("wider").number(), std::ldexp(1, 64));
  EXPECT_EQ(all.at("half").number(), 0.5);
  EXPECT_TRUE(all.at("yes").boolean());
  EXPECT_FALSE(all.at("no").boolean());
  EXPECT_TRUE(all.at("none").is_none());
  EXPECT_EQ(all.at("name").string(), "café");
  EXPECT_EQ(all.at("list").items()[1].string(), "two");
  EXPECT_EQ(all.at("list").items()[2].items()[0].number(), 3);
  EXPECT_EQ(all.at("tuple").kind(), Kind::tuple);
  EXPECT_EQ(all.at("size").kind(), Kind::tuple);
  EXPECT_EQ(all.at("size").items()[1].integer(), 3);
  EXPECT_EQ(all.at("dtype").dtype(), float16);
  EXPECT_EQ(all.at("short").dtype(), int32);
  EXPECT_EQ(all.at("device").string(), "cuda:1");
  EXPECT_EQ(all.at("complex").complex().im, 2);
  EXPECT_EQ(all.at("bytes").bytes(), std::string("\0\xff", 2));
  EXPECT_EQ(all.at("set").items()[0].integer(), 7);
  EXPECT_EQ(all.at("namespace").at("lr").number(), 0.5);
  EXPECT_EQ(all.at("counter").at("a").integer(), 2);
  EXPECT_EQ(all.at(7).string(), "integer key");
  EXPECT_EQ(all.entries().back().first.items()[1].integer(), 2);
}

INSTANTIATE_TEST_SUITE_P(Pt, Checkpoint,
                         testing::Values("checkpoint-1.13.1.pt", "checkpoint-2.11.0.pt", "legacy-1.13.1.pt",
                                         "legacy-2.11.0.pt"));

TEST(Pt, ReadsOtherPickleProtocolsDeflatedAndBigEndianFiles) {
  for (const char* name : {"protocol5.pt", "deflated.pt", "big-endian.pt"}) {
    const PtValue file = read_pt(fixtures + name);
    EXPECT_EQ(values(file.at("x")), (Values{0, 1, 2})) << name;
    EXPECT_EQ(values(file.at("y")), (Values{0, 1, 2, 3})) << name;
  }
  EXPECT_EQ(read_pt(fixtures + "protocol5.pt").at("text").string(), std::string(300, 'x'));
  EXPECT_EQ(read_pt(fixtures + "protocol5.pt").at("bytes").bytes(), "ab");
}

TEST(Pt, ReadsTheTarArchivesOfTheFirstVersions) {
  const PtValue file = read_pt(fixtures + "oldest.pt");
  EXPECT_EQ(values(file.at("matrix")), (Values{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values(file.at("part")), (Values{3, 5}));
  file.at("matrix").tensor().data<float>()[3] = 30;
  EXPECT_EQ(values(file.at("part")), (Values{30, 5}));
}

TEST(Pt, WidensUnsignedIntegers) {
  const PtValue file = read_pt(fixtures + "unsigned.pt");
  EXPECT_EQ(file.at("uint16").tensor().dtype(), int32);
  for (const char* name : {"uint32", "uint64"}) EXPECT_EQ(file.at(name).tensor().dtype(), int64);
  for (const auto& [name, value] : file.entries()) EXPECT_EQ(values(value), (Values{1, 2}));
}

TEST(Pt, ReadsNumPysScalarsAndFilesWithoutChecksums) {
  EXPECT_EQ(read_pt(fixtures + "numpy.pt").at("best").number(), 0.5);
  EXPECT_EQ(read_pt(fixtures + "numpy.pt").at("step").integer(), 7);
  EXPECT_EQ(values(read_pt(fixtures + "no-checksums.pt").at("a")), (Values{0, 1, 2, 3, 4}));
}

TEST(Pt, ReadsModulesOfTorchScript) {
  const State state = read_pt_state(fixtures + "scripted.pt");
  EXPECT_EQ(state.tensor("net.1.weight").to_vector<double>(), (Values{2, 3, 4}));
  EXPECT_EQ(state.number("scale"), 2);
  EXPECT_EQ(state.tensors().size(), 7u);
}

TEST(Pt, ReadsWhatLibTorchWrites) {
  const State module = read_pt_state(fixtures + "libtorch-module.pt");
  EXPECT_EQ(module.tensors().size(), 9u);
  EXPECT_EQ(module.tensor("fc.weight").to_vector<double>(), (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(module.tensor("bn.running_var").to_vector<double>(), (Values{1, 1, 1}));
  EXPECT_EQ(module.tensor("buf").dtype(), int64);
  const PtValue adam = read_pt(fixtures + "libtorch-adam.pt");
  EXPECT_EQ(adam.at("state").entries().size(), 5u);
  EXPECT_EQ(adam.at("state").entries()[0].second.at("step").integer(), 1);
  EXPECT_EQ(adam.at("param_groups").at("param_groups/0").at("options").at("lr").number(), 0.125);
}

TEST(Pt, MapsAlignedDataAndCopiesOnRequest) {
  const TemporaryFolder folder;
  const std::string content = content_of(fixtures + "checkpoint-2.11.0.pt"), path = folder.file("x.pt", content);
  const Tensor mapped = read_pt(path).at("model").at("0.weight").tensor();
  mapped.data<float>()[0] = 5;
  EXPECT_EQ(content_of(path), content) << "the mapping is private";
  EXPECT_EQ(read_pt(path, {.copy = true}).at("model").at("0.weight").tensor().data<float>()[0], 0);
  for (const auto& [name, value] : read_pt(path).at("dtypes").entries())
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(value.tensor().raw_data()) % value.tensor().itemsize(), 0u);
}

TEST(Pt, ReadsFromMemory) {
  std::string content = content_of(fixtures + "legacy-1.13.1.pt");
  const PtValue file = read_pt(std::as_bytes(std::span(content.data(), content.size())), "memory");
  content.assign(content.size(), 'x');
  EXPECT_EQ(values(file.at("model").at("0.bias")), (Values{1, 2, 3}));
}

TEST(Pt, ChecksumsAreVerifiedUnlessTurnedOff) {
  const TemporaryFolder folder;
  std::string content = content_of(fixtures + "checkpoint-2.11.0.pt");
  const Tensor x = read_pt(fixtures + "checkpoint-2.11.0.pt", {.copy = true}).at("views").at("base").tensor();
  const auto at = content.find(std::string(static_cast<const char*>(x.raw_data()), 96));
  ASSERT_NE(at, std::string::npos);
  content[at + 8] ^= 1;
  const std::string path = folder.file("x.pt", content);
  for (const bool copy : {false, true}) {
    EXPECT_CONTAINS(message_of<FormatError>([&] { read_pt(path, {.copy = copy}); }), "wrong checksum");
    EXPECT_NE(values(read_pt(path, {.copy = copy, .verify = false}).at("views").at("base"))[1], 1);
  }
}

TEST(PtState, FindsTheStateDict) {
  for (const char* name : {"checkpoint-1.13.1.pt", "legacy-2.11.0.pt"}) {
    const State state = read_pt_state(fixtures + name);
    EXPECT_EQ(state.tensors().size(), 7u);
    EXPECT_EQ(state.tensor("1.weight").to_vector<double>(), (Values{2, 3, 4}));
  }
}

TEST(PtState, TakesAKeyAndAPrefix) {
  const State optimizer = read_pt_state(fixtures + "checkpoint-2.11.0.pt", {.key = "optimizer"});
  EXPECT_EQ(optimizer.tensor("state.1.exp_avg").to_vector<double>(), (Values{10, 11, 12}));
  EXPECT_EQ(optimizer.number("param_groups.0.lr"), 0.125);
  EXPECT_EQ(optimizer.integer("param_groups.0.amsgrad"), 0);
  EXPECT_EQ(read_pt_state(fixtures + "checkpoint-2.11.0.pt", {.key = "views.base"}).tensor("0").numel(), 12);
  EXPECT_CONTAINS(
      message_of<FormatError>([] { read_pt_state(fixtures + "checkpoint-2.11.0.pt", {.key = "views.ema"}); }),
      "the file has no \"ema\"");
  const State parallel = read_pt_state(fixtures + "parallel.pth", {.prefix = "module."});
  EXPECT_EQ(parallel.tensors()[0].name, "0.weight");
}

TEST(PtState, LooksAtNothingElse) {
  EXPECT_EQ(read_pt_state(fixtures + "refused.pt").tensors().size(), 7u);
  EXPECT_CONTAINS(message_of<FormatError>([] { read_pt(fixtures + "refused.pt"); }),
                  "refused.pt: archive/data.pkl: byte 712: the file holds a posix.system; only tensors, numbers, "
                  "strings, lists, dicts and the like are read, and no code is run");
}

TEST(PtState, IsWhatLoadReads) {
  const TemporaryFolder folder;
  write_pt(folder / "run.pt", PtValue::dict({{"model", read_pt(fixtures + "checkpoint-2.11.0.pt").at("model")},
                                             {"optimizer", read_pt(fixtures + "legacy-2.11.0.pt").at("optimizer")},
                                             {"epoch", 3}}));
  const State all = load(folder / "run.pt");
  EXPECT_EQ(all.sub("model").tensors().size(), 7u);
  EXPECT_EQ(all.sub("optimizer").tensor("state.0.step").item<float>(), 5);
  EXPECT_EQ(all.integer("epoch"), 3);
  EXPECT_EQ(load(fixtures + "libtorch-module.pt").tensor("extra").numel(), 4);
  EXPECT_CONTAINS(message_of<FormatError>([] { load(fixtures + "checkpoint-2.11.0.pt"); }),
                  "a dict's key that is a tuple is no name");
}

}  // namespace
}  // namespace minima::pt_test
