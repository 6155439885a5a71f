#pragma once

#include "rows.h"
#include "tail.h"

namespace rows {

inline std::vector<Row> all() {
  Rows r;
  add_common(r);
  add_tail(r);
  return std::move(r.list);
}

}  // namespace rows
