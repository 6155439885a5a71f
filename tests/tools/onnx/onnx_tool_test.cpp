#include "tests/support/expect_error.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

#include <minima/io/onnx/onnx_file.h>
#include <minima/io/tensors/npy.h>
#include <minima/nn/nn.h>
#include <minima/onnx/onnx.h>
#include <minima/ops/ops.h>

#include <gtest/gtest.h>

#include <string>

namespace minima::onnx_tool_test {
namespace {

using test::Outcome;

Outcome run(const std::string& arguments) { return test::run_program("'" MINIMA_ONNX_TOOL "' " + arguments + " 2>&1"); }

TEST(OnnxTool, PrintsInputsOutputsAndOperators) {
  if (!onnx::is_available()) GTEST_SKIP() << "built without protobuf";
  const test::TemporaryFolder folder;
  nn::Sequential net(nn::Linear({.in = 3, .out = 4}), nn::ReLU(), nn::Linear({.in = 4, .out = 2}));
  net.eval();
  const std::string path = folder / "net.onnx";
  onnx::save(path, net, {ones({2, 3})}, {.dynamic = {{"input", 0, "batch"}}});
  const Outcome outcome = run(path);
  EXPECT_EQ(outcome.code, 0);
  for (const char* line :
       {"opset     20, written by minima\n", "input     input  float32 [batch, 3]\n", "FLOPs     44 for [1, 3]\n",
        "output    output  float32 [batch, 2]\n", "weights   4 initializers, 26 elements, 104 bytes\n", "  2  Gemm\n",
        "  1  Relu\n", "onnx::load reads this model\n"})
    EXPECT_CONTAINS(outcome.output, line);
}

TEST(OnnxTool, RunsAModelAndWritesItsOutputs) {
  if (!onnx::is_available()) GTEST_SKIP() << "built without protobuf";
  const test::TemporaryFolder folder;
  nn::ReLU net;
  net.eval();
  const std::string path = folder / "net.onnx";
  onnx::save(path, net, {ones({3})}, {.inputs = {"x"}, .outputs = {"out/y"}});
  // numpy.savez("x.npz", x=numpy.float32([-1, 0, 2.5]))
  const std::string arrays = MINIMA_FIXTURES "/onnx/x.npz", command = path + " --run " + arrays;
  const Outcome outcome = run(command + " --out " + std::string(folder / "given"));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_CONTAINS(outcome.output, "out/y =\n[0.0000, 0.0000, 2.5000]  float32 [3]\n");
  EXPECT_EQ(read_npy(folder / "given/out_y.npy").to_vector<float>(), (std::vector<float>{0, 0, 2.5}));
  onnx::save(path, net, {ones({3})}, {.inputs = {"other"}});
  EXPECT_CONTAINS(run(command).output, "x.npz has no array \"other\", which the model takes");
  EXPECT_EQ(run(path + " --out x").code, 2);
  EXPECT_EQ(run(path + " --size batch").code, 2);
}

TEST(OnnxTool, NamesWhatIsRefused) {
  if (!onnx::is_available()) GTEST_SKIP() << "built without protobuf";
  const test::TemporaryFolder folder;
  onnx::Model model;
  model.opsets[""] = 20;
  model.ir_version = 9;
  model.graph.inputs.push_back({.name = "x"});
  model.graph.outputs.push_back({.name = "y"});
  model.graph.nodes.push_back({.op = "QuantizeLinear", .inputs = {"x"}, .outputs = {"q"}});
  model.graph.nodes.push_back({.op = "Frobnicate", .inputs = {"q"}, .outputs = {"y"}});
  const std::string path = folder / "odd.onnx";
  onnx::write_model(path, model);
  const Outcome outcome = run(path);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_CONTAINS(outcome.output,
                  "refused   1  onnx: QuantizeLinear computes with quantised integers, which minima has not\n");
  EXPECT_CONTAINS(outcome.output, "refused   1  onnx: no operator Frobnicate here\n");
}

TEST(OnnxTool, SaysWhatIsNoModel) {
  const test::TemporaryFolder folder;
  const Outcome outcome = run(folder.file("no.onnx", "text"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_CONTAINS(outcome.output, "minima-onnx: ");
  EXPECT_EQ(run("").code, 2);
  EXPECT_CONTAINS(run("--help").output, "usage: minima-onnx");
}

}  // namespace
}  // namespace minima::onnx_tool_test
