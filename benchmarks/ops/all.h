#pragma once

#include "recurrent.h"
#include "rows.h"
#include "tail.h"

namespace rows {

inline std::vector<Row> all() {
  Rows r;
  add_common(r);
  add_tail(r);
  add_recurrent(r);
  return std::move(r.list);
}

}  // namespace rows
