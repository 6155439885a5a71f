#pragma once

#include <minima/io/onnx/graph.h>
#include <minima/onnx/operators/operators.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

// A graph prepared for running. Internal.

namespace minima::onnx::detail {

struct Step;

/// Steps with their own inputs and outputs: the model, or a branch or body in it. Values have places in one table for
/// all blocks; -1 is a value that is not given.
struct Block {
  std::vector<Step> steps;
  std::vector<int> inputs, outputs;
};

enum class StepKind : std::uint8_t { call, branch, loop, scan };

struct Step {
  StepKind kind = StepKind::call;
  Node node{};
  const Implementation* implementation = nullptr;
  std::uint32_t constants = 0;  ///< bit i: input i is the result of a Constant
  std::vector<int> inputs{}, outputs{};
  std::vector<Block> blocks{};   ///< then and else, or the body of a loop or scan
  std::vector<int> last_uses{};  ///< places of the outermost block that no later step reads
};

struct Program {
  Block block;
  std::vector<Tensor> constants;  ///< by place; undefined for other values
  std::vector<Value> inputs, outputs;
  std::vector<int> initializers;                ///< their places, in the file's order
  std::vector<std::vector<std::size_t>> paths;  ///< of the modules that hold them, as indices of items
  std::int64_t opset = 0;
};

/// Throws FormatError for an inconsistent graph and ValueError for operators that minima has not. Takes the model's
/// nodes, but not its initializers.
Program prepare(Model& model);

/// The outputs. `values` has the program's size, and holds initializers and inputs.
std::vector<Tensor> run(const Program& program, std::vector<Tensor>& values);

/// The reasons for which `prepare` would refuse a model, each with the number of nodes.
std::map<std::string, int> refusals(const Model& model);

}  // namespace minima::onnx::detail
