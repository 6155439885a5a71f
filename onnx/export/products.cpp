#include <minima/onnx/export/activations.h>
#include <minima/onnx/export/emitter.h>
#include <minima/tensor/base/dtype.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

// Matrix products, linear layers and attention.

namespace minima::onnx::detail {

std::string linear(Emitter& e, const std::string& x, int rank, std::size_t i) {
  const std::string bias = e.has(i + 1) ? e.in(i + 1) : std::string();
  if (rank == 2) {
    if (bias.empty()) return e.node("Gemm", {x, e.in(i)}, {integer("transB", 1)});
    return e.node("Gemm", {x, e.in(i), bias}, {integer("transB", 1)});
  }
  const std::string y = e.node("MatMul", {x, e.node("Transpose", {e.in(i)}, {integers("perm", {1, 0})})});
  return bias.empty() ? y : e.node("Add", {y, bias});
}

namespace {

/// The places 0 … count - 1 of the dimension `dim` of input i.
std::string places(Emitter& e, std::size_t i, int dim) {
  const std::vector<std::int64_t> counts =
      each(e.input_shapes(i), [&](const Shape& shape) { return shape[dim < 0 ? dim + shape.rank() : dim]; });
  return e.node("Range",
                {e.constant(0, DType::int64), e.node("Squeeze", {e.size(counts)}), e.constant(1, DType::int64)});
}

/// Attention's inputs by groups of heads: q [..., Hk, G, L, E], k and v [..., Hk, 1, S, E].
class Groups {
 public:
  explicit Groups(Emitter& e) : e_(e) {
    const Shape &q = e.input(0).shape, &k = e.input(1).shape;
    if (q.rank() < 3) return;
    heads_ = q[q.rank() - 3];
    key_heads_ = k[k.rank() - 3];
    are_grouped_ = heads_ != key_heads_;
  }
  bool are_grouped() const { return are_grouped_; }

  std::string query(const std::string& q) const { return split(q, e_.input_shapes(0)); }
  std::string key(const std::string& k) const {
    if (!are_grouped_) return k;
    return e_.node("Unsqueeze", {k, e_.constant(Shape{e_.input(1).shape.rank() - 2})});
  }
  std::string mask(const std::string& mask) const {
    const Shape& shape = e_.input(3).shape;
    if (!are_grouped_ || shape.rank() < 3) return mask;
    if (shape[shape.rank() - 3] == 1) return e_.node("Unsqueeze", {mask, e_.constant(Shape{shape.rank() - 2})});
    return split(mask, e_.input_shapes(3));
  }
  /// Segments [..., L] against scores [..., Hk, G, L, L] or [..., H, L, L].
  std::string documents(const std::string& segments) const {
    if (e_.input(0).shape.rank() < 3) return segments;
    return e_.node("Unsqueeze", {segments, e_.constant(are_grouped_ ? Shape{-2, -3} : Shape{-2})});
  }
  std::string result(const std::string& y) const {
    if (!are_grouped_) return y;
    const std::vector<Shape> to = e_.output_shapes();
    return e_.reshape(y, each(to, [&](const Shape& shape) { return apart(shape); }), to);
  }

 private:
  Shape apart(const Shape& whole) const {
    Shape shape;
    for (int d = 0; d < whole.rank(); ++d) {
      if (d == whole.rank() - 3) shape.push_back(key_heads_), shape.push_back(heads_ / key_heads_);
      else shape.push_back(whole[d]);
    }
    return shape;
  }
  std::string split(const std::string& x, const std::vector<Shape>& shapes) const {
    if (!are_grouped_) return x;
    return e_.reshape(x, shapes, each(shapes, [&](const Shape& shape) { return apart(shape); }));
  }

  Emitter& e_;
  std::int64_t heads_ = 1, key_heads_ = 1;
  bool are_grouped_ = false;
};

/// softmax(q·kᵀ · scale + mask)·v in its parts.
void attention(Emitter& e) {
  if (e.number("dropout") != 0) e.refuse("it has dropout; call eval() before");
  const DType dtype = e.output().dtype;
  const Groups groups(e);
  const int rank = e.input(1).shape.rank() + (groups.are_grouped() ? 1 : 0);
  const std::string keys = e.transposed_last(groups.key(e.in(1)), rank);
  const std::string scaled = e.node("Mul", {groups.query(e.in(0)), e.constant(e.number("scale"), dtype)});
  std::string scores = e.node("MatMul", {scaled, keys});
  const std::string never = e.constant(-std::numeric_limits<double>::infinity(), dtype);
  const bool causal = e.integer("causal") != 0;
  const std::int64_t window = e.integer("window");
  if (causal || window > 0) {
    const std::string query = e.node("Unsqueeze", {places(e, 0, -2), e.constant(Shape{1})}), key = places(e, 1, -2);
    const auto keep = [&](const std::string& seen) { scores = e.node("Where", {seen, scores, never}); };
    if (causal) keep(e.node("LessOrEqual", {key, query}));
    if (window > 0)
      keep(e.node("Less", {e.node("Abs", {e.node("Sub", {key, query})}),
                           e.constant(static_cast<double>(window), DType::int64)}));
  }
  if (e.has(4)) {  // documents
    const std::string documents = groups.documents(e.in(4));
    const std::string same = e.node("Equal", {e.node("Unsqueeze", {documents, e.constant(Shape{-1})}),
                                              e.node("Unsqueeze", {documents, e.constant(Shape{-2})})});
    scores = e.node("Where", {same, scores, never});
  }
  const bool masked = e.has(3);
  if (masked) {
    if (e.input(3).dtype == DType::boolean) scores = e.node("Where", {groups.mask(e.in(3)), scores, never});
    else scores = e.node("Add", {scores, e.cast(groups.mask(e.in(3)), e.input(3).dtype, dtype)});
  }
  std::string weights = e.node("Softmax", {scores}, {integer("axis", rank - 1)});
  if (masked)  // a query that sees no key gives zeros
    weights = e.node("Where", {e.node("IsNaN", {weights}), e.constant(0, dtype), weights});
  e.bind(groups.result(e.node("MatMul", {weights, groups.key(e.in(2))})));
}

/// Pairs of columns turned by their angles; columns after those of the tables stay.
void rotary(Emitter& e) {
  const DType dtype = e.output().dtype, table = e.input(1).dtype;
  const std::int64_t width = 2 * e.input(1).shape.back(), columns = e.input(0).shape.back();
  const bool interleaved = e.integer("interleaved") != 0;
  const std::int64_t last = e.input(0).shape.rank() - 1;
  const std::string x = e.in(0, table), cos = e.in(1), sin = e.in(2);
  const auto part = [&](std::int64_t start, std::int64_t stop, std::int64_t step) {
    return e.node("Slice", {x, e.constant(Shape{start}), e.constant(Shape{stop}), e.constant(Shape{last}),
                            e.constant(Shape{step})});
  };
  const std::string a = interleaved ? part(0, width, 2) : part(0, width / 2, 1),
                    b = interleaved ? part(1, width, 2) : part(width / 2, width, 1);
  const auto times = [&](const std::string& p, const std::string& q) { return e.node("Mul", {p, q}); };
  std::string first = e.node("Sub", {times(a, cos), times(b, sin)});
  std::string second = e.node("Add", {times(b, cos), times(a, sin)});
  std::string turned;
  if (!interleaved) {
    turned = e.node("Concat", {first, second}, {integer("axis", last)});
  } else {
    first = e.node("Unsqueeze", {first, e.constant(Shape{-1})});
    second = e.node("Unsqueeze", {second, e.constant(Shape{-1})});
    std::vector<Shape> to, from;
    for (const Shape& shape : e.output_shapes()) {
      to.push_back(shape);
      to.back()[shape.rank() - 1] = width;
      from.push_back(shape);
      from.back()[shape.rank() - 1] = width / 2;
      from.back().push_back(2);
    }
    turned = e.reshape(e.node("Concat", {first, second}, {integer("axis", last + 1)}), from, to);
  }
  if (width < columns) turned = e.node("Concat", {turned, part(width, columns, 1)}, {integer("axis", last)});
  e.bind(e.cast(turned, table, dtype));
}

}  // namespace

void add_products(Translations& t) {
  t["matmul"] = [](Emitter& e) { e.bind(e.node("MatMul", {e.in(0), e.in(1)})); };
  t["det"] = [](Emitter& e) { e.bind(e.node("Det", {e.in(0)})); };
  t["linear"] = [](Emitter& e) {
    e.bind(activated(e, linear(e, e.in(0), e.input(0).shape.rank(), 1), e.word("activation")));
  };
  t["feed_forward"] = [](Emitter& e) {
    const int rank = e.input(0).shape.rank();
    const std::string hidden = activated(e, linear(e, e.in(0), rank, 1), e.word("activation"));
    e.bind(linear(e, hidden, rank, 3));
  };
  t["scaled_dot_product_attention"] = attention;
  t["rotary_embedding"] = rotary;
}

}  // namespace minima::onnx::detail
