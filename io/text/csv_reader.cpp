#include <minima/io/text/csv_reader.h>

#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/text/number.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace minima {

namespace {

struct Cell {
  std::size_t begin, end;  ///< in the text, without quotes
  bool quoted;
};

/// The cells, row by row; all rows have the same number. Empty lines are no rows.
class Splitter {
 public:
  Splitter(std::string_view text, std::string source, char separator)
      : text_(text), source_(std::move(source)), separator_(separator) {
    if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = 3;  // a byte order mark
    while (at_ < text_.size()) read_row();
  }
  std::size_t width() const { return width_; }
  std::size_t rows() const { return width_ ? cells_.size() / width_ : 0; }
  const Cell& cell(std::size_t row, std::size_t column) const { return cells_[row * width_ + column]; }
  std::string value(const Cell& cell) const {
    std::string value(text_.substr(cell.begin, cell.end - cell.begin));
    if (cell.quoted)
      for (std::size_t i = value.find("\"\""); i != std::string::npos; i = value.find("\"\"", i + 1)) value.erase(i, 1);
    return value;
  }
  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(at, text_.size())), '\n');
    throw FormatError(str(detail::printable(source_), ": byte ", at, ", line ", line, ": ", detail::printable(what)));
  }

 private:
  void read_row() {
    const std::size_t start = at_, before = cells_.size();
    while (true) {
      read_cell();
      if (at_ < text_.size() && text_[at_] == separator_) {
        ++at_;
        continue;
      }
      if (at_ < text_.size() && text_[at_] == '\r') ++at_;
      if (at_ < text_.size() && text_[at_] != '\n') fail(at_, "expected a separator or a line end");
      ++at_;
      break;
    }
    const std::size_t count = cells_.size() - before;
    const Cell& last = cells_.back();
    if (count == 1 && last.begin == last.end && !last.quoted) {  // an empty line
      cells_.pop_back();
      return;
    }
    if (width_ == 0) width_ = count;
    if (count != width_) fail(start, str("a row of ", count, " cells, but the first has ", width_));
  }
  void read_cell() {
    const std::size_t start = at_;
    if (at_ < text_.size() && text_[at_] == '"') {
      while (true) {
        const std::size_t quote = text_.find('"', at_ + 1);
        if (quote == std::string_view::npos) fail(start, "a quoted cell does not end");
        at_ = quote + 1;
        if (at_ < text_.size() && text_[at_] == '"') continue;
        break;
      }
      cells_.push_back({start + 1, at_ - 1, true});
      return;
    }
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n' && text_[at_] != '\r') {
      if (text_[at_] == '"') fail(at_, "a quote inside an unquoted cell");
      ++at_;
    }
    cells_.push_back({start, at_, false});
  }

  std::string_view text_;
  std::string source_;
  char separator_;
  std::size_t at_ = 0, width_ = 0;
  std::vector<Cell> cells_;
};

template <class T>
bool read_number(std::string_view text, T& value) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if constexpr (std::is_same_v<T, double>) return read_float64(text, value);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

class ColumnReader {
 public:
  ColumnReader(const Splitter& cells, std::size_t first, std::size_t column, const std::vector<std::string>& missing)
      : cells_(cells), first_(first), column_(column), missing_(missing), rows_(cells.rows() - first) {}

  CsvColumn read(std::string name, CsvType type) const {
    CsvColumn result;
    result.name = std::move(name);
    const auto count = static_cast<std::int64_t>(rows_);
    result.missing = empty({count}, {.dtype = DType::boolean});
    for (std::size_t i = 0; i < rows_; ++i) result.missing.data<bool>()[i] = is_missing(i);
    if (type == CsvType::automatic)
      type = all<std::int64_t>(result) ? CsvType::integer : all<double>(result) ? CsvType::number : CsvType::text;
    result.type = type;
    if (type == CsvType::text) {
      for (std::size_t i = 0; i < rows_; ++i) result.texts.push_back(cells_.value(cell(i)));
    } else {
      result.values = empty({count}, {.dtype = type == CsvType::integer ? DType::int64 : DType::float64});
      if (type == CsvType::integer) fill<std::int64_t>(result, "an integer", 0);
      else fill<double>(result, "a number", std::numeric_limits<double>::quiet_NaN());
    }
    return result;
  }

 private:
  const Cell& cell(std::size_t row) const { return cells_.cell(first_ + row, column_); }
  bool is_missing(std::size_t row) const {
    return !cell(row).quoted && std::find(missing_.begin(), missing_.end(), cells_.value(cell(row))) != missing_.end();
  }
  template <class T>
  bool all(const CsvColumn& column) const {
    T value;
    for (std::size_t i = 0; i < rows_; ++i)
      if (!column.missing.data<bool>()[i] && (cell(i).quoted || !read_number(cells_.value(cell(i)), value)))
        return false;
    return true;
  }
  template <class T>
  void fill(CsvColumn& column, const char* kind, T none) const {
    for (std::size_t i = 0; i < rows_; ++i) {
      T& value = column.values.data<T>()[i];
      value = none;
      if (column.missing.data<bool>()[i]) continue;
      const std::string text = cells_.value(cell(i));
      constexpr std::size_t shown = 40;
      if (!read_number(text, value))
        cells_.fail(cell(i).begin, str("\"", text.substr(0, shown), "\" in column ", column.name, " is not ", kind));
    }
  }

  const Splitter& cells_;
  std::size_t first_, column_;
  const std::vector<std::string>& missing_;
  std::size_t rows_;
};

}  // namespace

const CsvColumn& CsvTable::column(std::string_view name) const {
  std::string names;
  for (const CsvColumn& column : columns) {
    if (column.name == name) return column;
    names += str(names.empty() ? "" : ", ", detail::printable(column.name));
  }
  throw ValueError(str("CsvTable: no column ", detail::printable(name), "; the columns are ", names));
}

CsvTable parse_csv(std::string_view text, const std::string& source, const CsvOptions& options) {
  if (options.separator == '"' || options.separator == '\n' || options.separator == '\r')
    throw ValueError("parse_csv: the separator must not be a quote or a line end");
  const Splitter cells(text, source, options.separator);
  if (options.types.size() > cells.width())
    throw ValueError(
        str("parse_csv: types for ", options.types.size(), " columns, but ", source, " has ", cells.width()));
  const std::size_t first = options.header && cells.rows() > 0 ? 1 : 0;
  CsvTable table;
  table.rows = static_cast<std::int64_t>(cells.rows() - first);
  for (std::size_t c = 0; c < cells.width(); ++c) {
    const std::string name = options.header ? cells.value(cells.cell(0, c)) : str(c);
    const CsvType type = c < options.types.size() ? options.types[c] : CsvType::automatic;
    table.columns.push_back(ColumnReader(cells, first, c, options.missing).read(name, type));
  }
  return table;
}

CsvTable read_csv(const std::string& path, const CsvOptions& options) {
  const MappedFile file(path);
  return parse_csv(file.text(), path, options);
}

}  // namespace minima
