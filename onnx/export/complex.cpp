#include <minima/onnx/export/emitter.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Complex numbers as pairs in a last dimension, which ONNX's DFT takes and gives.

namespace minima::onnx::detail {

namespace {

std::string part(Emitter& e, const std::string& x, std::int64_t which) {
  return e.node("Gather", {x, e.constant(static_cast<double>(which), DType::int64)}, {integer("axis", -1)});
}
std::string from_parts(Emitter& e, const std::string& re, const std::string& im) {
  const std::string last = e.constant(Shape{-1});
  return e.node("Concat", {e.node("Unsqueeze", {re, last}), e.node("Unsqueeze", {im, last})}, {integer("axis", -1)});
}

/// The parts of input i in the call's complex dtype, those of a real tensor too.
std::string pairs(Emitter& e, std::size_t i, DType dtype) {
  const DType own = e.input(i).dtype, wanted = real_dtype(dtype);
  if (is_complex(own)) return e.cast(e.in(i), real_dtype(own), wanted);
  const std::string re = e.in(i, wanted);
  return from_parts(e, re, e.node("Expand", {e.constant(0, wanted), e.shape(e.input_shapes(i))}));
}
std::string pairs(Emitter& e, std::size_t i) { return pairs(e, i, e.output().dtype); }

std::vector<Shape> with_parts(std::vector<Shape> shapes) {
  for (Shape& shape : shapes) shape.push_back(2);
  return shapes;
}

std::string conjugate(Emitter& e, const std::string& x, DType dtype) {
  return e.node("Mul", {x, e.constant(from_vector<double>({1, -1}, {2}).to(real_dtype(dtype)))});
}

/// Sums and differences of parts: the formula of a product, with another operator for "times".
Translation product_by(const char* times) {
  return [times](Emitter& e) {
    const std::string x = pairs(e, 0), y = pairs(e, 1);
    const std::string a = part(e, x, 0), b = part(e, x, 1), c = part(e, y, 0), d = part(e, y, 1);
    const auto by = [&](const std::string& p, const std::string& q) { return e.node(times, {p, q}); };
    e.bind(from_parts(e, e.node("Sub", {by(a, c), by(b, d)}), e.node("Add", {by(a, d), by(b, c)})));
  };
}

std::string square_of_size(Emitter& e, const std::string& x) {
  return e.node("ReduceSum", {e.node("Mul", {x, x}), e.constant(Shape{-1})}, {integer("keepdims", 0)});
}

void quotient(Emitter& e) {
  const std::string x = pairs(e, 0), y = pairs(e, 1);
  const std::string a = part(e, x, 0), b = part(e, x, 1), c = part(e, y, 0), d = part(e, y, 1);
  const auto by = [&](const std::string& p, const std::string& q) { return e.node("Mul", {p, q}); };
  const std::string size = square_of_size(e, y);
  e.bind(from_parts(e, e.node("Div", {e.node("Add", {by(a, c), by(b, d)}), size}),
                    e.node("Div", {e.node("Sub", {by(b, c), by(a, d)}), size})));
}

/// f(emitter, x) with x's pairs.
template <class F>
Translation of_pairs(F f) {
  return [f](Emitter& e) { e.bind(f(e, pairs(e, 0, e.input(0).dtype))); };
}

/// One transform along a dimension of pairs, or of [..., 1] real numbers. ONNX divides an inverse one by its length.
std::string transformed(Emitter& e, const std::string& x, std::int64_t dim, bool inverse, bool half) {
  const Named ways = integer("inverse", inverse), sides = integer("onesided", half);
  if (e.opset() >= 20) return e.node("DFT", {x, "", e.constant(static_cast<double>(dim), DType::int64)}, {ways, sides});
  return e.node("DFT", {x}, {integer("axis", dim), ways, sides});
}

/// x times the call's scale, where `lengths[r]` is what ONNX has divided by in run r.
std::string scaled(Emitter& e, const std::string& x, const std::vector<double>& lengths) {
  const std::vector<double> scales = e.numbers("scale");
  double factor = 0;
  for (std::size_t r = 0; r < scales.size(); ++r) {
    const double own = scales[r] * lengths[r];
    if (r > 0 && std::abs(own - factor) > 1e-12 * std::abs(factor))
      e.refuse("its scale changes with the sizes of the inputs; use the default norm");
    factor = own;
  }
  if (std::abs(factor - 1) < 1e-12) return x;
  const DType dtype = is_complex(e.output().dtype) ? real_dtype(e.output().dtype) : e.output().dtype;
  return e.node("Mul", {x, e.constant(factor, dtype)});
}

/// The product of the sizes along dimensions in each run.
std::vector<double> lengths_along(const std::vector<Shape>& shapes, const Shape& dims) {
  std::vector<double> lengths;
  for (const Shape& shape : shapes) {
    double length = 1;
    for (const std::int64_t dim : dims) length *= static_cast<double>(shape[static_cast<int>(dim)]);
    lengths.push_back(length);
  }
  return lengths;
}

void whole_spectrum(Emitter& e) {
  const bool inverse = e.integer("inverse") != 0;
  const Shape dims = e.list("dims");
  std::string y = pairs(e, 0);
  for (const std::int64_t dim : dims) y = transformed(e, y, dim, inverse, false);
  e.bind(scaled(e, y, lengths_along(e.output_shapes(), inverse ? dims : Shape{})));
}

void expect_plain(Emitter& e) {
  if (e.number("inner") != 1) e.refuse("a transform of a gradient");
}

void half_spectrum(Emitter& e) {
  expect_plain(e);
  std::string y = e.node("Unsqueeze", {e.in(0), e.constant(Shape{-1})});
  y = transformed(e, y, e.integer("dim"), false, true);
  for (const std::int64_t dim : e.list("others")) y = transformed(e, y, dim, false, false);
  e.bind(scaled(e, y, std::vector<double>(e.runs(), 1)));
}

/// The other half is the conjugate of the numbers before the middle, in reverse.
void from_half_spectrum(Emitter& e) {
  expect_plain(e);
  const std::int64_t dim = e.integer("dim");
  Shape all = e.list("others");
  std::string x = pairs(e, 0, e.input(0).dtype);
  for (const std::int64_t other : all) x = transformed(e, x, other, true, false);
  const std::vector<std::int64_t> last =
      each(e.output_shapes(), [&](const Shape& shape) { return (shape[static_cast<int>(dim)] - 1) / 2; });
  const std::string axis = e.constant(Shape{dim});
  const std::string back = e.node("Slice", {x, e.size(last), e.constant(Shape{0}), axis, e.constant(Shape{-1})});
  x = e.node("Concat", {x, conjugate(e, back, e.input(0).dtype)}, {integer("axis", dim)});
  all.push_back(dim);
  e.bind(scaled(e, part(e, transformed(e, x, dim, true, false), 0), lengths_along(e.output_shapes(), all)));
}

void padded(Emitter& e) {
  if (e.word("mode") != "constant" || e.number("value") != 0) e.refuse("complex numbers are padded with zeros only");
  const Shape before = e.list("left");
  Shape pads = before;
  pads.push_back(0);
  for (const std::int64_t amount : e.padding_behind(before)) pads.push_back(amount);
  pads.push_back(0);
  e.bind(e.node("Pad", {e.in(0), e.constant(pads), e.constant(0, real_dtype(e.output().dtype))}));
}

void joined_pairs(Emitter& e) {
  std::vector<std::string> parts;
  parts.reserve(e.count());
  for (std::size_t i = 0; i < e.count(); ++i) parts.push_back(pairs(e, i));
  e.bind(e.node("Concat", parts, {integer("axis", e.integer("dim"))}));
}

}  // namespace

void add_complex(Translations& t) {
  t["copy"] = [](Emitter& e) { e.bind(pairs(e, 0)); };
  t["to"] = [](Emitter& e) {
    if (!is_complex(e.output().dtype)) e.refuse("it drops the imaginary part; use real()");
    e.bind(pairs(e, 0));
  };
  t["copy_"] = [](Emitter& e) { e.bind(pairs(e, 1)); };
  t["fill_"] = [](Emitter& e) {
    const DType dtype = real_dtype(e.output().dtype);
    const std::string number = e.constant(from_vector<double>({e.number("value"), 0}, {2}).to(dtype));
    e.bind(e.node("Expand", {number, e.shape(with_parts(e.output_shapes()))}));
  };
  t["complex"] = [](Emitter& e) {
    const DType dtype = real_dtype(e.output().dtype);
    const std::string shape = e.shape(e.output_shapes());
    e.bind(from_parts(e, e.node("Expand", {e.in(0, dtype), shape}), e.node("Expand", {e.in(1, dtype), shape})));
  };
  t["cat"] = joined_pairs;
  t["pad"] = padded;
  t["add"] = [](Emitter& e) { e.bind(e.node("Add", {pairs(e, 0), pairs(e, 1)})); };
  t["sub"] = [](Emitter& e) { e.bind(e.node("Sub", {pairs(e, 0), pairs(e, 1)})); };
  t["mul"] = product_by("Mul");
  t["matmul"] = product_by("MatMul");
  t["div"] = quotient;
  t["neg"] = of_pairs([](Emitter& e, const std::string& x) { return e.node("Neg", {x}); });
  t["conj"] = of_pairs([](Emitter& e, const std::string& x) { return conjugate(e, x, e.output().dtype); });
  t["abs"] = of_pairs([](Emitter& e, const std::string& x) { return e.node("Sqrt", {square_of_size(e, x)}); });
  t["exp"] = of_pairs([](Emitter& e, const std::string& x) {
    const std::string size = e.node("Exp", {part(e, x, 0)}), angle = part(e, x, 1);
    return from_parts(e, e.node("Mul", {size, e.node("Cos", {angle})}), e.node("Mul", {size, e.node("Sin", {angle})}));
  });
  t["where"] = [](Emitter& e) {
    const std::string condition = e.node("Unsqueeze", {e.in(0), e.constant(Shape{-1})});
    e.bind(e.node("Where", {condition, pairs(e, 1), pairs(e, 2)}));
  };
  t["sum"] = [](Emitter& e) {
    const Shape dims = e.list("dims");
    if (dims.rank() == 0) return e.bind(pairs(e, 0));
    e.bind(e.node("ReduceSum", {pairs(e, 0), e.constant(dims)}, {integer("keepdims", e.integer("keep_dim"))}));
  };
  t["fft"] = whole_spectrum;
  t["rfft"] = half_spectrum;
  t["irfft"] = from_half_spectrum;
}

}  // namespace minima::onnx::detail
