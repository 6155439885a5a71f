#pragma once

#include "table.h"

#include <minima/io/text/json.h>

#include <string>

namespace bench {

/// The table with aligned columns, under its title.
std::string text_of(const Benchmark& benchmark, const Table& table);
/// {"columns": […], "rows": {name: {column: figure}}, "notes": […], "processor": {"cores", "usable", "share"}}; figures
/// that are missing are left out.
minima::Json json_of(const Table& table);

}  // namespace bench
