#include "tests/ops/checks/sample.h"
#include "tests/support/temporary_folder.h"

#include <minima/autograd/mode.h>
#include <minima/io/onnx/onnx_file.h>
#include <minima/nn/module/module.h>
#include <minima/onnx/onnx.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

// Every operator of the tables of cases as an ONNX graph: docs/onnx-operators.md says what becomes of it, and what is
// written computes the same when it is loaded again.

namespace onnx_table_test {
namespace {

using namespace minima;
using namespace minima::test;

const char* const page = MINIMA_SOURCE_DIR "/docs/onnx-operators.md";

struct NoParameters : nn::ModuleOf<NoParameters> {
  Tensor forward(const Tensor& x) const { return x; }
};

/// The outcome of one table's calls.
struct Fate {
  std::vector<std::string> nodes;              ///< operators of the graphs, each once
  std::size_t most = 0;                        ///< nodes of the largest graph
  std::map<std::string, std::string> refused;  ///< calls by the reason
  std::size_t calls = 0;
};

/// A reason without the call's own numbers.
std::string reason_of(const std::string& message) {
  if (message.find("reads the value of") != std::string::npos) return "reads values on the host";
  const std::size_t at = message.find(" cannot be written for opset ");
  const std::size_t from = at == std::string::npos ? message.find(": ") : message.find(": ", at);
  return from == std::string::npos ? message : message.substr(from + 2);
}

std::vector<Tensor> defined(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> found;
  for (const Tensor& x : tensors)
    if (x.defined()) found.push_back(x);
  return found;
}

void note_nodes(const onnx::Graph& graph, Fate& fate) {
  std::size_t count = 0;
  for (const onnx::Node& node : graph.nodes) {
    if (node.op == "Constant" || node.op == "Identity") continue;
    ++count;
    if (std::find(fate.nodes.begin(), fate.nodes.end(), node.op) == fate.nodes.end()) fate.nodes.push_back(node.op);
  }
  fate.most = std::max(fate.most, count);
}

void expect_equal(const OpCases& cases, const Sample& sample, const std::vector<Tensor>& got,
                  const std::vector<Tensor>& wanted) {
  ASSERT_EQ(got.size(), wanted.size()) << cases.name() << ", " << sample.text();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Closeness close = allclose(got[i], wanted[i], {.rtol = 1e-4, .atol = 1e-5});
    EXPECT_TRUE(close) << cases.name() << ", " << sample.text() << ", output " << i << ": " << close.message;
  }
}

void write_and_load(const OpCases& cases, const Sample& sample, const std::string& path, Fate& fate) {
  const auto forward = [&](const std::vector<Tensor>& given) {
    std::vector<Tensor> inputs = sample.inputs;
    for (std::size_t i = 0, k = 0; i < inputs.size(); ++i)
      if (inputs[i].defined()) inputs[i] = given[k++];
    return defined(sample.call->call(inputs));
  };
  const std::vector<Tensor> inputs = defined(sample.inputs);
  NoParameters module;
  module.eval();
  try {
    onnx::save(path, module, inputs, forward);
  } catch (const Error& error) {
    std::string& calls = fate.refused[reason_of(error.what())];
    if (!sample.call->text.empty()) calls += (calls.empty() ? "" : ", ") + sample.call->text;
    return;
  }
  note_nodes(onnx::read_model(path).graph, fate);
  try {
    const onnx::Network net = onnx::load(path);
    expect_equal(cases, sample, net(inputs), forward(inputs));
    // Numbers of these inputs in the graph would be found with others.
    std::vector<Tensor> others;
    for (const Tensor& x : inputs) others.push_back(is_floating(x.dtype()) ? x * 0.9 : x);
    expect_equal(cases, sample, net(others), forward(others));
  } catch (const Error& error) {
    ADD_FAILURE() << cases.name() << ", " << sample.text() << ": " << error.what();
  }
}

DType dtype_of(const OpCases& cases) {
  for (const DType dtype : {float32, int64, boolean})
    if (cases.claims(dtype)) return dtype;
  return cases.dtypes().front();
}

Fate fate_of(const OpCases& cases, const std::string& path) {
  Fate fate;
  std::set<const OpCall*> seen;
  for_each_sample(cases, {.dtypes = {dtype_of(cases)}, .arrangement = {0}, .max_numel = 4096},
                  [&](const Sample& sample) {
                    if (sample.numel() == 0 || !seen.insert(sample.call).second) return;
                    ++fate.calls;
                    write_and_load(cases, sample, path, fate);
                  });
  return fate;
}

std::string cell(const Fate& fate) {
  std::string text;
  for (const std::string& node : fate.nodes) text += (text.empty() ? "" : ", ") + node;
  if (text.empty() && fate.refused.empty()) text = "its input, or a constant";
  for (const auto& [reason, calls] : fate.refused) {
    if (!text.empty()) text += "; ";
    text += "*refused" + (calls.empty() || fate.nodes.empty() ? "" : " for `" + calls + "`") + "*: " + reason;
  }
  return text;
}

struct Table {
  std::string text;
  int exported = 0, decomposed = 0, partly = 0, refused = 0;
};

Table onnx_table() {
  const NoGrad guard;
  const TemporaryFolder folder;
  std::map<std::string, std::string> rows;
  Table table;
  for (const OpCases& cases : all_op_cases()) {
    const Fate fate = fate_of(cases, folder / "model.onnx");
    if (fate.calls == 0) continue;
    ++(fate.refused.empty() ? fate.most > 1 ? table.decomposed : table.exported
       : fate.nodes.empty() ? table.refused
                            : table.partly);
    rows[cases.name()] = cell(fate);
  }
  for (const auto& [name, text] : rows) table.text += "| `" + name + "` | " + text + " |\n";
  return table;
}

std::string page_of(const Table& table) {
  return "# Operators in ONNX\n\n"
         "Generated from the operators' tables of cases (tests/ops): each call is written by `onnx::save` in opset 20, "
         "loaded and\n"
         "compared; a CTest case fails when this page is not current and names the command that writes it. The second "
         "column has\n"
         "the nodes that stand for the operator, other than constants.\n\n" +
         std::to_string(table.exported) + " operators become one node or none, " + std::to_string(table.decomposed) +
         " several, " + std::to_string(table.partly) + " do so but for some of their options, and " +
         std::to_string(table.refused) + " are refused.\n\n| operator | in ONNX |\n| --- | --- |\n" + table.text;
}

TEST(OnnxTable, PageInDocsIsCurrentAndWrittenOperatorsComputeTheSame) {
  if (!onnx::is_available()) GTEST_SKIP() << "built without protobuf";
  const std::string wanted = page_of(onnx_table());
  if (std::getenv("MINIMA_WRITE_DOCS")) std::ofstream(page) << wanted;
  std::ifstream in(page);
  const std::string written{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_TRUE(written == wanted) << page << " differs from what onnx::save does; write it with\n"
                                 << "MINIMA_WRITE_DOCS=1 ctest --test-dir build/cpu -R OnnxTable";
}

}  // namespace
}  // namespace onnx_table_test
