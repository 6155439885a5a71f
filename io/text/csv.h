#pragma once

#include <minima/io/files/append_file.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace minima {

/// Writes a training log as CSV (RFC 4180 quoting, `\n` line ends, a decimal point in any locale):
///
///     CsvWriter log("log.csv", {"epoch", "loss", "accuracy"});
///     log.row(1, 0.5321f, 0.81f);
///
/// Each row is appended by a single write: readers see complete rows, and a killed run loses none for which `row` has
/// returned. Errors are FileError with the path; a row that did not fit on the disk leaves no trace.
class MINIMA_API CsvWriter {
 public:
  /// Creates or replaces the file, with this header.
  CsvWriter(const std::string& path, std::vector<std::string> columns);

  /// Resumes the file of an earlier run: keeps the first `rows` rows (-1: all) and drops the rest, including a last
  /// line cut short by a crash. Throws FormatError if the header differs. Creates the file if it is missing or holds
  /// only a part of this header.
  static CsvWriter resume(const std::string& path, std::vector<std::string> columns, std::int64_t rows = -1);

  /// Appends a row of numbers (the shortest text that reads back as the same value), booleans and text. Throws
  /// ValueError if the number of cells differs from that of the columns.
  template <class... Cells>
  void row(const Cells&... cells) {
    std::string line;
    (append_cell(line, cells), ...);
    write_row(line, sizeof...(Cells));
  }

 private:
  CsvWriter(detail::AppendFile file, std::vector<std::string> columns)
      : columns_(std::move(columns)), file_(std::move(file)) {}

  template <class T>
  static void append_cell(std::string& line, const T& value) {
    if constexpr (std::is_same_v<T, bool>) append(line, std::int64_t{value});
    else if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>) append(line, static_cast<std::uint64_t>(value));
    else if constexpr (std::is_integral_v<T>) append(line, static_cast<std::int64_t>(value));
    else append(line, value);
  }
  static void append(std::string& line, float value);
  static void append(std::string& line, double value);
  static void append(std::string& line, std::int64_t value);
  static void append(std::string& line, std::uint64_t value);
  static void append(std::string& line, const std::string& value);

  static std::string header(const std::vector<std::string>& columns);
  void write_row(std::string& line, std::size_t cells);

  std::vector<std::string> columns_;
  detail::AppendFile file_;
};

}  // namespace minima
