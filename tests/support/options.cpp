#include "tests/support/options.h"

#include "tests/support/limits.h"
#include "tests/support/public_headers.h"

#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <set>

namespace minima::test {

namespace {

/// Parsed from `[0, 1)`.
class Accepted {
 public:
  explicit Accepted(const std::string& text) : nonzero_(text == "nonzero"), any_(text == "any") {
    if (any_) return;
    const std::string interval = nonzero_ ? "(-inf, inf)" : text;
    const std::size_t comma = interval.find(',');
    includes_low_ = interval.front() == '[', includes_high_ = interval.back() == ']';
    if (comma == std::string::npos || (!includes_low_ && interval.front() != '('))
      ADD_FAILURE() << "no range: " << text;
    low_ = std::strtold(interval.c_str() + 1, nullptr), high_ = std::strtold(interval.c_str() + comma + 1, nullptr);
  }
  bool contains(long double v) const {
    if (any_) return true;
    return (includes_low_ ? v >= low_ : v > low_) && (includes_high_ ? v <= high_ : v < high_) && !(nonzero_ && v == 0);
  }
  bool has_reason_to_give() const { return contains(INFINITY) || contains(-INFINITY) || any_; }

 private:
  bool nonzero_, any_, includes_low_ = true, includes_high_ = true;
  long double low_ = -INFINITY, high_ = INFINITY;
};

const std::vector<double>& extremes(double) {
  static const std::vector<double> values{NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 1e300, -1, 0, 4.9e-324};
  return values;
}
const std::vector<std::int64_t>& extremes(std::int64_t) {
  static const std::vector<std::int64_t> values{
      INT64_MIN, INT64_MAX, std::int64_t{1} << 62, -(std::int64_t{1} << 62), std::int64_t{1} << 31, -1, 0};
  return values;
}
const std::vector<int>& extremes(int) {
  static const std::vector<int> values{INT_MIN, INT_MAX, 1 << 30, -1, 0};
  return values;
}
const std::vector<std::size_t>& extremes(std::size_t) {
  static const std::vector<std::size_t> values{SIZE_MAX, std::size_t{1} << 63, std::size_t{1} << 40, 0};
  return values;
}

/// Whether an error's text has the option. Dimensions are named as such, whatever the option is called.
bool names(const std::string& text, const OptionRow& row, const std::string& value) {
  const auto has = [&](const std::string& part) { return !part.empty() && text.find(part) != std::string::npos; };
  if (has("cannot hold " + value)) return true;  // float32 has no room for the largest numbers
  return has(row.name.substr(row.name.find('.') + 1)) || has(row.called) || has("dimension " + value);
}

template <class T>
int try_values(const OptionRow& row, void (*call)(T)) {
  const Accepted accepted(row.range);
  if (std::is_same_v<T, double> && accepted.has_reason_to_give() && row.why.empty())
    ADD_FAILURE() << row.name << ": say what infinity means";
  for (const T value : extremes(T())) {
    const Verdict verdict = within_limits([&] { call(value); });
    const std::string what = str(row.name, " = ", value, ", which may be ", row.range, ": ");
    if (verdict.outcome == Outcome::intolerable) {
      ADD_FAILURE() << what << verdict.text;
    } else if (!accepted.contains(static_cast<long double>(value))) {
      if (verdict.outcome != Outcome::refused) ADD_FAILURE() << what << "accepted";
      else if (!names(verdict.text, row, str(value)) || verdict.text.find(str(value)) == std::string::npos)
        ADD_FAILURE() << what << "the error does not name it: " << verdict.text;
    } else if (std::is_same_v<T, double> && verdict.outcome != Outcome::done && !names(verdict.text, row, str(value))) {
      ADD_FAILURE() << what << verdict.text;
    }
  }
  return static_cast<int>(extremes(T()).size());
}

/// Whether users write the struct with designated initialisers: it is called so, or is a function with settings.
bool is_options(const Declaration& type) {
  static const std::regex named(R"((Options(Of)?|Limits)$)");
  static const std::set<std::string> others{"TruncatedNormal", "Kaiming",   "RopeScaling",
                                            "LinePlot",        "ImageGrid", "SchedulePlot"};
  if (type.kind != Declaration::Kind::type || type.body.empty() || !type.text.starts_with("struct ")) return false;
  if (std::regex_search(type.name, named) || others.contains(type.name)) return true;
  for (const std::string& line : type.body)
    if (line.find("Tensor operator()(const Tensor&") != std::string::npos) return true;
  return false;
}

/// The fields of numbers and sizes, by the look of their types.
std::vector<std::string> numeric_fields(const Declaration& type) {
  static const std::regex field(
      R"(^((?:std::)?[\w:<>, ]*\b(?:int|double|float|int64_t|size_t|uint64_t|Pair|Triple|Shape|ResizeSize|Interval)\b[\w:<>, ]*?[> ] *)(\w+ *[={;,].*))");
  static const std::regex further(R"(, *(\w+)(?= *[=,;]))");
  std::vector<std::string> fields;
  for (const std::string& line : type.body) {
    std::smatch found;
    if (line.starts_with(' ') || line.starts_with("static ") || line.starts_with("constexpr ") ||
        !std::regex_search(line, found, field))
      continue;
    const std::string names = ", " + std::regex_replace(found[2].str(), std::regex(R"(\{[^}]*\}|\([^)]*\)|//.*)"), "");
    for (std::sregex_iterator at(names.begin(), names.end(), further), end; at != end; ++at) fields.push_back((*at)[1]);
  }
  return fields;
}

}  // namespace

void try_options(const std::string& layer, const std::vector<OptionRow>& rows) {
  std::set<std::string> tried;
  int values = 0, structs = 0, options = 0;
  for (const OptionRow& row : rows) {
    tried.insert(row.name);
    if (row.name.find('.') == std::string::npos) EXPECT_NE(row.why, "") << row.name;
    else values += std::visit([&](auto call) { return try_values(row, call); }, row.call);
  }
  for (const Header& header : read_headers(MINIMA_FIXTURES "/../..", layer))
    for (const Declaration& type : header.declarations) {
      if (!is_options(type) || tried.contains(type.name)) continue;
      ++structs;
      for (const std::string& field : numeric_fields(type)) {
        ++options;
        EXPECT_TRUE(tried.contains(type.name + "." + field))
            << header.path << ": " << type.name << "." << field << " needs a row in tests/" << layer
            << "/options_test.cpp";
      }
    }
  std::printf("%s: %d structs of options, %d numeric options, %d values\n", layer.c_str(), structs, options, values);
}

}  // namespace minima::test
