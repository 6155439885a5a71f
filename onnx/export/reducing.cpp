#include <minima/onnx/export/emitter.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

// Reductions, softmax, scans and order.

namespace minima::onnx::detail {

namespace {

/// ONNX's reduction with the call's dimensions. No dimensions means none here, of a tensor of rank 0.
std::string reduced(Emitter& e, const char* op, const std::string& x, bool keep) {
  const Shape dims = e.list("dims");
  if (dims.rank() == 0) return x;
  return e.node(op, {x, e.constant(dims)}, {integer("keepdims", keep)});
}

Translation reduction(const char* op) {
  return [op](Emitter& e) { e.bind(reduced(e, op, e.in(0, e.output().dtype), e.integer("keep_dim") != 0)); };
}

Translation along(const char* op) {
  return [op](Emitter& e) { e.bind(e.node(op, {e.in(0)}, {integer("axis", e.integer("dim"))})); };
}

/// The place of the first extreme.
std::string place(Emitter& e, const char* op) {
  const Shape dims = e.list("dims");
  if (dims.rank() == 0) return e.constant(0, DType::int64);
  return e.node(op, {e.in(0)}, {integer("axis", dims[0]), integer("keepdims", e.integer("keep_dim"))});
}

Translation extreme(const char* value, const char* index) {
  return [value, index](Emitter& e) {
    e.bind(reduced(e, value, e.in(0), e.integer("keep_dim") != 0), 0);
    e.bind(place(e, index), 1);
  };
}

void mean_square(Emitter& e) {
  const std::string x = e.in(0);
  const std::string total = reduced(e, "ReduceSum", e.node("Mul", {x, x}), true);
  const std::string y = e.node("Div", {total, e.constant(e.number("divisor"), e.output().dtype)});
  e.bind(e.integer("root") != 0 ? e.node("Sqrt", {y}) : y);
}

void argsort(Emitter& e) {
  const std::int64_t first = e.integer("first");
  const std::int64_t dim = e.integer("dim");
  if (e.input(0).shape.rank() == 0) return e.bind(e.constant(0, DType::int64));
  const std::vector<std::int64_t> ends =
      each(e.output_shapes(), [&](const Shape& shape) { return first + shape[static_cast<int>(dim)]; });
  const std::string order = e.nodes("TopK", {e.in(0), e.size(ends)},
                                    {integer("axis", dim), integer("largest", e.integer("descending"))}, 2)[1];
  if (first == 0) return e.bind(order);
  e.bind(e.node("Slice", {order, e.constant(Shape{first}), e.size(ends), e.constant(Shape{dim})}));
}

void cumulated(Emitter& e) {
  if (e.input(0).shape.rank() == 0) return e.bind(e.in(0, e.output().dtype));
  e.bind(
      e.node("CumSum", {e.in(0, e.output().dtype), e.constant(static_cast<double>(e.integer("dim")), DType::int64)}));
}

}  // namespace

void add_reducing(Translations& t) {
  t["sum"] = reduction("ReduceSum");
  t["mean"] = reduction("ReduceMean");
  t["amax"] = reduction("ReduceMax");
  t["amin"] = reduction("ReduceMin");
  t["max"] = extreme("ReduceMax", "ArgMax");
  t["min"] = extreme("ReduceMin", "ArgMin");
  t["argmax"] = [](Emitter& e) { e.bind(place(e, "ArgMax")); };
  t["argmin"] = [](Emitter& e) { e.bind(place(e, "ArgMin")); };
  t["mean_square"] = mean_square;
  t["softmax"] = along("Softmax");
  t["log_softmax"] = along("LogSoftmax");
  t["nansum"] = [](Emitter& e) {
    const std::string x = e.in(0);
    const std::string numbers = e.node("Where", {e.node("IsNaN", {x}), e.constant(0, e.input(0).dtype), x});
    e.bind(reduced(e, "ReduceSum", numbers, e.integer("keep_dim") != 0));
  };
  t["norm"] = [](Emitter& e) {  // of power 0: the number of elements other than 0
    const std::string zero = e.node("Equal", {e.in(0), e.constant(0, e.input(0).dtype)});
    const std::string others = e.cast(e.node("Not", {zero}), DType::boolean, e.output().dtype);
    e.bind(reduced(e, "ReduceSum", others, e.integer("keep_dim") != 0));
  };
  t["median"] = [](Emitter& e) { e.bind(e.in(0)); };  // was chosen before
  t["cumsum"] = cumulated;
  t["argsort"] = argsort;
}

}  // namespace minima::onnx::detail
