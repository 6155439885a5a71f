#pragma once

#include "tests/ops/checks/op_cases.h"

// A check takes a table and returns complaints, so that the checks can be tested on faulty operators.

namespace minima::test {

using Complaints = std::vector<std::string>;

struct Check {
  const char* name;
  Complaints (*run)(const OpCases&);
  bool (*applies)(const OpCases&);
};

/// Whether the text starts with the name of the operator or of its in-place form.
bool names_operator(const OpCases& cases, const std::string& text);

/// All checks, in the order in which an author wants to see them fail.
const std::vector<Check>& op_checks();

Complaints check_coverage(const OpCases& cases);  ///< the table has empty and large rows
Complaints check_values(const OpCases& cases);    ///< values, shapes and dtypes; inputs are unchanged
Complaints check_dtypes(const OpCases& cases);    ///< unclaimed dtypes throw DTypeError
/// Complex inputs are refused by name or, without imaginary parts, give what real ones do.
Complaints check_complex(const OpCases& cases);
Complaints check_result_layout(const OpCases& cases);
Complaints check_bad_calls(const OpCases& cases);  ///< exception types and exact texts
Complaints check_undefined(const OpCases& cases);  ///< undefined arguments are refused by name
Complaints check_gradient(const OpCases& cases);   ///< gradcheck in float64
Complaints check_second_gradient(const OpCases& cases);
Complaints check_no_gradient(const OpCases& cases);
Complaints check_fast_gradient(const OpCases& cases);           ///< backward() equals grad(create_graph); .grad adds up
Complaints check_low_precision_gradient(const OpCases& cases);  ///< against float64 on the same numbers
/// Bitwise, also at 1 and 2 threads; what cuDNN computes only under deterministic(true).
Complaints check_repeatable(const OpCases& cases);
Complaints check_in_place(const OpCases& cases);
Complaints check_in_place_gradient(const OpCases& cases);
Complaints check_cost(const OpCases& cases);          ///< whatever writes memory reports it to the observer
Complaints check_hidden(const OpCases& cases);        ///< nothing is kept or allocated for an unwanted gradient
Complaints check_random_cases(const OpCases& cases);  ///< random sizes, layouts, dtypes and numbers
Complaints check_huge(const OpCases& cases);          ///< sizes up to 2^62 fail or finish at once
Complaints check_saved(const OpCases& cases);         ///< changing a saved tensor is an error, changing another is not

}  // namespace minima::test
