#pragma once

#include <torch/arg.h>
#include <torch/enum.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <variant>

namespace torch::nn {

#define MINIMA_TORCH_REDUCTION                                                        \
 public:                                                                              \
  using reduction_t = std::variant<enumtype::kNone, enumtype::kMean, enumtype::kSum>; \
  TORCH_ARG(reduction_t, reduction) = torch::kMean

// Options that also convert from a reduction alone, `L1LossOptions(torch::kSum)`.
#define MINIMA_TORCH_REDUCTION_OPTIONS(Options) \
  MINIMA_TORCH_REDUCTION;                       \
                                                \
 public:                                        \
  TORCH_OPTIONS_CTOR_VARIANT_ARG3(Options, reduction, kNone, kMean, kSum)

struct L1LossOptions {
  MINIMA_TORCH_REDUCTION_OPTIONS(L1LossOptions);
};

struct MSELossOptions {
  MINIMA_TORCH_REDUCTION_OPTIONS(MSELossOptions);
};

struct MultiLabelMarginLossOptions {
  MINIMA_TORCH_REDUCTION_OPTIONS(MultiLabelMarginLossOptions);
};

struct SoftMarginLossOptions {
  MINIMA_TORCH_REDUCTION_OPTIONS(SoftMarginLossOptions);
};

struct SmoothL1LossOptions {
  MINIMA_TORCH_REDUCTION_OPTIONS(SmoothL1LossOptions);
  TORCH_ARG(std::optional<double>, beta) = std::nullopt;
};

struct HuberLossOptions {
  MINIMA_TORCH_REDUCTION_OPTIONS(HuberLossOptions);
  TORCH_ARG(double, delta) = 1;
};

struct KLDivLossOptions {
  using reduction_t = std::variant<enumtype::kNone, enumtype::kBatchMean, enumtype::kSum, enumtype::kMean>;
  TORCH_OPTIONS_CTOR_VARIANT_ARG4(KLDivLossOptions, reduction, kNone, kBatchMean, kSum, kMean)
  TORCH_ARG(reduction_t, reduction) = torch::kMean;
  TORCH_ARG(bool, log_target) = false;
};

struct BCELossOptions {
  MINIMA_TORCH_REDUCTION;
  TORCH_ARG(Tensor, weight);
};

struct BCEWithLogitsLossOptions {
  MINIMA_TORCH_REDUCTION;
  TORCH_ARG(Tensor, weight);
  TORCH_ARG(Tensor, pos_weight);
};

struct HingeEmbeddingLossOptions {
  MINIMA_TORCH_REDUCTION;
  TORCH_ARG(double, margin) = 1;
};

struct MultiMarginLossOptions {
  MINIMA_TORCH_REDUCTION;
  TORCH_ARG(int64_t, p) = 1;
  TORCH_ARG(double, margin) = 1;
  TORCH_ARG(Tensor, weight);
};

struct CosineEmbeddingLossOptions {
  MINIMA_TORCH_REDUCTION;
  TORCH_ARG(double, margin) = 0;
};

struct MultiLabelSoftMarginLossOptions {
  MINIMA_TORCH_REDUCTION;
  TORCH_ARG(Tensor, weight);
};

struct TripletMarginLossOptions {
  MINIMA_TORCH_REDUCTION;
  TORCH_ARG(double, margin) = 1;
  TORCH_ARG(double, p) = 2;
  TORCH_ARG(double, eps) = 1e-6;
  TORCH_ARG(bool, swap) = false;
};

// Without a function the distance is pairwise_distance.
struct TripletMarginWithDistanceLossOptions {
  using distance_function_t = std::function<Tensor(const Tensor&, const Tensor&)>;
  MINIMA_TORCH_REDUCTION;
  TORCH_ARG(std::optional<distance_function_t>, distance_function) = std::nullopt;
  TORCH_ARG(double, margin) = 1;
  TORCH_ARG(bool, swap) = false;
};

struct CTCLossOptions {
  MINIMA_TORCH_REDUCTION;
  TORCH_ARG(int64_t, blank) = 0;
  TORCH_ARG(bool, zero_infinity) = false;
};

struct PoissonNLLLossOptions {
  MINIMA_TORCH_REDUCTION;
  TORCH_ARG(bool, log_input) = true;
  TORCH_ARG(bool, full) = false;
  TORCH_ARG(double, eps) = 1e-8;
};

struct MarginRankingLossOptions {
  MINIMA_TORCH_REDUCTION;
  TORCH_ARG(double, margin) = 0;
};

struct NLLLossOptions {
  MINIMA_TORCH_REDUCTION;
  TORCH_ARG(Tensor, weight);
  TORCH_ARG(int64_t, ignore_index) = -100;
};

struct CrossEntropyLossOptions {
  MINIMA_TORCH_REDUCTION;
  TORCH_ARG(Tensor, weight);
  TORCH_ARG(int64_t, ignore_index) = -100;
  TORCH_ARG(double, label_smoothing) = 0;
};

#undef MINIMA_TORCH_REDUCTION_OPTIONS
#undef MINIMA_TORCH_REDUCTION

namespace functional {

using BinaryCrossEntropyFuncOptions = BCELossOptions;
using BinaryCrossEntropyWithLogitsFuncOptions = BCEWithLogitsLossOptions;
using CosineEmbeddingLossFuncOptions = CosineEmbeddingLossOptions;
using CrossEntropyFuncOptions = CrossEntropyLossOptions;
using CTCLossFuncOptions = CTCLossOptions;
using HingeEmbeddingLossFuncOptions = HingeEmbeddingLossOptions;
using HuberLossFuncOptions = HuberLossOptions;
using KLDivFuncOptions = KLDivLossOptions;
using L1LossFuncOptions = L1LossOptions;
using MarginRankingLossFuncOptions = MarginRankingLossOptions;
using MSELossFuncOptions = MSELossOptions;
using MultilabelMarginLossFuncOptions = MultiLabelMarginLossOptions;
using MultilabelSoftMarginLossFuncOptions = MultiLabelSoftMarginLossOptions;
using MultiMarginLossFuncOptions = MultiMarginLossOptions;
using NLLLossFuncOptions = NLLLossOptions;
using PoissonNLLLossFuncOptions = PoissonNLLLossOptions;
using SmoothL1LossFuncOptions = SmoothL1LossOptions;
using SoftMarginLossFuncOptions = SoftMarginLossOptions;
using TripletMarginLossFuncOptions = TripletMarginLossOptions;
using TripletMarginWithDistanceLossFuncOptions = TripletMarginWithDistanceLossOptions;

}

}
