#include <minima/ops/product/products.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/op.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minima {

namespace {

/// Letters, and from 256 on the dimensions of `...`, numbered from the last, since they broadcast from the right.
using Labels = std::vector<int>;
constexpr int first_ellipsis = 256;

/// A tensor with distinct labels for its dimensions.
struct Named {
  Tensor x;
  Labels labels;
};

bool has(const Labels& labels, int label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }

int place_of(const Labels& labels, int label) {
  return static_cast<int>(std::find(labels.begin(), labels.end(), label) - labels.begin());
}

[[noreturn]] void refuse(std::string_view equation, const std::string& why) {
  throw ValueError(str("einsum: \"", std::string(equation), "\": ", why));
}

/// One operand's labels, `ellipsis` of which belong to the dots.
Labels parse(std::string_view equation, std::string_view term, int ellipsis, bool& has_ellipsis) {
  Labels labels;
  has_ellipsis = false;
  for (std::size_t i = 0; i < term.size(); ++i) {
    const char c = term[i];
    if (c == ' ') continue;
    if (c == '.') {
      if (term.substr(i, 3) != "..." || has_ellipsis) refuse(equation, "dots must form a single ... per term");
      has_ellipsis = true;
      for (int d = ellipsis - 1; d >= 0; --d) labels.push_back(first_ellipsis + d);
      i += 2;
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      labels.push_back(c);
    } else {
      refuse(equation, std::string("'").append(1, c).append("' is not a letter"));
    }
  }
  return labels;
}

std::vector<std::string_view> split_terms(std::string_view terms) {
  std::vector<std::string_view> result;
  for (std::size_t start = 0;;) {
    const std::size_t comma = terms.find(',', start);
    result.push_back(terms.substr(start, comma - start));
    if (comma == std::string_view::npos) return result;
    start = comma + 1;
  }
}

/// Replaces dimensions with equal labels by their diagonal.
Named diagonal(std::string_view equation, const Tensor& operand, const Labels& labels) {
  Labels sorted = labels;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) return {operand, labels};
  const Tensor x = contiguous(operand);  // a diagonal needs elements with separate memory
  Named result{x, {}};
  Shape shape, strides;
  for (int d = 0; d < x.rank(); ++d) {
    const int label = labels[static_cast<std::size_t>(d)], at = place_of(result.labels, label);
    if (at == static_cast<int>(result.labels.size())) {
      result.labels.push_back(label);
      shape.push_back(x.shape()[d]);
      strides.push_back(x.strides()[d]);
    } else {
      if (shape[at] != x.shape()[d])
        throw ShapeError(str("einsum: \"", std::string(equation), "\": a letter has two different sizes in ", x));
      strides[at] += x.strides()[d];
    }
  }
  result.x = as_strided(x, Layout{shape, strides, x.layout().offset});
  return result;
}

/// Sums over labels in neither `wanted` nor `other`.
Named without_rest(const Named& operand, const Labels& wanted, const Labels& other) {
  Shape dims;
  Named result{operand.x, {}};
  for (std::size_t d = 0; d < operand.labels.size(); ++d)
    if (has(wanted, operand.labels[d]) || has(other, operand.labels[d])) result.labels.push_back(operand.labels[d]);
    else dims.push_back(static_cast<std::int64_t>(d));
  if (!dims.empty()) result.x = sum(operand.x, dims);
  return result;
}

/// Reordered to [batch…, rows…, columns…]; dimensions of size 1 are expanded to `sizes`.
Tensor ordered(const Named& operand, const Labels& order, const std::vector<std::int64_t>& sizes, const Shape& merged) {
  Shape dims, full;
  for (std::size_t i = 0; i < order.size(); ++i) {
    dims.push_back(place_of(operand.labels, order[i]));
    full.push_back(sizes[i]);
  }
  return reshape(expand(permute(operand.x, dims), full), merged);
}

Named contract(std::string_view equation, const Named& left, const Named& right, const Labels& wanted) {
  const Named a = without_rest(left, wanted, right.labels), b = without_rest(right, wanted, left.labels);
  Labels batch, rows, columns, summed;
  for (const int label : a.labels) {
    if (!has(b.labels, label)) rows.push_back(label);
    else (has(wanted, label) ? batch : summed).push_back(label);
  }
  for (const int label : b.labels)
    if (!has(a.labels, label)) columns.push_back(label);

  const auto size_of_label = [&](int label) {
    const std::int64_t in_a = has(a.labels, label) ? a.x.shape()[place_of(a.labels, label)] : 1;
    const std::int64_t in_b = has(b.labels, label) ? b.x.shape()[place_of(b.labels, label)] : 1;
    if (in_a != in_b && in_a != 1 && in_b != 1)
      throw ShapeError(str("einsum: \"", std::string(equation), "\": a letter has sizes ", in_a, " and ", in_b));
    return in_a == 1 ? in_b : in_a;
  };
  const auto sizes = [&](const Labels& labels) {
    std::vector<std::int64_t> result;
    for (const int label : labels) result.push_back(size_of_label(label));
    return result;
  };
  const auto count = [&](const Labels& labels) {
    Shape shape;
    for (const std::int64_t size : sizes(labels)) shape.push_back(size);
    return detail::checked_numel(shape, "einsum");
  };
  const auto joined = [](Labels x, const Labels& y, const Labels& z) {
    x.insert(x.end(), y.begin(), y.end());
    x.insert(x.end(), z.begin(), z.end());
    return x;
  };
  const Labels of_a = joined(batch, rows, summed), of_b = joined(batch, summed, columns),
               of_result = joined(batch, rows, columns);
  const Tensor product = matmul(ordered(a, of_a, sizes(of_a), {count(batch), count(rows), count(summed)}),
                                ordered(b, of_b, sizes(of_b), {count(batch), count(summed), count(columns)}));
  Shape shape;
  for (const std::int64_t size : sizes(of_result)) shape.push_back(size);
  return {reshape(product, shape), of_result};
}

}  // namespace

Tensor einsum(std::string_view equation, std::span<const Tensor> operands) {
  const std::size_t arrow = equation.find("->");
  const std::vector<std::string_view> terms = split_terms(equation.substr(0, arrow));
  if (terms.size() != operands.size())
    refuse(equation, str("has ", static_cast<std::int64_t>(terms.size()), " terms for ",
                         static_cast<std::int64_t>(operands.size()), " tensors"));

  std::vector<Named> named;
  Labels all;  // repeated for each operand that has them
  int ellipsis = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    detail::check_defined("einsum", operands[i]);
    if (!is_floating(operands[i].dtype()))
      throw DTypeError(str("einsum: operands must be floating, got ", operands[i], "; convert it with to()"));
    bool has_ellipsis = false;
    const int letters = static_cast<int>(parse(equation, terms[i], 0, has_ellipsis).size()), rank = operands[i].rank();
    if (has_ellipsis ? rank < letters : rank != letters)
      throw ShapeError(str("einsum: \"", std::string(equation), "\": term ", static_cast<std::int64_t>(i), " has ",
                           letters, " letters for ", operands[i]));
    const int dotted = rank - letters;
    ellipsis = std::max(ellipsis, dotted);
    const Labels labels = parse(equation, terms[i], dotted, has_ellipsis);
    all.insert(all.end(), labels.begin(), labels.end());
    named.push_back(diagonal(equation, operands[i], labels));
  }

  Labels output;
  if (arrow != std::string_view::npos) {
    bool has_ellipsis = false;
    output = parse(equation, equation.substr(arrow + 2), ellipsis, has_ellipsis);
    for (const int label : output) {
      if (!has(all, label)) refuse(equation, "the output has a letter that no operand has");
      if (std::count(output.begin(), output.end(), label) > 1) refuse(equation, "the output repeats a letter");
    }
  } else {
    for (int d = ellipsis - 1; d >= 0; --d) output.push_back(first_ellipsis + d);
    for (int letter = 'A'; letter <= 'z'; ++letter)
      if (std::count(all.begin(), all.end(), letter) == 1) output.push_back(letter);
  }

  Named result = named[0];
  for (std::size_t i = 1; i < named.size(); ++i) {
    Labels wanted = output;
    for (std::size_t later = i + 1; later < named.size(); ++later)
      wanted.insert(wanted.end(), named[later].labels.begin(), named[later].labels.end());
    result = contract(equation, result, named[i], wanted);
  }
  result = without_rest(result, output, {});
  Shape order;
  for (const int label : output) order.push_back(place_of(result.labels, label));
  return permute(result.x, order);
}

}  // namespace minima
