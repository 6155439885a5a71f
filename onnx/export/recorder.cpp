#include <minima/autograd/mode.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/module_call.h>
#include <minima/nn/module/registry.h>
#include <minima/onnx/export/recording.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/operator_call.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/scope.h>
#include <minima/tensor/device/graph_recording.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/tensor_impl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace minima::onnx::detail {

namespace {

using minima::detail::OperatorCall;

class Listed final : public minima::detail::AttributeVisitor {
 public:
  explicit Listed(Attributes& attributes) : attributes_(attributes) {}
  void integer(const char* name, std::int64_t value) override { attributes_.integers[name] = value; }
  void number(const char* name, double value) override { attributes_.numbers[name] = value; }
  void word(const char* name, const char* value) override { attributes_.words[name] = value; }
  void integers(const char* name, const Shape& values) override { attributes_.lists[name] = values; }

 private:
  Attributes& attributes_;
};

/// Writes down the operators of this thread that are not parts of others.
class Recorder final : public Observer {
 public:
  Recorder(const nn::ModuleBase& root, const std::vector<Tensor>& inputs) {
    for (const nn::NamedModule& module : root.named_modules())
      modules_.emplace(nn::detail::Registry::identity(*module.module), module.name);
    for (const nn::NamedTensor& parameter : root.named_parameters()) add_initializer(parameter);
    for (const nn::NamedTensor& buffer : root.named_buffers()) add_initializer(buffer);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      RecordedValue value = described(inputs[i], RecordedValue::Source::input);
      value.index = static_cast<int>(i);
      value.varies = value.on_inputs = true;
      assign(inputs[i], std::move(value));
    }
    previous_ = set_observer(this);
  }
  Recorder(const Recorder&) = delete;
  ~Recorder() { set_observer(previous_); }

  void begin(const char* op, Cost) override {
    if (++depth_ == 1) silent_ = op;
  }
  void end() noexcept override {
    if (--depth_ == 0 && silent_) untold_ = silent_;
  }

  void call(const OperatorCall& call) override {
    if (depth_ != 1) return;
    silent_ = nullptr;
    RecordedCall recorded{.op = call.name, .inputs = {}, .outputs = {}, .module = path()};
    const bool in_place = call.input_count > 0 && call.outputs[0].defined() && call.inputs[0]->defined() &&
                          call.outputs[0].impl() == call.inputs[0]->impl();
    const bool overwrites = in_place && (recorded.op == "fill_" || recorded.op == "copy_");
    bool varies = false, on_inputs = false;
    for (std::size_t i = 0; i < call.input_count; ++i) {
      const bool ignored = i == 0 && overwrites;  // its old value has no influence, and may be uninitialised
      recorded.inputs.push_back(call.inputs[i]->defined() && !ignored ? number_of(*call.inputs[i], recorded) : -1);
      if (recorded.inputs.back() < 0) continue;
      varies = varies || value(recorded.inputs.back()).varies;
      on_inputs = on_inputs || value(recorded.inputs.back()).on_inputs;
    }
    if (call.list_attributes) {
      recorded.attributes.are_known = true;
      Listed listed(recorded.attributes);
      call.list_attributes(call.op, listed);
    }
    const int whole = in_place ? before_change(call.outputs[0], varies) : -1;
    for (int i = 0; i < call.output_count; ++i)
      recorded.outputs.push_back(
          call.outputs[i].defined() ? add_result(call.outputs[i], varies, on_inputs, in_place && i == 0) : -1);
    const int changed = recorded.outputs[0];
    const std::string module = recorded.module;
    recording_.calls.push_back(std::move(recorded));
    if (whole >= 0) write(whole, changed, call.outputs[0], module);
  }

  void view(const Tensor& x, const Tensor& y) override {
    if (depth_ != 0) return;
    RecordedCall recorded{
        .op = view_name, .inputs = {}, .outputs = {}, .module = path(), .before = x.layout(), .after = y.layout()};
    recorded.inputs.push_back(number_of(x, recorded));
    const RecordedValue& from = value(recorded.inputs[0]);
    recorded.outputs.push_back(add_result(y, from.varies, from.on_inputs, false));
    recording_.calls.push_back(std::move(recorded));
  }

  void read(const Tensor& x) override {
    if (depth_ != 0) return;
    if (!is_on_inputs(x)) return;
    throw ValueError(str("onnx::save: the program reads the value of ", x, " (item() or to_vector())",
                         in_module(path()),
                         "; the graph would hold only for this value. Compute with tensors instead, such as where"));
  }

  Recording take(const std::vector<Tensor>& outputs) {
    RecordedCall last{.op = "the result", .inputs = {}, .outputs = {}};
    for (const Tensor& output : outputs) {
      if (!output.defined()) throw ValueError("onnx::save: an output of the module is undefined");
      recording_.outputs.push_back(number_of(output, last));
    }
    return std::move(recording_);
  }

 private:
  /// The largest tensor in a storage that was changed in place.
  struct Whole {
    int number = -1;  ///< before the last change, if that was of a part
    Tensor tensor{};
    bool varies = false;  ///< something that depends on inputs or parameters was written
  };

  struct Known {
    int number;
    std::uint64_t version;
    Tensor kept;  ///< so that its address is no other tensor's
  };

  static std::string in_module(const std::string& path) { return path.empty() ? "" : " in module " + path; }

  static RecordedValue described(const Tensor& x, RecordedValue::Source source) {
    return {.source = source, .shape = x.shape(), .dtype = x.dtype(), .tensor = x};
  }
  RecordedValue& value(int number) { return recording_.values[static_cast<std::size_t>(number)]; }

  static std::uint64_t version_of(const Tensor& x) { return x.impl()->storage->version(); }

  int assign(const Tensor& x, RecordedValue value, bool is_about_to_change = false) {
    recording_.values.push_back(std::move(value));
    const int number = static_cast<int>(recording_.values.size()) - 1;
    numbers_[x.impl()] = {number, version_of(x) + (is_about_to_change ? 1 : 0), x};
    return number;
  }

  int add_result(const Tensor& y, bool varies, bool on_inputs, bool is_about_to_change) {
    RecordedValue result = described(y, RecordedValue::Source::call);
    result.index = static_cast<int>(recording_.calls.size());
    result.varies = varies;
    result.on_inputs = on_inputs;
    return assign(y, std::move(result), is_about_to_change);
  }

  void add_initializer(const nn::NamedTensor& named) {
    if (numbers_.contains(named.tensor.impl())) return;
    RecordedValue value = described(named.tensor, RecordedValue::Source::initializer);
    value.name = named.name;
    value.varies = true;
    assign(named.tensor, std::move(value));
  }

  /// Forgets the old values of what shares memory with y, which is about to change. Returns the number of the tensor
  /// that y is a part of, or -1.
  int before_change(const Tensor& y, bool varies) {
    const Storage* const storage = &*y.impl()->storage;
    Whole& whole = wholes_[storage];
    whole.varies = whole.varies || varies;
    whole.number = -1;
    whole.tensor = y;
    for (const auto& [impl, known] : numbers_) {
      if (&*impl->storage != storage) continue;
      RecordedValue& old = value(known.number);
      whole.varies = whole.varies || old.varies;
      if (old.source == RecordedValue::Source::call) old.tensor = Tensor();
      const Tensor& x = known.kept;
      if (known.version != version_of(x) || x.dtype() != y.dtype() || impl == y.impl()) continue;
      const bool is_larger = x.numel() > whole.tensor.numel() ||
                             (whole.number >= 0 && x.numel() == whole.tensor.numel() && known.number < whole.number);
      if (is_larger) whole.number = known.number, whole.tensor = x;
    }
    return whole.number;
  }

  /// Records that `part` of a tensor has the value `changed`.
  void write(int number, int changed, const Tensor& part, const std::string& module) {
    Whole& whole = wholes_[&*part.impl()->storage];
    RecordedCall written{.op = write_name,
                         .inputs = {number, changed},
                         .outputs = {},
                         .module = module,
                         .before = whole.tensor.layout(),
                         .after = part.layout()};
    const bool varies = value(number).varies || value(changed).varies,
               on_inputs = value(number).on_inputs || value(changed).on_inputs;
    written.outputs.push_back(add_result(whole.tensor, varies, on_inputs, true));
    value(written.outputs[0]).tensor = Tensor();
    recording_.calls.push_back(std::move(written));
  }

  /// The number of x, whose memory was changed in place through another tensor.
  int number_after_change(const Tensor& x, const RecordedCall& reader) {
    const auto found = wholes_.find(&*x.impl()->storage);
    if (found != wholes_.end() && !found->second.varies) return number_of_constant(x);
    if (found != wholes_.end() && found->second.tensor.defined()) {
      const Tensor whole = found->second.tensor;
      const auto known = numbers_.find(whole.impl());
      if (known != numbers_.end() && known->second.version == version_of(x) && whole.impl() != x.impl() &&
          whole.dtype() == x.dtype())
        return add_view(known->second, x, reader);
    }
    throw ValueError(str("onnx::save: ", reader.op, " reads ", x, in_module(reader.module),
                         ", whose memory was changed in place through another tensor, of which the graph cannot tell "
                         "what it is a part of. Use operators that return their result"));
  }

  /// Whether x, or what shares its memory if it is unknown, depends on the inputs.
  bool is_on_inputs(const Tensor& x) {
    if (const auto found = numbers_.find(x.impl()); found != numbers_.end())
      return value(found->second.number).on_inputs;
    return std::any_of(numbers_.begin(), numbers_.end(), [&](const auto& entry) {
      return &*entry.first->storage == &*x.impl()->storage && value(entry.second.number).on_inputs;
    });
  }

  /// The number of x, which comes from outside of the run, or shares the memory of something known without having been
  /// announced as a view: x.detach().
  int number_of_unknown(const Tensor& x, const RecordedCall& reader) {
    bool varies = false;
    const Known* best = nullptr;  // the one that is the same elements, as among flat parameters, or the largest
    const auto rank = [&](const Known& known) {
      return std::tuple(known.kept.layout() == x.layout(), known.kept.numel(), -known.number);
    };
    for (const auto& [impl, known] : numbers_) {
      if (&*impl->storage != &*x.impl()->storage) continue;
      varies = varies || value(known.number).varies;
      if (known.version != version_of(x) || known.kept.dtype() != x.dtype()) continue;
      if (!best || rank(known) > rank(*best)) best = &known;
    }
    if (!varies) return number_of_constant(x);
    if (!best)
      throw ValueError(
          str("onnx::save: ", reader.op, " reads ", x, in_module(reader.module),
              ", which shares its memory with a tensor of another dtype, or one that was changed in place"));
    return add_view(*best, x, reader);
  }

  int add_view(const Known& known, const Tensor& x, const RecordedCall& reader) {
    RecordedCall view{.op = view_name,
                      .inputs = {known.number},
                      .outputs = {},
                      .module = reader.module,
                      .before = known.kept.layout(),
                      .after = x.layout()};
    const RecordedValue& from = value(known.number);
    const int number = add_result(x, from.varies, from.on_inputs, false);
    view.outputs.push_back(number);
    recording_.calls.push_back(std::move(view));
    return number;
  }

  int number_of_constant(const Tensor& x) {
    if (untold_)
      throw ValueError(str("onnx::save: ", untold_, in_module(path()),
                           " cannot be written: it does not tell which tensors it reads, and a tensor after it, ", x,
                           ", may be its result"));
    RecordedValue value = described(x, RecordedValue::Source::constant);
    ++depth_;
    value.tensor = clone(x.detach());
    --depth_;
    return assign(x, std::move(value));
  }

  int number_of(const Tensor& x, const RecordedCall& reader) {
    const auto found = numbers_.find(x.impl());
    if (found == numbers_.end()) return number_of_unknown(x, reader);
    if (found->second.version != version_of(x)) return number_after_change(x, reader);
    return found->second.number;
  }

  std::string path() const {
    for (const nn::detail::Call* call = nn::detail::Call::innermost; call; call = call->outer)
      if (const auto found = modules_.find(nn::detail::Registry::identity(call->module)); found != modules_.end())
        return found->second;
    return "";
  }

  Recording recording_;
  std::unordered_map<const void*, std::string> modules_;
  std::unordered_map<const TensorImpl*, Known> numbers_;
  std::unordered_map<const void*, Whole> wholes_;  ///< by storage
  Observer* previous_ = nullptr;
  const Scoped<bool> records_{minima::detail::records_graph, true};
  int depth_ = 0;
  const char* silent_ = nullptr;  ///< the operator that runs, until it tells its tensors
  const char* untold_ = nullptr;  ///< the last operator that did not
};

}  // namespace

Recording record(const nn::ModuleBase& root, const std::vector<Tensor>& inputs, const Forward& forward) {
  const NoGrad guard;
  Recorder recorder(root, inputs);
  const std::vector<Tensor> outputs = forward(inputs);
  return recorder.take(outputs);
}

}  // namespace minima::onnx::detail
