#include "tests/ops/checks/sample.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <sstream>

namespace minima::test {

bool names_operator(const OpCases& cases, const std::string& text) {
  const std::string named = text.substr(0, text.find(':'));
  for (const std::string& function : cases.other_functions())
    if (named == function) return true;
  std::istringstream words(cases.name());
  for (std::string word; words >> word;)
    if (named == word || named == word + "_") return true;
  return false;
}

Complaints check_bad_calls(const OpCases& cases) {
  Complaints complaints;
  for (const BadCall& bad : cases.bad_calls()) {
    try {
      bad.call();
      complaints.push_back("nothing was thrown where this was expected: " + bad.text);
    } catch (const std::exception& error) {
      if (!names_operator(cases, bad.text))
        complaints.push_back("the expected text does not name the operator: " + bad.text);
      if (error.what() != bad.text) complaints.push_back(str("text    ", error.what(), "\nexpected ", bad.text));
      if (!bad.is_type(error)) complaints.push_back(str("not a ", bad.type, ": ", error.what()));
    }
  }
  return complaints;
}

Complaints check_undefined(const OpCases& cases) {
  Complaints complaints;
  for (const OpCall& call : cases.calls()) {
    if (call.rows.empty()) continue;
    const auto& row = call.rows.front();
    for (std::size_t missing = 0; missing < row.size(); ++missing) {
      if (cases.is_optional(static_cast<int>(missing))) continue;
      std::vector<Tensor> inputs;
      for (const Draw& one : row) {
        const DType dtype = one.dtype.value_or(cases.dtypes().back());
        inputs.push_back(lay_out(draw(one, dtype, 1), dtype, Form::row_major));
      }
      inputs[missing] = Tensor();
      const std::string where = str(call.text, " with undefined input ", missing, ": ");
      for (const bool in_place : {false, true}) {
        if (in_place && !call.in_place) continue;
        try {
          if (in_place) call.in_place(inputs);
          else call.call(inputs);
          complaints.push_back(where + "did not throw" + (in_place ? " in place" : ""));
        } catch (const Error& error) {
          if (std::string(error.what()).find("undefined") == std::string::npos)
            complaints.push_back(where + "the text does not say so: " + error.what());
          if (!names_operator(cases, error.what()))
            complaints.push_back(where + "the text does not name the operator: " + error.what());
        }
      }
    }
  }
  return complaints;
}

}  // namespace minima::test
