#include <minima/onnx/export/emitter.h>

#include <set>
#include <string>

namespace minima::onnx::detail {

std::string reason_for(const std::string& op) {
  const auto is_one_of = [&](const std::set<std::string>& names) { return names.contains(op); };
  if (op == "dropout") return "a graph draws no random numbers here; call eval() before";
  if (op.ends_with("_gradient")) return "it is part of a gradient, and graphs hold forward computations";
  if (is_one_of({"cumprod", "logcumsumexp", "running_extreme", "cummax", "cummin"}))
    return "ONNX has no scan but CumSum before opset 26";
  if (is_one_of({"bitwise_left_shift", "bitwise_right_shift"})) return "ONNX shifts unsigned integers only";
  if (is_one_of({"nonzero", "nms"})) return "the size of its result depends on values";
  if (is_one_of({"cholesky",
                 "cholesky_ex",
                 "ldl_factor",
                 "ldl_factor_ex",
                 "ldl_solve",
                 "eig",
                 "eigvals",
                 "eigh",
                 "eigvalsh",
                 "lu_factor",
                 "row_exchange",
                 "slogdet",
                 "pinv",
                 "matrix_exp",
                 "matrix_sqrth",
                 "geqrf",
                 "qr",
                 "solve",
                 "inv",
                 "svd",
                 "svdvals",
                 "solve_ex",
                 "solve_triangular",
                 "solve_transposed",
                 "lu_solve",
                 "lu_factor_ex",
                 "inv_ex"}))
    return "ONNX has no linear algebra but products and determinants";
  return "ONNX has no such operator";
}

}  // namespace minima::onnx::detail
