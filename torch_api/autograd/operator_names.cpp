#include "operator_names.h"

#include <c10/util/Type.h>

#include <cxxabi.h>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>

namespace torch::autograd {

namespace {

struct Renamed {
  std::string_view native, name;
};

/// Operators that have another name in LibTorch, or another number.
constexpr Renamed renamed[] = {
    {"batch_norm", "NativeBatchNorm"},
    {"clamp", "Clamp1"},
    {"conv1d", "Convolution"},
    {"conv2d", "Convolution"},
    {"conv3d", "Convolution"},
    {"conv_transpose2d", "Convolution"},
    {"conv_transpose3d", "Convolution"},
    {"cross_entropy", "NllLoss"},
    {"det", "LinalgDet"},
    {"dropout", "Mul"},
    {"gelu_tanh", "Gelu"},
    {"group_norm", "NativeGroupNorm"},
    {"interpolate", "UpsampleNearest2D"},
    {"inv", "LinalgInvEx"},
    {"layer_norm", "NativeLayerNorm"},
    {"max_pool2d", "MaxPool2DWithIndices"},
    {"norm", "LinalgVectorNorm"},
    {"pad", "ConstantPadNd"},
    {"qr", "LinalgQr"},
    {"relu6", "Hardtanh"},
    {"reshape", "View"},
    {"scaled_dot_product_attention", "ScaledDotProductFlashAttentionForCpu"},
    {"silu", "Silu"},
    {"square", "Pow"},
    {"svd", "LinalgSvd"},
    {"to", "ToCopy"},
};

std::string in_camel_case(std::string_view name) {
  std::string result;
  bool starts = true;
  for (const char c : name) {
    const bool is_rank = c == 'd' && !result.empty() && std::isdigit(static_cast<unsigned char>(result.back()));
    if (c != '_') result += starts || is_rank ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    starts = c == '_';
  }
  return result;
}

/// Names the operators that LibTorch tells apart and minima does not: products by their rank, reductions of all
/// dimensions or of some.
std::string by_shape(std::string_view name, const minima::Node& node) {
  const int rank = node.output_count() ? node.outputs()[0].shape.rank() : 0;
  if (name == "linear") {
    const bool has_bias = node.edge_count() > 2 && node.edges()[2];
    return has_bias ? "AddmmBackward0" : "MmBackward0";
  }
  if (name == "copy" && node.edge_count() && node.edges()[0]) {
    const minima::Edge& source = node.edges()[0];
    return source.node()->outputs()[source.output()].dtype == node.outputs()[0].dtype ? "CloneBackward0"
                                                                                      : "ToCopyBackward0";
  }
  if (name == "matmul")
    return rank == 0 ? "DotBackward0" : rank == 1 ? "MvBackward0" : rank == 2 ? "MmBackward0" : "BmmBackward0";
  if (name == "sum" || name == "mean" || name == "prod")
    return in_camel_case(name) + (rank == 0 ? "Backward0" : "Backward1");
  return {};
}

}  // namespace

std::string operator_name(const minima::Node& node) {
  if (node.is_leaf()) return "torch::autograd::AccumulateGrad";
  const std::string_view name = node.name();
  if (name.find("::") != std::string_view::npos) return std::string(name);  // a Function
  if (c10::demangle(typeid(node).name()).find("CopySlices") != std::string::npos) return "torch::autograd::CopySlices";
  if (name == "copy_") return "torch::autograd::CopyBackwards";
  if (std::string text = by_shape(name, node); !text.empty()) return text;
  for (const Renamed& entry : renamed) {
    if (entry.native != name) continue;
    const bool has_number = entry.name.back() == '1';
    return std::string(entry.name.substr(0, entry.name.size() - (has_number ? 1 : 0))) +
           (has_number ? "Backward1" : "Backward0");
  }
  return in_camel_case(name) + "Backward0";
}

}  // namespace torch::autograd
