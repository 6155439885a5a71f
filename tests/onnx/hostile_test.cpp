#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

#include <minima/autograd/mode.h>
#include <minima/io/onnx/onnx_file.h>
#include <minima/nn/nn.h>
#include <minima/onnx/onnx.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>

// Files that are wrong, absurd or mean harm, and modules that ONNX cannot say: one clear error each.

namespace minima::onnx::hostile_test {
namespace {

namespace fs = std::filesystem;

class OnnxErrors : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_available()) GTEST_SKIP() << "built without protobuf";
  }
  const test::TemporaryFolder folder;
};

Model model_of(std::vector<Node> nodes) {
  Model model;
  model.opsets[""] = 20;
  model.ir_version = 9;
  model.graph.inputs.push_back({.name = "x", .has_shape = true, .shape = {{2, ""}}});
  model.graph.outputs.push_back({.name = "y"});
  model.graph.nodes = std::move(nodes);
  return model;
}

template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another kind of error: ") + error.what();
  }
  return "no error";
}

TEST_F(OnnxErrors, CyclesAndUnknownNamesAreNamed) {
  const Model cycle = model_of({{.op = "Add", .inputs = {"x", "b"}, .outputs = {"a"}, .name = "first"},
                                {.op = "Relu", .inputs = {"a"}, .outputs = {"b"}},
                                {.op = "Relu", .inputs = {"b"}, .outputs = {"y"}}});
  EXPECT_CONTAINS(message_of<FormatError>([&] { Network net(cycle); }),
                  "node \"first\" (Add) reads \"b\", which no node before it computes");
  EXPECT_CONTAINS(message_of<FormatError>([&] { Network net(model_of({})); }), "no node computes the output \"y\"");
  EXPECT_CONTAINS(message_of<FormatError>([&] {
                    Network net(model_of({{.op = "Relu", .inputs = {"x"}, .outputs = {"y"}},
                                          {.op = "Relu", .inputs = {"x"}, .outputs = {"y"}}}));
                  }),
                  "two values are called \"y\"");
}

TEST_F(OnnxErrors, OperatorsAndOpsetsThatAreNotThereAreNamed) {
  EXPECT_CONTAINS(
      message_of<ValueError>([&] {
        Network net(model_of({{.op = "MatMulInteger", .inputs = {"x", "x"}, .outputs = {"y"}, .name = "q"}}));
      }),
      "MatMulInteger computes with quantised integers, which minima has not\n  in node \"q\"");
  Model newer = model_of({{.op = "Relu", .inputs = {"x"}, .outputs = {"y"}}});
  newer.opsets[""] = 99;
  EXPECT_CONTAINS(message_of<ValueError>([&] { Network net(newer); }), "opset 99");
}

TEST_F(OnnxErrors, ScansThatDoNotFitTheirBodyAreNamed) {
  const auto body = std::make_shared<Graph>();
  body->inputs.push_back({.name = "slice"});
  body->outputs.push_back({.name = "slice"});
  Node scan{.op = "Scan", .inputs = {"x"}, .outputs = {"y"}, .name = "s"};
  scan.attributes["body"].graph = body;
  EXPECT_CONTAINS(message_of<FormatError>([&] { Network net(model_of({scan})); }),
                  "node \"s\" (Scan) has a body with other inputs or outputs");
  scan.attributes["num_scan_inputs"].i = 1;
  EXPECT_EQ(Network(model_of({scan}))(ones({2})).to_vector<float>(), (std::vector<float>{1, 1}));
  scan.attributes["scan_input_axes"].ints = {};
  const Network net(model_of({scan}));
  EXPECT_CONTAINS(message_of<ValueError>([&] { net(ones({2})); }), "scan_input_axes of Scan has too few values");
}

TEST_F(OnnxErrors, ManyNodesRunAndFunctionsThatExplodeDoNot) {
  std::vector<Node> nodes;
  for (int i = 0; i < 20000; ++i)
    nodes.push_back({.op = "Relu",
                     .inputs = {i == 0 ? "x" : "v" + std::to_string(i)},
                     .outputs = {i == 19999 ? "y" : "v" + std::to_string(i + 1)}});
  EXPECT_EQ(Network(model_of(std::move(nodes)))(ones({2})).to_vector<float>(), (std::vector<float>{1, 1}));

  Model bomb = model_of({{.op = "f0", .inputs = {"x"}, .outputs = {"y"}, .domain = "d"}});
  for (int i = 0; i < 30; ++i) {
    const std::string next = i == 29 ? "Relu" : "f" + std::to_string(i + 1), domain = i == 29 ? "" : "d";
    bomb.functions.push_back({.name = "f" + std::to_string(i),
                              .domain = "d",
                              .inputs = {"a"},
                              .outputs = {"c"},
                              .nodes = {{.op = next, .inputs = {"a"}, .outputs = {"b"}, .domain = domain},
                                        {.op = next, .inputs = {"b"}, .outputs = {"c"}, .domain = domain}},
                              .defaults = {}});
  }
  EXPECT_CONTAINS(message_of<FormatError>([&] { Network net(bomb); }), "nodes with those of its functions");
}

TEST_F(OnnxErrors, FilesThatAreCutOffOrNoneAreRefused) {
  const std::string path = folder / "m.onnx";
  Model model = model_of({{.op = "Add", .inputs = {"x", "w"}, .outputs = {"y"}}});
  model.graph.initializers.push_back({"w", ones({2})});
  write_model(path, model);
  EXPECT_EQ(load(path)(zeros({2})).to_vector<float>(), (std::vector<float>{1, 1}));
  const std::string whole = test::content_of(path);
  for (std::size_t size = 0; size < whole.size(); size += 7)
    EXPECT_NE(message_of<Error>([&] { load(folder.file("cut.onnx", whole.substr(0, size))); }), "no error") << size;
  EXPECT_CONTAINS(message_of<FormatError>([&] { load(folder.file("text.onnx", "no model at all")); }), "text.onnx");
}

/// A TensorProto: dims, data_type, then further bytes.
std::string tensor_bytes(const std::string& dims, const std::string& rest) { return dims + "\x10\x01" + rest; }

TEST_F(OnnxErrors, ShapesThatDoNotFitTheDataAllocateNothing) {
  const std::string huge = "\x08\xff\xff\xff\xff\xff\xff\xff\x7f";  // 2^56 - 1
  const auto refusal = [&](const std::string& bytes) {
    return message_of<FormatError>([&] { read_tensor_file(folder.file("t.pb", bytes)); });
  };
  EXPECT_CONTAINS(refusal(tensor_bytes(huge,
                                       "\x4a\x04"
                                       "abcd")),
                  "whose shape does not fit its data");
  EXPECT_CONTAINS(refusal(tensor_bytes(huge + huge, "")), "whose shape does not fit its data");
  EXPECT_CONTAINS(refusal(tensor_bytes(std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "")), "size -1");
  EXPECT_CONTAINS(refusal(tensor_bytes(std::string("\x08\x02"),
                                       "\x4a\x04"
                                       "abcd")),
                  "2 for 4 bytes");
}

TEST_F(OnnxErrors, ExternalDataStayInTheFolder) {
  const auto located = [](const std::string& location) {  // 1 float32
    const std::string entry = std::string("\x0a\x08location\x12") + static_cast<char>(location.size()) + location;
    return tensor_bytes("\x08\x01", std::string("\x6a") + static_cast<char>(entry.size()) + entry + "\x70\x01");
  };
  const auto read = [&](const std::string& location) {
    return read_tensor_file(folder.file("t.pb", located(location)));
  };
  fs::create_directories(folder / "in");
  std::ofstream(folder / "in/side") << "abcdefgh";
  const std::string pb = folder / "in/t.pb";
  std::ofstream(pb) << located("side");
  EXPECT_EQ(read_tensor_file(pb).numel(), 1);
  std::ofstream(folder / "outside") << "abcdefgh";
  fs::create_symlink(fs::absolute(fs::path(folder / "outside")), fs::path(folder / "in/link"));
  for (const char* location : {"../outside", "/etc/passwd", "", "link", "in/../../x"}) {
    std::ofstream(pb, std::ios::trunc) << located(location);
    EXPECT_CONTAINS(message_of<FormatError>([&] { read_tensor_file(pb); }), "outside of its folder") << location;
  }
  EXPECT_CONTAINS(message_of<FormatError>([&] { read("absent"); }), "not there");
}

TEST_F(OnnxErrors, LargeTensorsGoToASecondFileAndComeBack) {
  Model model = model_of({{.op = "Add", .inputs = {"x", "w"}, .outputs = {"y"}}});
  model.graph.initializers.push_back({"w", arange(1000, {.dtype = float32})});
  const std::string path = folder / "m.onnx";
  write_model(path, model, {.max_bytes = 100});
  EXPECT_EQ(fs::file_size(path + ".data"), 4000u);
  EXPECT_LT(fs::file_size(path), 1000u);
  EXPECT_EQ(read_model(path).graph.initializers[0].tensor.to_vector<float>()[999], 999);
}

struct Reader : nn::Module {
  Tensor forward(const Tensor& x) override { return sum(x).item<float>() > 0 ? x : -x; }
};
struct Writer : nn::Module {
  Tensor forward(const Tensor& x) override {
    const Tensor y = x * 2;
    zero_(diagonal(y));
    return y;
  }
};
struct Outer : nn::Module {
  Reader inner = child("inner", Reader());
  Tensor forward(const Tensor& x) override { return inner(x); }
};
struct Odd : nn::Module {
  Tensor forward(const Tensor& x) override { return erfinv(x); }
};

TEST_F(OnnxErrors, ModulesThatAGraphCannotSayAreRefused) {
  const std::string path = folder / "m.onnx";
  const Tensor x = ones({2, 3});
  Outer reader;
  nn::Dropout training;
  reader.eval();
  Writer writer;
  writer.eval();
  Odd odd;
  odd.eval();
  EXPECT_CONTAINS(message_of<ValueError>([&] { save(path, reader, {x}); }), "reads the value of");
  EXPECT_CONTAINS(message_of<ValueError>([&] { save(path, reader, {x}); }), "in module inner");
  EXPECT_CONTAINS(message_of<ValueError>([&] { save(path, training, {x}); }), "is in training mode; call eval() first");
  EXPECT_CONTAINS(message_of<ValueError>([&] { save(path, writer, {ones({2, 8})}, {.dynamic = {{"input", 0, "n"}}}); }),
                  "changes a view of dynamic sizes in place");
  EXPECT_CONTAINS(message_of<ValueError>([&] { save(path, odd, {x}); }),
                  "erfinv cannot be written for opset 20: ONNX has no such operator");
  EXPECT_CONTAINS(message_of<ValueError>([&] { save(path, odd, {x}, {.opset = 12}); }), "opset must be from 18 to 24");
  EXPECT_CONTAINS(message_of<ValueError>([&] { save(path, odd, {x}, {.dynamic = {{"tokens", 0, "n"}}}); }),
                  "no input \"tokens\"");
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(OnnxErrors, ImportedModelsTrainAndClone) {
  const std::string path = folder / "m.onnx";
  nn::Sequential net(nn::Linear({.in = 3, .out = 4}), nn::Tanh(), nn::Linear({.in = 4, .out = 1}));
  net.eval();
  const Tensor x = randn({5, 3});
  save(path, net, {x}, {.dynamic = {{"input", 0, "n"}}});
  const Network imported = load(path);
  ASSERT_EQ(imported.parameters().size(), 4u);
  mean(square(net(x))).backward();
  mean(square(imported(x))).backward();
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_TRUE(allclose(imported.parameters()[i].grad(), net.parameters()[i].grad(), {.rtol = 1e-5, .atol = 1e-6}));
  const Network copy = nn::clone(imported);
  {
    const NoGrad guard;
    zero_(copy.parameters()[0]);
  }
  EXPECT_FALSE(allclose(copy(x), imported(x)));
  EXPECT_TRUE(allclose(imported(x), net(x)));
  EXPECT_CONTAINS(message_of<ValueError>([&] { imported(std::vector<Tensor>{x, x}); }), "takes 1 inputs, got 2");
}

}  // namespace
}  // namespace minima::onnx::hostile_test
