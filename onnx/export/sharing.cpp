#include <minima/onnx/export/recording.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/layout/layout.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

// Values that have the elements of another one, such as a squeezed unsqueeze, or the parts of a tensor joined again.
// Loading a graph calls for some of these, as where the gates of a recurrent layer are sorted back.

namespace minima::onnx::detail {

namespace {

/// Elements of a value in row-major order.
struct Range {
  int of = 0;
  std::int64_t first = 0, count = 0;
};

/// Lets the calls read one value in the place of several.
class Sharing {
 public:
  explicit Sharing(std::vector<Recording>& runs)
      : runs_(runs), first_(runs.front()), ranges_(runs.size()), same_(first_.values.size()), parts_(same_.size()) {
    std::iota(same_.begin(), same_.end(), 0);
    for (std::size_t r = 0; r < runs_.size(); ++r)
      for (const int v : same_) ranges_[r].push_back({v, 0, numel(value(v, r).shape)});
    for (const int v : same_)
      if (value(v).source != RecordedValue::Source::call) known_.emplace(key_of(v), v);
  }

  void run() {
    for (std::size_t c = 0; c < first_.calls.size(); ++c) {
      for (Recording& run : runs_)
        for (int& input : run.calls[c].inputs)
          if (input >= 0) input = same_[at(input)];
      const RecordedCall& call = first_.calls[c];
      const int y = call.outputs.empty() ? -1 : call.outputs.front();
      if (y >= 0 && call.inputs.size() == 1 && call.inputs[0] >= 0 && value(call.inputs[0]).dtype == value(y).dtype) {
        if (call.op == view_name) view(c, y);
        else if (call.op == "copy" || call.op == "to") take(y, [&](std::size_t r) { return range(call.inputs[0], r); });
      }
      if (call.op == "cat" && y >= 0) join(call, y);
      for (const int output : call.outputs)
        if (output >= 0 && same_[at(output)] == output)
          same_[at(output)] = known_.emplace(key_of(output), output).first->second;
    }
    for (Recording& run : runs_)
      for (int& output : run.outputs) output = same_[at(output)];
  }

 private:
  static std::size_t at(int v) { return static_cast<std::size_t>(v); }
  const RecordedValue& value(int v, std::size_t r = 0) const { return runs_[r].values[at(v)]; }
  const Range& range(int v, std::size_t r) const { return ranges_[r][at(v)]; }

  template <class F>
  void take(int y, F f) {
    for (std::size_t r = 0; r < runs_.size(); ++r) ranges_[r][at(y)] = f(r);
  }

  /// Returns a key that is equal for values of equal elements, shape and dtype in all runs.
  std::vector<std::int64_t> key_of(int v) const {
    std::vector<std::int64_t> key{static_cast<std::int64_t>(value(v).dtype)};
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const Range& own = range(v, r);
      key.insert(key.end(), {own.of, own.first, own.count});
      key.insert(key.end(), value(v, r).shape.begin(), value(v, r).shape.end());
    }
    return key;
  }

  /// A part of a range, within the part of a join that holds it, if there is one.
  Range inside(Range whole, std::int64_t first, std::int64_t count, std::size_t r) const {
    Range found{whole.of, whole.first + first, count};
    for (bool is_deeper = true; is_deeper;) {
      is_deeper = false;
      std::int64_t start = 0;
      for (const int part : parts_[at(found.of)]) {
        const Range& of_part = range(part, r);
        if (found.first >= start && found.first + count <= start + of_part.count) {
          found = {of_part.of, of_part.first + found.first - start, count};
          is_deeper = true;
          break;
        }
        start += of_part.count;
      }
    }
    return found;
  }

  /// Whether f(calls of run r) holds in each run.
  template <class F>
  bool in_all(F f) const {
    for (const Recording& run : runs_)
      if (!f(run.calls)) return false;
    return true;
  }

  const RecordedCall* maker(int v, const std::vector<RecordedCall>& calls) const {
    return value(v).source == RecordedValue::Source::call ? &calls[static_cast<std::size_t>(value(v).index)] : nullptr;
  }

  static bool is_row_major(const RecordedCall& view) {
    return view.op == view_name && view.before.is_contiguous() && view.after.is_contiguous() &&
           view.before.offset == view.after.offset && view.before.numel() == view.after.numel();
  }

  /// An embedding takes rows [V, D] and gives [..., D]: from and for other shapes it is between two views.
  bool is_gather(std::size_t c) const {
    if (is_complex(value(first_.calls[c].inputs[0]).dtype)) return false;
    return in_all([&](const std::vector<RecordedCall>& calls) {
      const RecordedCall* rows_of = maker(calls[c].inputs[0], calls);
      if (!rows_of || rows_of->op != "embedding" || !is_row_major(calls[c])) return false;
      const RecordedCall* flat = maker(rows_of->inputs[0], calls);
      if (!flat || !is_row_major(*flat) || flat->before.rank() == 0 || flat->before.shape[0] != flat->after.shape[0])
        return false;
      Shape shape;
      for (int d = 0; d + 1 < calls[c].before.rank(); ++d) shape.push_back(calls[c].before.shape[d]);
      for (int d = 1; d < flat->before.rank(); ++d) shape.push_back(flat->before.shape[d]);
      return shape == calls[c].after.shape;
    });
  }

  /// Whether a view and the one before it only add or remove dimensions of size 1.
  bool changes_ones_again(std::size_t c) const {
    const auto is_of_ones = [](const RecordedCall& view) {
      const auto long_sizes = [](const Shape& shape) {
        std::vector<std::int64_t> sizes(shape.begin(), shape.end());
        std::erase(sizes, 1);
        return sizes;
      };
      return is_row_major(view) && long_sizes(view.before.shape) == long_sizes(view.after.shape);
    };
    return in_all([&](const std::vector<RecordedCall>& calls) {
      const RecordedCall* before = maker(calls[c].inputs[0], calls);
      return before && is_of_ones(*before) && is_of_ones(calls[c]) && before->after == calls[c].before;
    });
  }

  void view(std::size_t c, int y) {
    if (is_gather(c)) {
      const RecordedCall& rows_of = *maker(first_.calls[c].inputs[0], first_.calls);
      const std::vector<int> inputs{maker(rows_of.inputs[0], first_.calls)->inputs[0], rows_of.inputs[1]};
      for (Recording& run : runs_) run.calls[c].op = gather_name, run.calls[c].inputs = inputs;
      return;
    }
    while (changes_ones_again(c)) {
      for (Recording& run : runs_) {
        const RecordedCall& before = *maker(run.calls[c].inputs[0], run.calls);
        run.calls[c].before = before.before;
        run.calls[c].inputs = before.inputs;
      }
    }
    const int x = first_.calls[c].inputs[0];
    const bool is_piece = in_all([&](const std::vector<RecordedCall>& calls) {
      const Layout &from = calls[c].before, &to = calls[c].after;
      const std::int64_t moved = to.offset - from.offset;
      return to.numel() > 0 && from.is_contiguous() && to.is_contiguous() && moved >= 0 &&
             moved + to.numel() <= from.numel();
    });
    if (is_piece)
      return take(y, [&](std::size_t r) {
        const Layout &from = runs_[r].calls[c].before, &to = runs_[r].calls[c].after;
        return inside(range(x, r), to.offset - from.offset, to.numel(), r);
      });
    // Views of views may come back to the places of the first tensor.
    std::size_t last = c;
    for (int from = x;; from = first_.calls[last].inputs[0]) {
      if (in_all([&](const auto& calls) { return same_elements(calls[last].before, calls[c].after); })) {
        same_[at(y)] = from;
        return;
      }
      if (value(from).source != RecordedValue::Source::call) return;
      const auto made = static_cast<std::size_t>(value(from).index);
      if (first_.calls[made].op != view_name || value(first_.calls[made].inputs[0]).dtype != value(y).dtype ||
          !in_all([&](const auto& calls) { return calls[made].after == calls[last].before; }))
        return;
      last = made;
    }
  }

  /// Parts of one tensor that follow each other are a part of it. Other joins are known by their parts, if these follow
  /// each other in row-major order.
  void join(const RecordedCall& call, int y) {
    const auto dim = static_cast<int>(call.attributes.integers.at("dim"));
    for (const int part : call.inputs)
      if (part < 0 || value(part).dtype != value(y).dtype) return;
    for (std::size_t r = 0; r < runs_.size(); ++r)
      for (int d = 0; d < dim; ++d)
        if (value(y, r).shape[d] != 1) return;
    bool follow = true;
    for (std::size_t r = 0; r < runs_.size(); ++r)
      for (std::size_t i = 1; i < call.inputs.size(); ++i) {
        const Range &before = range(call.inputs[i - 1], r), &own = range(call.inputs[i], r);
        follow = follow && own.of == before.of && own.first == before.first + before.count;
      }
    if (follow)
      return take(y, [&](std::size_t r) {
        return Range{range(call.inputs[0], r).of, range(call.inputs[0], r).first, numel(value(y, r).shape)};
      });
    parts_[at(y)] = call.inputs;
  }

  std::vector<Recording>& runs_;
  const Recording& first_;
  std::vector<std::vector<Range>> ranges_;  ///< of the values of each run
  std::vector<int> same_;                   ///< the value to read in the place of each
  std::vector<std::vector<int>> parts_;     ///< of joins along the outermost dimension
  std::map<std::vector<std::int64_t>, int> known_;
};

}  // namespace

bool same_elements(const Layout& a, const Layout& b) {
  if (a.shape != b.shape) return false;
  if (a.numel() == 0) return true;
  if (a.offset != b.offset) return false;
  for (int d = 0; d < a.rank(); ++d)
    if (a.shape[d] > 1 && a.strides[d] != b.strides[d]) return false;
  return true;
}

void share_values(std::vector<Recording>& runs) { Sharing(runs).run(); }

}  // namespace minima::onnx::detail
