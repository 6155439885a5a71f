#include "tests/nn/toy_modules.h"
#include "tests/support/temporary_folder.h"

#include <minima/io/checkpoint/checkpoint.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/save_load.h>

#include <gtest/gtest.h>

namespace state_dict_test {
namespace {

using namespace minima;
using namespace toy;

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const ValueError& error) {
    return error.what();
  }
  return "no error";
}

struct Model : nn::Module {
  Net net = child("net", Net());
  nn::ListOf<Shift> layers = child("layers", nn::ListOf<Shift>(2));
  nn::Parameter scale = parameter("scale", values({1, 2, 3}));
  Tensor forward(const Tensor& x) { return net(x); }
};

TEST(StateDict, ListsParametersThenPersistentBuffersThenChildren) {
  const Model model;
  EXPECT_EQ(names(model.state_dict().tensors()),
            (Names{"scale", "net.a.bias", "net.a.calls", "net.b.bias", "net.b.calls", "layers.0.bias", "layers.0.calls",
                   "layers.1.bias", "layers.1.calls"}));
}

TEST(StateDict, SharesMemoryAndHasNoHistory) {
  const Model model;
  const Tensor scale = model.state_dict().tensor("scale");
  EXPECT_EQ(scale.raw_data(), model.scale.raw_data());
  EXPECT_FALSE(scale.requires_grad());
}

TEST(StateDict, ListsTiedTensorsUnderEachName) {
  Net net;
  net.b.bias = net.a.bias;
  EXPECT_EQ(names(net.state_dict().tensors()), (Names{"a.bias", "a.calls", "b.bias", "b.calls"}));
}

TEST(LoadStateDict, CopiesValuesIntoTheSameTensors) {
  Model from, to;
  from.scale.data<float>()[1] = 9;
  from.net.a.bias.data<float>()[0] = 7;
  const Tensor before = to.scale;
  EXPECT_TRUE(to.load_state_dict(from.state_dict()).is_clean());
  EXPECT_TRUE(to.scale.is_same(before));
  EXPECT_NE(to.scale.raw_data(), from.scale.raw_data());
  EXPECT_EQ(to.scale.to_vector<float>(), (std::vector<float>{1, 9, 3}));
  EXPECT_EQ(to.net.a.bias.item<float>(), 7);
  EXPECT_TRUE(to.scale.requires_grad() && to.scale.is_leaf());
}

TEST(LoadStateDict, ConvertsDtypes) {
  Shift to;
  State state;
  state.add("bias", tensor<double>({2.5}));
  state.add("calls", tensor<std::int64_t>({3}));
  to.load_state_dict(state);
  EXPECT_EQ(to.bias.dtype(), float32);
  EXPECT_EQ(to.bias.item<float>(), 2.5f);
  EXPECT_EQ(to.calls.item<float>(), 3);
}

State damaged(const Model& model) {
  State state;
  for (const auto& [name, tensor] : model.state_dict().tensors())
    if (name != "net.b.bias") state.add(name, name == "scale" ? values({1, 2}) : values({5}));
  state.add("net.c.bias", values({1}));
  return state;
}

TEST(LoadStateDict, StrictRefusesWithAllDifferencesAndChangesNothing) {
  Model model;
  const std::vector<float> before = model.net.a.bias.to_vector<float>();
  const std::string error = error_of([&] { model.load_state_dict(damaged(model)); });
  EXPECT_EQ(error,
            "load_state_dict: the state does not match Model; nothing was loaded (pass {.strict = false} to load what "
            "fits)\n"
            "  missing: net.b.bias\n"
            "  unexpected: net.c.bias\n"
            "  mismatched: scale is [3] in the module but [2] in the state");
  EXPECT_EQ(model.net.a.bias.to_vector<float>(), before);
}

TEST(LoadStateDict, NamesOfAFileAreReportedPrintably) {
  State state;
  state.add("\x1b]0;owned\x07\n", values({1}));
  const nn::LoadReport report = Model().load_state_dict(state, {.strict = false});
  EXPECT_NE(report.text().find("\n  unexpected: \\x1b]0;owned\\x07\\x0a"), std::string::npos) << report.text();
}

TEST(LoadStateDict, NotStrictLoadsWhatFitsAndReports) {
  Model model;
  const nn::LoadReport report = model.load_state_dict(damaged(model), {.strict = false});
  EXPECT_EQ(report.missing, (Names{"net.b.bias"}));
  EXPECT_EQ(report.unexpected, (Names{"net.c.bias"}));
  ASSERT_EQ(report.mismatched.size(), 1u);
  EXPECT_EQ(report.mismatched[0].name, "scale");
  EXPECT_EQ(report.mismatched[0].expected, Shape({3}));
  EXPECT_EQ(report.mismatched[0].actual, Shape({2}));
  EXPECT_EQ(model.net.a.bias.item<float>(), 5);
  EXPECT_EQ(model.net.b.bias.item<float>(), 10);
  EXPECT_EQ(model.scale.to_vector<float>(), (std::vector<float>{1, 2, 3}));
}

TEST(LoadStateDict, OfItsOwnStateChangesNothing) {
  Model model;
  const std::uint32_t version = model.scale.version();
  model.load_state_dict(model.state_dict());
  EXPECT_EQ(model.scale.version(), version);
}

TEST(ModuleFiles, SaveAndLoadThroughSafetensors) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "model.safetensors";
  nn::Sequential from(Shift(3), Net()), to(Shift(0), Net());
  save(path, from);
  EXPECT_EQ(names(read_safetensors(path).tensors()), names(from.state_dict().tensors()));
  EXPECT_TRUE(load(path, to).is_clean());
  EXPECT_EQ(to.at<Shift>(0).bias.item<float>(), 3);
  Net other;
  const std::string error = error_of([&] { load(path, other); });
  EXPECT_NE(error.find("while loading " + path), std::string::npos) << error;
}

TEST(ModuleFiles, JoinsAStateWithOtherParts) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "run.safetensors";
  const Net net;
  State all;
  all.add("model", net.state_dict());
  all.set_integer("epoch", 3);
  save(path, all);
  Net back;
  back.a.bias.data<float>()[0] = 77;
  const State read = load(path);
  back.load_state_dict(read.sub("model"));
  EXPECT_EQ(back.a.bias.item<float>(), 1);
  EXPECT_EQ(read.integer("epoch"), 3);
}

}  // namespace
}  // namespace state_dict_test
