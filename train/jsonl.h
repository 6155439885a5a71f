#pragma once

#include <minima/io/json.h>
#include <minima/io/posix_file.h>

#include <string>
#include <vector>

namespace minima {

/// A log with one JSON object per line: `log.row({{"step", 1}, {"loss", 0.5}})`. A row is one write at the end of the
/// file. NaN and infinities, which JSON does not know, become null. Errors are FileError.
class MINIMA_API JsonlWriter {
 public:
  /// Goes on at the end of the file, or starts it.
  explicit JsonlWriter(const std::string& path);
  void row(const std::vector<Json::Member>& members);

 private:
  std::string path_;
  detail::Descriptor file_;
};

}  // namespace minima
