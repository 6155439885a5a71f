#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minima {

enum class CsvType : std::uint8_t {
  automatic,  ///< integer if all cells are, else number if all are, else text
  integer,
  number,
  text,
};

struct CsvOptions {
  char separator = ',';
  bool header = true;               ///< the first row names the columns; else they are "0", "1", …
  std::vector<CsvType> types = {};  ///< by column; those without one are automatic
  std::vector<std::string> missing = {"",    "NA",   "NaN",
                                      "nan", "null", "NULL"};  ///< cells without quotes that hold no value
};

/// A column of a table.
struct CsvColumn {
  std::string name;
  CsvType type = CsvType::text;    ///< never automatic
  Tensor values;                   ///< int64 or float64 [rows]; undefined for text. Missing: 0, or NaN
  std::vector<std::string> texts;  ///< of a text column
  Tensor missing;                  ///< bool [rows]
};

struct CsvTable {
  std::int64_t rows = 0;
  std::vector<CsvColumn> columns;
  /// Throws ValueError naming the columns there are.
  MINIMA_API const CsvColumn& column(std::string_view name) const;
};

/// Reads RFC 4180 text: quoted cells may hold separators, line ends and doubled quotes; lines end in \n or \r\n;
/// numbers have a decimal point whatever the locale. Every row must have as many cells as the first, a column's cells
/// its type. Throws FileError, or FormatError with path, byte and line.
MINIMA_API CsvTable read_csv(const std::string& path, const CsvOptions& options = {});
/// The same from memory.
MINIMA_API CsvTable parse_csv(std::string_view text, const std::string& source, const CsvOptions& options = {});

}  // namespace minima
