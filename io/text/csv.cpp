#include <minima/io/text/csv.h>

#include <minima/io/files/append_file.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/files/posix_file.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <charconv>
#include <string_view>

namespace minima {

namespace {

template <class T>
void append_number(std::string& line, T value) {
  char text[40];
  line.append(text, std::to_chars(text, text + sizeof text, value).ptr);
  line += ',';
}

detail::AppendFile started(const std::string& path, const std::string& header) {
  detail::AppendFile file(path, O_TRUNC);
  file.append(header);
  return file;
}

/// The offset of the end of the record that starts at `at`, after its line end; npos without one. Ignores line ends in
/// quotes.
std::size_t end_of_record(std::string_view text, std::size_t at) {
  bool quoted = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (text[at] == '\n' && !quoted) return at + 1;
  }
  return std::string_view::npos;
}

}  // namespace

void CsvWriter::append(std::string& line, float value) { append_number(line, value); }
void CsvWriter::append(std::string& line, double value) { append_number(line, value); }
void CsvWriter::append(std::string& line, std::int64_t value) { append_number(line, value); }
void CsvWriter::append(std::string& line, std::uint64_t value) { append_number(line, value); }

void CsvWriter::append(std::string& line, const std::string& value) {
  if (value.find_first_of(",\"\r\n") == std::string::npos) {
    line += value;
  } else {
    line += '"';
    for (const char c : value) line.append(c == '"' ? 2 : 1, c);
    line += '"';
  }
  line += ',';
}

std::string CsvWriter::header(const std::vector<std::string>& columns) {
  if (columns.empty()) throw ValueError("CsvWriter: a table needs at least one column");
  std::string line;
  for (const std::string& column : columns) append(line, column);
  line.back() = '\n';
  return line;
}

CsvWriter::CsvWriter(const std::string& path, std::vector<std::string> columns)
    : CsvWriter{started(path, header(columns)), std::move(columns)} {}

CsvWriter CsvWriter::resume(const std::string& path, std::vector<std::string> columns, std::int64_t rows) {
  const std::string expected = header(columns);
  if (detail::size_of_file(path) == 0) return CsvWriter(path, std::move(columns));

  std::size_t end = 0;
  {
    const MappedFile mapped(path);
    const std::string_view text = mapped.text();
    end = end_of_record(text, 0);
    if (text.size() < expected.size() && expected.starts_with(text)) return CsvWriter(path, std::move(columns));
    if (end == std::string_view::npos || text.substr(0, end) != expected)
      throw FormatError(
          str(path, ": cannot resume this log: its header is not ", expected.substr(0, expected.size() - 1)));
    for (std::int64_t row = 0; row != rows; ++row) {
      const std::size_t next = end_of_record(text, end);
      if (next == std::string_view::npos) break;
      end = next;
    }
  }
  detail::AppendFile file(path);
  file.shorten(end);
  return CsvWriter(std::move(file), std::move(columns));
}

void CsvWriter::write_row(std::string& line, std::size_t cells) {
  if (cells != columns_.size())
    throw ValueError(str(file_.path(), ": a row of ", cells, " cells for ", columns_.size(), " columns"));
  line.back() = '\n';
  if (line == "\n") line = "\"\"\n";  // an empty line would be no row
  file_.append(line);
}

}  // namespace minima
