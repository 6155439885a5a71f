#include <minima/io/tensors/pt.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/nn/save_load.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <string>
#include <vector>

// tests/fixtures/pt/make.py describes the files.

namespace minima::nn::load_pt_test {
namespace {

using test::TemporaryFolder;

const std::string fixtures = MINIMA_FIXTURES "/pt/";

struct Net : ModuleOf<Net> {
  Linear first = child("0", Linear({.in = 2, .out = 3}));
  BatchNorm1d second = child("1", BatchNorm1d({.features = 3}));
  Tensor forward(const Tensor& x) { return second(first(x)); }
};

TEST(LoadPt, TakesCheckpointsAndStateDictsOfPyTorch) {
  for (const char* name : {"checkpoint-2.11.0.pt", "legacy-1.13.1.pt", "parallel.pth", "refused.pt"}) {
    Net net;
    EXPECT_TRUE(load(fixtures + name, net).is_clean()) << name;
    EXPECT_EQ(net.first.weight.to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5})) << name;
    EXPECT_TRUE(net.first.weight.requires_grad());
    EXPECT_EQ(net.second.bias.to_vector<float>(), (std::vector<float>{3, 4, 5})) << name;
  }
}

TEST(LoadPt, AWrapperThatTheModuleHasItselfStays) {
  struct Wrapped : ModuleOf<Wrapped> {
    Net module = child("module", Net());
    Tensor forward(const Tensor& x) { return module(x); }
  };
  Wrapped net;
  load(fixtures + "parallel.pth", net);
  EXPECT_EQ(net.module.first.bias.to_vector<float>(), (std::vector<float>{1, 2, 3}));
}

TEST(LoadPt, ReadsWhatWritePtWrites) {
  const TemporaryFolder folder;
  Net net, other;
  write_pt(folder / "net.pt", net.state_dict());
  load(folder / "net.pt", other);
  EXPECT_EQ(other.first.weight.to_vector<float>(), net.first.weight.to_vector<float>());
}

TEST(LoadPt, ErrorsNameTheFile) {
  Linear net({.in = 2, .out = 2});
  EXPECT_CONTAINS(test::message_of<ValueError>([&] { load(fixtures + "parallel.pth", net); }), "parallel.pth");
}

}  // namespace
}  // namespace minima::nn::load_pt_test
