#include <minima/ops/convolution/onednn_plan.h>

#ifdef MINIMA_HAVE_ONEDNN

#include <minima/ops/convolution/engines.h>
#include <minima/ops/convolution/geometry.h>
#include <minima/ops/core/triple.h>
#include <minima/ops/product/gemm/one_thread.h>
#include <minima/tensor/base/shape.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <mutex>

namespace minima::detail {

namespace {

using dnnl::memory;
using Tag = memory::format_tag;

memory::desc describe(const Shape& shape, Tag tag) {
  return {memory::dims(shape.begin(), shape.end()), memory::data_type::f32, tag};
}

/// oneDNN takes groups as a separate dimension.
Shape weight_dims(const ConvGeometry& g) {
  Shape dims = g.weight();
  if (g.options.groups == 1) return dims;
  dims[0] = g.group_outputs();
  dims.insert(0, g.options.groups);
  return dims;
}

/// The names of memory orders.
struct Tags {
  Tag last, row_major, weight_last, weight, grouped_last, grouped;
};
constexpr Tags image_tags{Tag::nhwc, Tag::nchw, Tag::ohwi, Tag::oihw, Tag::gohwi, Tag::goihw};
constexpr Tags volume_tags{Tag::ndhwc, Tag::ncdhw, Tag::odhwi, Tag::oidhw, Tag::godhwi, Tag::goidhw};
const Tags& tags_of(const ConvGeometry& g) { return g.options.spatial == 2 ? image_tags : volume_tags; }

memory::dims spatial_dims(const ConvGeometry& g, Triple t) {
  return g.options.spatial == 2 ? memory::dims{t.height, t.width} : memory::dims{t.depth, t.height, t.width};
}

struct Descriptors {
  memory::desc x, weight, bias, y;
  memory::dims strides, dilation, padding, end_padding;
};

/// The padding after the images: the same as before them, unless this is a part of an image.
Triple end_padding(const ConvGeometry& g) {
  const ConvOptions& o = g.options;
  const auto along = [&](std::int64_t Triple::* d) {
    const std::int64_t range = (g.kernel.*d - 1) * o.dilation.*d + 1, padding = o.padding.*d;
    const std::int64_t last = (g.out.*d - 1) * o.stride.*d + range - padding;  // the end of the last position's input
    const bool is_whole = (g.size.*d + 2 * padding - range) / o.stride.*d + 1 == g.out.*d;
    return is_whole ? padding : std::max<std::int64_t>(last - g.size.*d, 0);
  };
  return {along(&Triple::depth), along(&Triple::height), along(&Triple::width)};
}

/// Images use channels_last order, in which the kernels are as fast as in oneDNN's blocked layouts and which
/// channels_last tensors already have; oneDNN chooses the order of the weights.
Descriptors requested_descriptors(const ConvGeometry& g, bool bias) {
  const ConvOptions& o = g.options;
  const Triple& d = o.dilation;
  return {describe(g.input(), tags_of(g).last),
          describe(weight_dims(g), Tag::any),
          bias ? describe({g.outputs}, Tag::a) : memory::desc(),
          describe(g.output(), tags_of(g).last),
          spatial_dims(g, o.stride),
          spatial_dims(g, {d.depth - 1, d.height - 1, d.width - 1}),
          spatial_dims(g, o.padding),
          spatial_dims(g, end_padding(g))};
}

dnnl::primitive_attr attributes() {
  dnnl::primitive_attr attributes;
  // A library-owned scratchpad would be shared by threads.
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

using Forward = dnnl::convolution_forward::primitive_desc;
using BackwardData = dnnl::convolution_backward_data::primitive_desc;
using BackwardWeights = dnnl::convolution_backward_weights::primitive_desc;
constexpr auto algorithm = dnnl::algorithm::convolution_direct;
constexpr auto training = dnnl::prop_kind::forward_training;

#if DNNL_VERSION_MAJOR >= 3
Forward forward_of(const Descriptors& d) {
  return {onednn_engine(), training,   algorithm, d.x,           d.weight,    d.bias, d.y,
          d.strides,       d.dilation, d.padding, d.end_padding, attributes()};
}
BackwardData backward_data_of(const Descriptors& d) {
  return {onednn_engine(), algorithm, d.x,           d.weight,      d.y,         d.strides,
          d.dilation,      d.padding, d.end_padding, forward_of(d), attributes()};
}
BackwardWeights backward_weights_of(const Descriptors& d) {
  return {onednn_engine(), algorithm, d.x,           d.weight,      d.y,         d.strides,
          d.dilation,      d.padding, d.end_padding, forward_of(d), attributes()};
}
#else
Forward forward_of(const Descriptors& d) {
  const dnnl::convolution_forward::desc desc(training, algorithm, d.x, d.weight, d.bias, d.y, d.strides, d.dilation,
                                             d.padding, d.end_padding);
  return {desc, attributes(), onednn_engine()};
}
BackwardData backward_data_of(const Descriptors& d) {
  const dnnl::convolution_backward_data::desc desc(algorithm, d.x, d.weight, d.y, d.strides, d.dilation, d.padding,
                                                   d.end_padding);
  return {desc, attributes(), onednn_engine(), forward_of(d)};
}
BackwardWeights backward_weights_of(const Descriptors& d) {
  const dnnl::convolution_backward_weights::desc desc(algorithm, d.x, d.weight, d.y, d.strides, d.dilation, d.padding,
                                                      d.end_padding);
  return {desc, attributes(), onednn_engine(), forward_of(d)};
}
#endif

dnnl::reorder reorder_of(const memory::desc& from, const memory::desc& to) {
  const dnnl::engine& engine = onednn_engine();
  return dnnl::reorder(dnnl::reorder::primitive_desc(engine, from, engine, to, attributes()));
}

PlanTensor plan_tensor(const memory::desc& user, const memory::desc& primitive, bool is_output) {
  PlanTensor tensor{user, primitive, {}, {}, {}, {}};
  if (tensor.is_direct()) return tensor;
  if (is_output) tensor.from_primitive = reorder_of(primitive, user);
  else tensor.to_primitive = reorder_of(user, primitive);
  return tensor;
}

/// The weight as an input. A large one is reordered in parts, by several threads; a part has whole blocks of outputs,
/// which are at most 16 in oneDNN's orders.
PlanTensor weight_tensor(const memory::desc& user, const memory::desc& primitive, const ConvGeometry& g) {
  constexpr std::int64_t outputs = 64, least_elements = 1 << 15;
  PlanTensor tensor = plan_tensor(user, primitive, false);
  if (tensor.is_direct() || g.options.groups > 1 || g.outputs % outputs != 0 || numel(g.weight()) < least_elements)
    return tensor;
  Shape part = g.weight(), offset = Shape::filled(part.rank(), 0);
  part[0] = outputs;
  for (; offset[0] < g.outputs; offset[0] += outputs) {
    const memory::dims sizes(part.begin(), part.end()), at(offset.begin(), offset.end());
    const memory::desc from = user.submemory_desc(sizes, at), to = primitive.submemory_desc(sizes, at);
    tensor.parts.push_back({from, to, reorder_of(from, to)});
  }
  return tensor;
}

PlanTensor image_tensor(const memory::desc& user, const memory::desc& primitive, bool is_output, const Shape& shape,
                        const Tags& tags) {
  constexpr std::int64_t least_channels = 4;  // for which transposing in blocks pays
  if (shape[1] < least_channels || user != describe(shape, tags.row_major) || primitive != describe(shape, tags.last))
    return plan_tensor(user, primitive, is_output);
  return {user, primitive, {}, {}, {}, shape};
}

/// Whether oneDNN 2.6 writes beyond the scratchpad that it asks for: in the weights' gradient of a 1 x 1 convolution
/// with a stride it gathers pixels of whole blocks, of 8 channels or with AVX-512 of 16, into room for the channels
/// there are.
bool overruns_scratchpad(const ConvGeometry& g) {
  return g.kernel == Triple(1) && g.options.stride != Triple(1) && g.group_channels() < 16;
}

template <class Description>
void note_common(ConvPlan& plan, const Description& description) {
  plan.scratchpad = description.scratchpad_desc();
  plan.usable = std::strstr(description.impl_info_str(), "ref") == nullptr;
}

std::shared_ptr<const ConvPlan> make_plan(ConvKind kind, const ConvGeometry& g, ConvOrder order, bool bias) {
  const OneThread guard;  // oneDNN decides here how many threads to split the work for
  const Descriptors d = requested_descriptors(g, bias);
  const bool grouped = g.options.groups > 1;
  const Tags& tags = tags_of(g);
  const memory::desc x = describe(g.input(), order.x_last ? tags.last : tags.row_major);
  const memory::desc y = describe(g.output(), order.y_last ? tags.last : tags.row_major);
  const memory::desc weight = describe(weight_dims(g), grouped ? (order.weight_last ? tags.grouped_last : tags.grouped)
                                                               : (order.weight_last ? tags.weight_last : tags.weight));
  auto plan = std::make_shared<ConvPlan>();
  if (kind == ConvKind::forward) {
    const Forward f = forward_of(d);
    note_common(*plan, f);
    plan->forward = dnnl::convolution_forward(f);
    plan->x = image_tensor(x, f.src_desc(), false, g.input(), tags);
    plan->weight = weight_tensor(weight, f.weights_desc(), g);
    plan->y = image_tensor(y, f.dst_desc(), true, g.output(), tags);
    plan->bias = d.bias;
  } else if (kind == ConvKind::input_gradient) {
    const BackwardData b = backward_data_of(d);
    note_common(*plan, b);
    plan->input_gradient = dnnl::convolution_backward_data(b);
    plan->x = image_tensor(x, b.diff_src_desc(), true, g.input(), tags);
    plan->weight = weight_tensor(weight, b.weights_desc(), g);
    plan->y = image_tensor(y, b.diff_dst_desc(), false, g.output(), tags);
  } else {
    const BackwardWeights b = backward_weights_of(d);
    note_common(*plan, b);
    if (overruns_scratchpad(g)) plan->usable = false;
    plan->weight_gradient = dnnl::convolution_backward_weights(b);
    plan->x = image_tensor(x, b.src_desc(), false, g.input(), tags);
    plan->weight = plan_tensor(weight, b.diff_weights_desc(), true);
    plan->y = image_tensor(y, b.diff_dst_desc(), false, g.output(), tags);
  }
  return plan;
}

using Key = std::array<std::int64_t, 26>;

Key key_of(ConvKind kind, const ConvGeometry& g, ConvOrder order, bool bias) {
  const ConvOptions& o = g.options;
  Key key{static_cast<std::int64_t>(kind),
          g.batch,
          g.channels,
          g.outputs,
          o.groups,
          o.spatial,
          order.x_last + 2 * order.weight_last + 4 * order.y_last,
          bias};
  std::size_t next = 8;
  for (const Triple& t : {g.size, g.out, g.kernel, o.stride, o.padding, o.dilation})
    for (const std::int64_t number : {t.depth, t.height, t.width}) key[next++] = number;
  return key;
}

struct Cache {
  static constexpr std::size_t capacity = 512;
  struct Entry {
    std::shared_ptr<const ConvPlan> plan;
    std::list<Key>::iterator use;
  };
  std::mutex lock;
  std::map<Key, Entry> entries;
  std::list<Key> uses;  ///< most recent first
};

Cache& cache() {
  static Cache& cache = *new Cache;  // never destroyed: threads may still compute during exit
  return cache;
}

}  // namespace

const dnnl::engine& onednn_engine() {
  static const dnnl::engine& engine = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::stream& onednn_stream() {
  static thread_local dnnl::stream stream(onednn_engine());
  return stream;
}

std::shared_ptr<const ConvPlan> conv_plan(ConvKind kind, const ConvGeometry& geometry, ConvOrder order, bool bias) {
  const Key key = key_of(kind, geometry, order, bias);
  Cache& plans = cache();
  const std::lock_guard lock(plans.lock);
  if (const auto found = plans.entries.find(key); found != plans.entries.end()) {
    plans.uses.splice(plans.uses.begin(), plans.uses, found->second.use);
    return found->second.plan;
  }
  const auto plan = make_plan(kind, geometry, order, bias);
  if (plans.entries.size() == Cache::capacity) {
    plans.entries.erase(plans.uses.back());
    plans.uses.pop_back();
  }
  plans.uses.push_front(key);
  plans.entries.emplace(key, Cache::Entry{plan, plans.uses.begin()});
  return plan;
}

}  // namespace minima::detail

#endif
