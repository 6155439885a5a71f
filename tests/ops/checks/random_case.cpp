#include "tests/ops/checks/random_case.h"

#include "tests/support/compare.h"

#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>

namespace minima::test {

namespace {

int below(RandomEngine& engine, std::size_t n) { return static_cast<int>(engine() % n); }
bool one_in(RandomEngine& engine, int n) { return below(engine, static_cast<std::size_t>(n)) == 0; }

template <class T>
const T& pick(RandomEngine& engine, const std::vector<T>& from) {
  return from[static_cast<std::size_t>(below(engine, from.size()))];
}

std::uint64_t seed_of(const std::string& name, std::uint64_t number) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash + 0x9E3779B97F4A7C15u * (number + 1);
}

std::string number_text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

template <class T, class From>
T element(From x) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) return T(static_cast<float>(x));
  else return static_cast<T>(x);
}

/// Other sizes: each size of a row becomes another one wherever it is.
void resize(std::vector<Shape>& shapes, RandomEngine& engine) {
  constexpr std::int64_t most = 4096;
  std::map<std::int64_t, std::int64_t> becomes;
  for (const Shape& shape : shapes)
    for (const std::int64_t size : shape)
      if (size != 1) becomes.emplace(size, size);
  if (becomes.empty()) return;
  static const std::vector<std::int64_t> sizes{0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 33, 64, 67};
  const int all = one_in(engine, 2);
  const int chosen = below(engine, becomes.size());
  int at = 0;
  for (auto& [size, other] : becomes)
    if (all || at++ == chosen) other = pick(engine, sizes);
  std::vector<Shape> resized = shapes;
  for (Shape& shape : resized) {
    for (std::int64_t& size : shape)
      if (const auto found = becomes.find(size); found != becomes.end()) size = found->second;
    if (numel(shape) > most) return;
  }
  shapes = resized;
}

/// One dimension of one input becomes 1, or leading ones go.
void make_broadcast(std::vector<Shape>& shapes, RandomEngine& engine) {
  Shape& shape = shapes[static_cast<std::size_t>(below(engine, shapes.size()))];
  if (shape.rank() == 0) return;
  const int d = below(engine, static_cast<std::size_t>(shape.rank()));
  if (one_in(engine, 2)) {
    shape[d] = 1;
    return;
  }
  Shape rest;
  for (int i = d; i < shape.rank(); ++i) rest.push_back(shape[i]);
  shape = rest;
}

/// Which numbers a dtype has at its ends.
std::vector<double> real_extremes(DType dtype, Extremes extremes) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const double most = most_of(dtype), least = least_of(dtype), normal = least / epsilon_of(dtype);
  std::vector<double> values{0.0, -0.0, 1.0, -1.0, 0.5, -2.5, least, -least, normal, -normal};
  if (extremes == Extremes::all) values.insert(values.end(), {inf, -inf, nan, inf, -inf, nan});
  if (extremes == Extremes::large) values = {0.0, 1000, -1000, 3000, -700, 1};
  if (extremes == Extremes::huge) values.insert(values.end(), {most, -most, most, -most, most / 4, std::sqrt(most)});
  return values;
}

std::vector<std::int64_t> whole_extremes(DType dtype, Extremes extremes) {
  const auto bits = static_cast<unsigned>(8 * size_of(dtype));
  const bool is_signed = dtype != uint8;
  const auto most = static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) - 1), least = -most - 1;
  std::vector<std::int64_t> values{0, 1, is_signed ? -1 : 2, 2};
  if (extremes == Extremes::all || extremes == Extremes::huge) {
    if (is_signed) values.insert(values.end(), {most, least, most - 1, least + 1});
    else values.insert(values.end(), {255, 254, 128, 127});
  }
  return values;
}

/// Indices along dimensions of stride 0 see the number at 0.
template <class T>
void repeat(std::vector<T>& values, const Layout& layout) {
  std::size_t at = 0;
  std::vector<T> result(values.size());
  each_index(layout.shape, [&](const Shape& index) {
    std::int64_t from = 0;
    for (int d = 0; d < index.rank(); ++d)
      from = from * layout.shape[d] + (layout.strides[d] == 0 && layout.shape[d] > 1 ? 0 : index[d]);
    result[at++] = values[static_cast<std::size_t>(from)];
  });
  values = std::move(result);
}

RandomInput random_input(const Draw& row, const Shape& shape, DType dtype, Extremes extremes, RandomEngine& engine) {
  RandomInput input{.dtype = row.dtype.value_or(dtype),
                    .fixed = row.dtype.has_value(),
                    .differentiated = row.differentiated,
                    .layout = one_in(engine, 4) ? Layout::contiguous(shape) : random_layout(shape, true, engine)};
  Draw numbers = row;
  numbers.shape = shape;
  if (row.kind == Draw::Kind::given) {
    numbers.values.resize(static_cast<std::size_t>(numel(shape)));
    for (std::size_t i = 0; i < numbers.values.size(); ++i)
      numbers.values[i] = row.values.empty() ? 0 : row.values[i % row.values.size()];
    if (!is_floating(input.dtype) && !input.fixed)
      for (double& value : numbers.values) value = std::isfinite(value) ? std::fmod(value, 100) : 0;
  }
  const Doubles drawn = draw(numbers, input.dtype, engine());
  const bool mixed = extremes != Extremes::none && !input.fixed && input.dtype != boolean;
  const int rarely = pick(engine, std::vector<int>{2, 5, 20});
  if (is_floating(input.dtype)) {
    input.real = drawn.values;
    const std::vector<double> ends = real_extremes(input.dtype, extremes);
    for (double& value : input.real)
      if (mixed && one_in(engine, rarely)) value = rounded(pick(engine, ends), input.dtype);
    repeat(input.real, input.layout);
  } else {
    for (const double value : drawn.values) input.whole.push_back(static_cast<std::int64_t>(value));
    const std::vector<std::int64_t> ends =
        input.dtype == boolean ? std::vector<std::int64_t>{0, 1} : whole_extremes(input.dtype, extremes);
    for (std::int64_t& value : input.whole)
      if (mixed && one_in(engine, rarely)) value = pick(engine, ends);
    repeat(input.whole, input.layout);
  }
  return input;
}

}  // namespace

const char* name(Extremes extremes) {
  constexpr const char* names[] = {"none", "small numbers", "NaN and infinities", "large numbers", "huge numbers"};
  return names[static_cast<int>(extremes)];
}

double most_of(DType dtype) {
  switch (dtype) {
    case DType::float16: return 65504;
    case DType::bfloat16: return 0x1.FEp127;
    case DType::float32: return static_cast<double>(std::numeric_limits<float>::max());
    default: return std::numeric_limits<double>::max();
  }
}

double least_of(DType dtype) {
  switch (dtype) {
    case DType::float16: return 0x1p-24;
    case DType::bfloat16: return 0x1p-133;
    case DType::float32: return 0x1p-149;
    default: return 0x1p-1074;
  }
}

Layout random_layout(const Shape& shape, bool overlaps, RandomEngine& engine) {
  Shape order = shape;
  std::iota(order.begin(), order.end(), 0);
  if (const int rank = shape.rank(); (rank == 4 || rank == 5) && one_in(engine, 3)) {
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  } else if (one_in(engine, 2)) {
    std::shuffle(order.begin(), order.end(), engine);
  }
  Layout layout{shape, Strides::filled(shape.rank(), 0), below(engine, 4)};
  std::int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const auto d = static_cast<int>(order[i]);
    if (overlaps && one_in(engine, 6)) continue;
    if (one_in(engine, 5)) step *= 2 + below(engine, 2);
    layout.strides[d] = step;
    step *= std::max<std::int64_t>(shape[d], 1);
    if (one_in(engine, 5)) step += below(engine, 4);
  }
  return layout;
}

Tensor RandomInput::tensor(DType as, const Layout& where) const {
  const Tensor block = empty({where.numel() == 0 ? where.offset : where.end()}, {.dtype = as});
  dispatch<all_types>(as, "random case", [&]<class T> {
    T* data = block.data<T>();
    std::fill_n(data, block.numel(), is_floating(as) ? element<T>(NAN) : element<T>(101));
    std::size_t at = 0;
    each_index(where.shape, [&](const Shape& index) {
      std::int64_t place = where.offset;
      for (int d = 0; d < index.rank(); ++d) place += index[d] * where.strides[d];
      data[place] = is_floating(dtype) ? element<T>(real[at]) : element<T>(whole[at]);
      ++at;
    });
  });
  return Tensor(new TensorImpl(block.impl()->storage, where, as));
}

std::string RandomInput::text() const {
  constexpr std::size_t shown = 40;
  const std::size_t count = std::max(real.size(), whole.size());
  std::string out = str(dtype, " ", layout.shape, " strides ", layout.strides, " offset ", layout.offset, ":");
  for (std::size_t i = 0; i < std::min(count, shown); ++i)
    out += str(" ", is_floating(dtype) ? number_text(real[i]) : std::to_string(whole[i]));
  return out + (count > shown ? " …" : "");
}

std::int64_t RandomInput::place(const Shape& index) const {
  std::int64_t at = 0;
  for (int d = 0; d < layout.rank(); ++d) {
    const int along = d + index.rank() - layout.rank();
    const std::int64_t size = layout.shape[d];
    at = at * size + (along < 0 || size == 0 ? 0 : std::min(index[along], size - 1));
  }
  return layout.numel() == 0 ? -1 : at;
}

std::string RandomInput::near(const Shape& index) const {
  const std::int64_t at = place(index);
  if (at < 0) return "none";
  return is_floating(dtype) ? number_text(real[static_cast<std::size_t>(at)])
                            : std::to_string(whole[static_cast<std::size_t>(at)]);
}

std::string RandomCase::text() const {
  std::string out = str(call->text.empty() ? "" : call->text + ", ", dtype, ", extremes: ", test::name(extremes));
  for (std::size_t i = 0; i < inputs.size(); ++i) out += str("\n  input ", i, ": ", inputs[i].text());
  return out;
}

RandomCase random_case(const OpCases& cases, std::uint64_t number,
                       const std::function<bool(const RandomCase&)>& valid) {
  constexpr std::int64_t large = 10'000;
  constexpr int attempts = 6;
  RandomEngine engine(seed_of(cases.name(), number));
  RandomCase drawn;
  drawn.seed = engine();
  drawn.dtype = pick(engine, cases.dtypes());
  drawn.extremes = static_cast<Extremes>(std::max(0, below(engine, 7) - 2));
  const bool may_be_large = one_in(engine, 20);
  std::vector<std::pair<const OpCall*, const std::vector<Draw>*>> rows;
  for (int pass = 0; rows.empty() && pass < 2; ++pass)
    for (const OpCall& call : cases.calls())
      for (const auto& row : call.rows) {
        std::int64_t total = 0;
        for (const Draw& one : row) total += numel(one.shape);
        if (may_be_large || pass > 0 || total <= large) rows.emplace_back(&call, &row);
      }
  if (rows.empty()) return drawn;
  const auto [call, row] = pick(engine, rows);
  drawn.call = call;
  for (int attempt = 1; attempt <= attempts; ++attempt) {
    std::vector<Shape> shapes;
    for (const Draw& one : *row) shapes.push_back(one.shape);
    if (attempt < attempts && !shapes.empty()) {
      const int kind = below(engine, 4);
      if (kind != 0) resize(shapes, engine);
      if (kind % 2 == 0) make_broadcast(shapes, engine);
    }
    drawn.inputs.clear();
    for (std::size_t i = 0; i < row->size(); ++i)
      drawn.inputs.push_back(random_input((*row)[i], shapes[i], drawn.dtype, drawn.extremes, engine));
    if (valid(drawn)) break;
  }
  return drawn;
}

}  // namespace minima::test
