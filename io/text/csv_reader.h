#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minima {

/// Tells what the cells of a column hold.
enum class CsvType : std::uint8_t {
  automatic,  ///< integer if all cells are, else number if all are, else text
  integer,
  number,
  text,
};

struct CsvOptions {
  char separator = ',';
  bool header = true;               ///< the first row names the columns; else they are "0", "1", …
  std::vector<CsvType> types = {};  ///< by column; automatic if empty
  std::vector<std::string> missing = {"",    "NA",   "NaN",
                                      "nan", "null", "NULL"};  ///< unquoted cells that count as missing
};

/// A column of a table.
struct CsvColumn {
  std::string name;
  CsvType type = CsvType::text;    ///< never automatic
  Tensor values;                   ///< int64 or float64 [rows]; undefined for text. Missing: 0, or NaN
  std::vector<std::string> texts;  ///< of a text column
  Tensor missing;                  ///< bool [rows]
};

/// A file's rows, by column.
struct CsvTable {
  std::int64_t rows = 0;
  std::vector<CsvColumn> columns;
  /// Throws a ValueError that names the existing columns.
  MINIMA_API const CsvColumn& column(std::string_view name) const;
};

/// Reads RFC 4180 text: quoted cells may hold separators, line ends and doubled quotes; lines end in \n or \r\n, and
/// empty ones are skipped; numbers have a decimal point in any locale and are ±infinity or ±0 outside of float64's
/// range, as in Python. A column takes about 800 bytes besides its cells, so a file of nothing but commas takes 400
/// times its size. Throws FileError, or FormatError with path, byte and line, also if rows differ in their number of
/// cells or a cell does not have its column's type.
MINIMA_API CsvTable read_csv(const std::string& path, const CsvOptions& options = {});
/// The same from memory.
MINIMA_API CsvTable parse_csv(std::string_view text, const std::string& source, const CsvOptions& options = {});

}  // namespace minima
