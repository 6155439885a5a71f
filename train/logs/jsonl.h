#pragma once

#include <minima/io/files/append_file.h>
#include <minima/io/text/json.h>

#include <string>
#include <vector>

namespace minima {

/// A log with one JSON object per line: `log.row({{"step", 1}, {"loss", 0.5}})`. Every row is appended by one write.
/// NaN and infinities, which JSON cannot express, become null, and bytes that are not UTF-8 become U+FFFD. Throws
/// FileError; a row that does not fit on the disk leaves the file unchanged.
class MINIMA_API JsonlWriter {
 public:
  /// Appends to the file, or creates it. Drops a last row cut off by a crash. Throws FormatError if the last line is
  /// not a JSON object, since the file is then not such a log.
  explicit JsonlWriter(const std::string& path);
  void row(const std::vector<Json::Member>& members);

 private:
  detail::AppendFile file_;
};

}  // namespace minima
