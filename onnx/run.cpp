#include <minima/onnx/program.h>

#include <minima/io/files/format_error.h>
#include <minima/onnx/operators/operators.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace minima::onnx::detail {

namespace {

class Run {
 public:
  Run(const Program& program, std::vector<Tensor>& values) : program_(program), values_(values) {}

  void block(const Block& block) {
    for (const Step& step : block.steps) {
      try {
        switch (step.kind) {
          case StepKind::call: call(step); break;
          case StepKind::branch: branch(step); break;
          case StepKind::loop: loop(step); break;
          case StepKind::scan: scan(step); break;
        }
      } catch (Error& error) {
        error.add_note(str("in node \"", minima::detail::printable(step.node.name), "\" (", step.node.op, ")"));
        throw;
      }
      for (const int place : step.last_uses) at(place) = Tensor();
    }
  }

  Tensor& at(int place) { return values_[static_cast<std::size_t>(place)]; }
  Tensor value(int place) { return place < 0 ? Tensor() : at(place); }

 private:
  void set(int place, const Tensor& value) {
    if (place >= 0) at(place) = value;
  }

  /// Constants and shapes are on the CPU; they follow the data to a GPU.
  std::vector<Tensor> inputs_of(const Step& step) {
    std::vector<Tensor> inputs;
    Device device = Device::cpu();
    for (const int place : step.inputs) {
      inputs.push_back(value(place));
      if (inputs.back().defined() && !inputs.back().device().is_cpu()) device = inputs.back().device();
    }
    for (Tensor& input : inputs)
      if (input.defined() && input.device() != device) input = input.to(device);
    return inputs;
  }

  void call(const Step& step) {
    const Call call(step.node, inputs_of(step), program_.opset, step.constants);
    std::vector<Tensor> results;
    try {
      results = (*step.implementation)(call);
    } catch (const std::out_of_range&) {
      throw ValueError("onnx: an attribute or input has another value or length than it may have");
    }
    call.check_all_read();
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
      if (step.outputs[i] < 0) continue;
      if (i >= results.size()) throw ValueError(str("onnx: ", step.node.op, " has no output ", i, " here"));
      set(step.outputs[i], results[i]);
    }
  }

  void branch(const Step& step) {
    const Block& chosen = step.blocks[value(step.inputs[0]).item<bool>() ? 0 : 1];
    block(chosen);
    for (std::size_t i = 0; i < step.outputs.size(); ++i) set(step.outputs[i], value(chosen.outputs[i]));
  }

  /// Inputs: the most iterations, whether to begin, carried values. The body takes the iteration, the condition and the
  /// carried values, and gives the condition, the carried values and slices of further outputs.
  void loop(const Step& step) {
    const Block& body = step.blocks.front();
    const std::size_t carried = step.inputs.size() - 2;
    const Tensor most = value(step.inputs[0]), begins = value(step.inputs[1]);
    const std::int64_t count = most.defined() ? most.item<std::int64_t>() : std::numeric_limits<std::int64_t>::max();
    bool goes_on = !begins.defined() || begins.item<bool>();
    std::vector<Tensor> state;
    state.reserve(carried);
    for (std::size_t i = 0; i < carried; ++i) state.push_back(value(step.inputs[2 + i]));
    std::vector<std::vector<Tensor>> slices(step.outputs.size() - carried);
    for (std::int64_t i = 0; i < count && goes_on; ++i) {
      set(body.inputs[0], full({}, i, {.dtype = int64}));
      set(body.inputs[1], full({}, true, {.dtype = boolean}));
      for (std::size_t k = 0; k < carried; ++k) set(body.inputs[2 + k], state[k]);
      block(body);
      goes_on = value(body.outputs[0]).item<bool>();
      for (std::size_t k = 0; k < carried; ++k) state[k] = value(body.outputs[1 + k]);
      for (std::size_t k = 0; k < slices.size(); ++k) slices[k].push_back(value(body.outputs[1 + carried + k]));
    }
    for (std::size_t k = 0; k < carried; ++k) set(step.outputs[k], state[k]);
    for (std::size_t k = 0; k < slices.size(); ++k) {
      if (slices[k].empty()) throw ValueError("onnx: a loop without an iteration has no outputs to stack here");
      set(step.outputs[carried + k], stack(slices[k], 0));
    }
  }

  /// An axis or direction of each scanned input or output; 0 unless the attribute is there.
  static std::int64_t of_each(const Step& step, const char* name, std::size_t i) {
    const auto found = step.node.attributes.find(name);
    if (found == step.node.attributes.end()) return 0;
    if (i >= found->second.ints.size()) throw ValueError(str("onnx: ", name, " of Scan has too few values"));
    return found->second.ints[i];
  }

  /// Inputs: carried values, then tensors of which each iteration gets a slice. The body takes and gives as many
  /// carried values, and gives slices of further outputs.
  void scan(const Step& step) {
    const Block& body = step.blocks.front();
    const auto scanned = static_cast<std::size_t>(step.node.attributes.at("num_scan_inputs").i);
    const std::size_t carried = step.inputs.size() - scanned;
    const auto axis_of = [&](std::size_t k) { return of_each(step, "scan_input_axes", k); };
    const std::int64_t length = value(step.inputs[carried]).size(axis_of(0));
    for (std::size_t k = 1; k < scanned; ++k)
      if (value(step.inputs[carried + k]).size(axis_of(k)) != length)
        throw ShapeError("onnx: Scan takes slices of tensors of different lengths");
    std::vector<Tensor> state;
    state.reserve(carried);
    for (std::size_t k = 0; k < carried; ++k) state.push_back(value(step.inputs[k]));
    std::vector<std::vector<Tensor>> slices(step.outputs.size() - carried);
    for (std::int64_t i = 0; i < length; ++i) {
      for (std::size_t k = 0; k < carried; ++k) set(body.inputs[k], state[k]);
      for (std::size_t k = 0; k < scanned; ++k)
        set(body.inputs[carried + k], select(value(step.inputs[carried + k]), axis_of(k),
                                             of_each(step, "scan_input_directions", k) != 0 ? length - 1 - i : i));
      block(body);
      for (std::size_t k = 0; k < carried; ++k) state[k] = value(body.outputs[k]);
      for (std::size_t k = 0; k < slices.size(); ++k) slices[k].push_back(value(body.outputs[carried + k]));
    }
    for (std::size_t k = 0; k < carried; ++k) set(step.outputs[k], state[k]);
    for (std::size_t k = 0; k < slices.size(); ++k) {
      if (slices[k].empty()) throw ValueError("onnx: a scan without an iteration has no outputs to stack here");
      if (of_each(step, "scan_output_directions", k) != 0) std::reverse(slices[k].begin(), slices[k].end());
      set(step.outputs[carried + k], stack(slices[k], of_each(step, "scan_output_axes", k)));
    }
  }

  const Program& program_;
  std::vector<Tensor>& values_;
};

}  // namespace

std::vector<Tensor> run(const Program& program, std::vector<Tensor>& values) {
  Run running(program, values);
  running.block(program.block);
  std::vector<Tensor> outputs;
  outputs.reserve(program.block.outputs.size());
  for (const int place : program.block.outputs) outputs.push_back(running.value(place));
  return outputs;
}

}  // namespace minima::onnx::detail
