#include <minima/io/csv.h>

#include <minima/io/mapped_file.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace minima {

namespace {

constexpr int kOpen = O_WRONLY | O_CREAT | O_APPEND;

template <class T>
void append_number(std::string& line, T value) {
  char text[40];
  line.append(text, std::to_chars(text, text + sizeof text, value).ptr);
  line += ',';
}

/// The offset behind the record that starts at `at`; npos if no line end closes it. Line ends in quotes do not count.
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
    : path_(path), columns_(std::move(columns)) {
  const std::string line = header(columns_);
  file_ = detail::open_file(path, kOpen | O_TRUNC, "cannot open for writing");
  detail::write_all(file_, line.data(), line.size(), path_);
}

CsvWriter CsvWriter::resume(const std::string& path, std::vector<std::string> columns, std::int64_t rows) {
  const std::string expected = header(columns);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || status.st_size == 0) return CsvWriter(path, std::move(columns));

  std::size_t end = 0;
  {
    const MappedFile mapped(path);
    const std::string_view text(reinterpret_cast<const char*>(mapped.data()), mapped.size());
    end = end_of_record(text, 0);
    if (end == std::string_view::npos || text.substr(0, end) != expected)
      throw FormatError(str(path, ": is not the log to go on with: its header is not ", expected.substr(0, expected.size() - 1)));
    for (std::int64_t row = 0; row != rows; ++row) {
      const std::size_t next = end_of_record(text, end);
      if (next == std::string_view::npos) break;
      end = next;
    }
  }
  detail::Descriptor file = detail::open_file(path, kOpen, "cannot open for writing");
  if (::ftruncate(file.number(), static_cast<off_t>(end)) != 0) detail::throw_file_error(path, "cannot shorten", errno);
  return CsvWriter(path, std::move(columns), std::move(file));
}

void CsvWriter::write_row(std::string& line, std::size_t cells) {
  if (cells != columns_.size())
    throw ValueError(str(path_, ": a row of ", cells, " cells for ", columns_.size(), " columns"));
  line.back() = '\n';
  detail::write_all(file_, line.data(), line.size(), path_);
}

}  // namespace minima
