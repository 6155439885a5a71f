#include <minima/ops/sort/searchsorted.h>

#include <core/bridge.h>

#include <array>
#include <limits>

// Functions of elements in groups: segments of a dimension, cells of a grid.

namespace at::bridge {

namespace m = minima;

namespace {

/// Which rows of the data, in one line, belong to which segment.
struct Segments {
  std::vector<std::int64_t> rows, segments, lengths;
};

Segments read_segments(const MT& given, bool is_offsets, std::int64_t size, bool unsafe) {
  const std::vector<std::int64_t> numbers = m::reshape(given, -1).to(m::int64).to_vector<std::int64_t>();
  const std::int64_t per_row = given.shape().back(), lines = per_row == 0 ? 0 : given.numel() / per_row;
  const std::int64_t count = is_offsets ? per_row - 1 : per_row;
  Segments found;
  for (std::int64_t line = 0; line < lines; ++line) {
    const std::int64_t* const row = numbers.data() + line * per_row;
    std::int64_t start = is_offsets ? row[0] : 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t length = is_offsets ? row[i + 1] - row[i] : row[i];
      TORCH_CHECK(length >= 0, is_offsets ? "offsets must not descend!" : "lengths contains negative value!");
      TORCH_CHECK(start >= 0 && length <= size - start, "segment_reduce(): segment ", i, " ends at ", start + length,
                  " of data with ", size, " elements along axis");
      for (std::int64_t j = 0; j < length; ++j) {
        found.rows.push_back(line * size + start + j);
        found.segments.push_back(line * count + i);
      }
      found.lengths.push_back(length);
      start += length;
    }
    TORCH_CHECK(is_offsets || unsafe || start == size,
                "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when "
                "!unsafe.");
  }
  return found;
}

MT vector_of(const std::vector<std::int64_t>& numbers, const MT& like) {
  return m::from_vector(numbers, static_cast<std::int64_t>(numbers.size()), like.device());
}

struct Kind {
  std::string_view name;
  m::ScatterMode mode;
  double empty;  // the result of an empty segment
};

const Kind& kind_of(std::string_view reduce) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr std::array kinds{Kind{"sum", m::ScatterMode::sum, 0}, Kind{"mean", m::ScatterMode::mean, 0},
                                    Kind{"max", m::ScatterMode::amax, -infinity},
                                    Kind{"min", m::ScatterMode::amin, infinity}, Kind{"prod", m::ScatterMode::prod, 1}};
  const auto* const found = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return k.name == reduce; });
  TORCH_CHECK(found != kinds.end(), "segment_reduce(): unsupported reduction given! ", reduce);
  return *found;
}

}  // namespace

MT segment_reduce(const MT& data, std::string_view reduce, const MT& lengths, const MT&, const MT& offsets,
                  std::int64_t axis, bool unsafe, std::optional<Number> initial) {
  const Kind& kind = kind_of(reduce);
  const bool is_offsets = offsets.defined();
  const MT& given = is_offsets ? offsets : lengths;
  TORCH_CHECK(given.defined(), "segment_reduce(): Either lengths or offsets must be defined.");
  const int dim = m::wrap_dim(axis, data.rank(), "segment_reduce");
  TORCH_CHECK(given.rank() == dim + 1 && data.rank() > dim,
              "segment_reduce(): Expected axis to be the last dimension of ", is_offsets ? "offsets" : "lengths",
              " but got ", axis, ".");

  const Segments found = read_segments(given, is_offsets, data.size(dim), unsafe);
  const auto count = static_cast<std::int64_t>(found.lengths.size());
  Shape line(-1), shape = data.shape(), flat(count);  // of the data in rows, of the result, of the result in rows
  for (int d = dim + 1; d < data.rank(); ++d) {
    line.push_back(data.size(d));
    flat.push_back(data.size(d));
  }
  line[0] = 1;
  for (int d = 0; d <= dim; ++d) line[0] *= data.size(d);
  shape[dim] = given.size(dim) - (is_offsets ? 1 : 0);

  const MT source = m::index_select(m::reshape(data, line), 0, vector_of(found.rows, data));
  const MT segments = vector_of(found.segments, data);
  const MT start = m::full(flat, number(initial, kind.empty), {.dtype = data.dtype(), .device = data.device()});
  if (kind.mode != m::ScatterMode::mean)
    return m::reshape(m::index_reduce(start, 0, segments, source, kind.mode, initial.has_value()), shape);

  Shape column = Shape::filled(flat.rank(), 1);
  column[0] = count;
  const MT sizes = m::reshape(vector_of(found.lengths, data), column).to(data.dtype());
  const MT mean = m::div(m::index_add(start, 0, segments, source), m::maximum(sizes, 1));
  const double empty = number(initial, std::numeric_limits<double>::quiet_NaN());
  return m::reshape(m::where(m::eq(sizes, 0), empty, mean), shape);
}

std::tuple<Tensor, std::vector<Tensor>> histogramdd(const MT& x, const std::vector<std::int64_t>& bins,
                                                    std::optional<ArrayRef<double>> range, const MT& weight,
                                                    bool density) {
  m::HistogramddOptions options{.weight = weight, .density = density};
  if (range) {
    TORCH_CHECK(range->size() == 2 * bins.size(), "torch.histogramdd(): range should have ", 2 * bins.size(),
                " elements, but got ", range->size());
    for (std::size_t i = 0; i < bins.size(); ++i) options.ranges.emplace_back((*range)[2 * i], (*range)[2 * i + 1]);
  }
  m::Histogramdd found = m::histogramdd(x, bins, options);
  return {found.counts, list(std::move(found.edges))};
}

std::tuple<Tensor, std::vector<Tensor>> histogramdd_between(const MT& x, std::span<const MT> edges, const MT& weight,
                                                            bool density) {
  TORCH_CHECK(x.rank() == 2 && x.size(1) == static_cast<std::int64_t>(edges.size()), "histogramdd: expected ",
              x.size(-1), " sequences of bin edges for a ", x.size(-1), "-dimensional histogram but got ",
              edges.size());
  const m::NoGrad constant;
  // Each coordinate becomes the number of its interval, and a half: its place in a grid of cells of size 1.
  std::vector<MT> places, kept;
  std::vector<std::int64_t> bins;
  m::HistogramddOptions options{.weight = weight};
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const MT values = m::contiguous(m::select(x.detach(), 1, static_cast<std::int64_t>(i)));
    const std::int64_t count = edges[i].numel() - 1;
    TORCH_CHECK(edges[i].rank() == 1 && count > 0, "histogramdd: bin edges must be vectors of at least 2 numbers, got ",
                IntArrayRef(edges[i].shape()));
    const MT place = m::searchsorted(edges[i], values, true) - 1;
    const MT inside = m::where(m::eq(values, edges[i][count]), count - 1, place);
    places.push_back(m::add(inside.to(x.dtype()), 0.5));
    options.ranges.emplace_back(0, static_cast<double>(count));
    bins.push_back(count);
    kept.push_back(edges[i]);
  }
  MT counts = m::histogramdd(m::stack(places, 1), bins, options).counts;
  if (density) {
    counts = m::div(counts, m::sum(counts));
    for (std::size_t i = 0; i < edges.size(); ++i) {
      Shape along = Shape::filled(static_cast<int>(edges.size()), 1);
      along[static_cast<int>(i)] = -1;
      counts = m::div(counts, m::reshape(m::diff(edges[i]), along));
    }
  }
  return {counts, list(std::move(kept))};
}

}  // namespace at::bridge
