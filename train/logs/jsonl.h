#pragma once

#include <minima/io/files/append_file.h>
#include <minima/io/text/json.h>

#include <string>
#include <vector>

namespace minima {

/// A log with one JSON object per line: `log.row({{"step", 1}, {"loss", 0.5}})`. A row is one write at the end of the
/// file. NaN and infinities, which JSON does not know, become null. Errors are FileError; a row that did not fit the
/// disk leaves no trace.
class MINIMA_API JsonlWriter {
 public:
  /// Goes on at the end of the file, or starts it. What a crash left of a last row is dropped. Throws FormatError for a
  /// file whose last line is no row, which cannot be such a log.
  explicit JsonlWriter(const std::string& path);
  void row(const std::vector<Json::Member>& members);

 private:
  detail::AppendFile file_;
};

}  // namespace minima
