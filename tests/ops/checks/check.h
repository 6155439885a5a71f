#pragma once

#include "tests/ops/checks/op_cases.h"

// A check takes a table and returns its complaints, so that the checks themselves can be tested on wrong operators.

namespace minima::test {

using Complaints = std::vector<std::string>;

struct Check {
  const char* name;
  Complaints (*run)(const OpCases&);
  bool (*applies)(const OpCases&);
};

/// The text starts with the operator's name, or that of its in-place form.
bool names_operator(const OpCases& cases, const std::string& text);

/// Every check there is, in the order in which an author wants to see them fail.
const std::vector<Check>& op_checks();

Complaints check_coverage(const OpCases& cases);  ///< the table has empty and large rows
Complaints check_values(const OpCases& cases);    ///< value, shape, dtype; inputs stay as they were
Complaints check_dtypes(const OpCases& cases);    ///< unclaimed dtypes throw DTypeError
Complaints check_result_layout(const OpCases& cases);
Complaints check_bad_calls(const OpCases& cases);  ///< exception types and exact texts
Complaints check_undefined(const OpCases& cases);  ///< undefined arguments are named, never followed
Complaints check_gradient(const OpCases& cases);   ///< gradcheck in float64
Complaints check_second_gradient(const OpCases& cases);
Complaints check_no_gradient(const OpCases& cases);
Complaints check_fast_gradient(const OpCases& cases);           ///< backward() equals grad(create_graph); .grad adds up
Complaints check_low_precision_gradient(const OpCases& cases);  ///< against float64 on the same numbers
Complaints check_repeatable(const OpCases& cases);              ///< bitwise, also at 1 and 2 threads
Complaints check_in_place(const OpCases& cases);
Complaints check_in_place_gradient(const OpCases& cases);
Complaints check_cost(const OpCases& cases);          ///< what writes memory says so to the observer
Complaints check_hidden(const OpCases& cases);        ///< nothing is kept or allocated for a gradient nobody wants
Complaints check_random_cases(const OpCases& cases);  ///< other sizes, layouts, dtypes and numbers than the rows'
Complaints check_huge(const OpCases& cases);          ///< sizes up to 2^62 end in an error or a result, at once
Complaints check_saved(const OpCases& cases);         ///< a changed saved tensor is noticed, any other does not matter

}  // namespace minima::test
