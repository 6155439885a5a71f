#include <torch/nn/modules/conv.h>

#include <c10/util/Exception.h>
#include <torch/nn/functional/conv.h>
#include <torch/nn/functional/padding.h>
#include <torch/nn/modules/utils.h>

#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "fan.h"
#include "layer_printer.h"

namespace F = torch::nn::functional;

namespace torch::nn {

namespace {

/// The padding as F::pad takes it: the last dimension first, before and after.
template <size_t D>
std::vector<int64_t> reversed_padding(const detail::ConvNdOptions<D>& options) {
  if (const auto* sizes = std::get_if<ExpandingArray<D>>(&options.padding()))
    return modules::utils::_reverse_repeat_vector(*sizes, 2);
  std::vector<int64_t> result(2 * D);
  if (std::holds_alternative<enumtype::kValid>(options.padding())) return result;
  for (size_t i = 0; i < D; ++i) {
    TORCH_CHECK((*options.stride())[i] == 1, "padding='same' is not supported for strided convolutions");
    const int64_t total = (*options.dilation())[i] * ((*options.kernel_size())[i] - 1);
    result[2 * (D - 1 - i)] = total / 2;
    result[2 * (D - 1 - i) + 1] = total - total / 2;
  }
  return result;
}

F::PadFuncOptions::mode_t pad_mode(const detail::conv_padding_mode_t& mode) {
  if (std::holds_alternative<enumtype::kReflect>(mode)) return torch::kReflect;
  if (std::holds_alternative<enumtype::kReplicate>(mode)) return torch::kReplicate;
  return torch::kCircular;
}

template <size_t D>
Tensor convolve(const Tensor& x, const Tensor& weight, const F::ConvFuncOptions<D>& options) {
  if constexpr (D == 1) return F::conv1d(x, weight, options);
  else if constexpr (D == 2) return F::conv2d(x, weight, options);
  else return F::conv3d(x, weight, options);
}
template <size_t D>
Tensor convolve_transposed(const Tensor& x, const Tensor& weight, const F::ConvTransposeFuncOptions<D>& options) {
  if constexpr (D == 1) return F::conv_transpose1d(x, weight, options);
  else if constexpr (D == 2) return F::conv_transpose2d(x, weight, options);
  else return F::conv_transpose3d(x, weight, options);
}

/// The options of both kinds of layers, from those of either.
template <size_t D, class Options>
detail::ConvNdOptions<D> common_options(const Options& given) {
  auto result = detail::ConvNdOptions<D>(given.in_channels(), given.out_channels(), given.kernel_size())
                    .stride(given.stride())
                    .padding(given.padding())
                    .dilation(given.dilation())
                    .groups(given.groups())
                    .bias(given.bias())
                    .padding_mode(given.padding_mode());
  if constexpr (std::is_same_v<Options, ConvTransposeOptions<D>>)
    result.transposed(true).output_padding(given.output_padding());
  return result;
}

}  // namespace

template <size_t D, typename Derived>
ConvNdImpl<D, Derived>::ConvNdImpl(detail::ConvNdOptions<D> options_) : options(std::move(options_)) {
  ConvNdImpl::reset();
}

template <size_t D, typename Derived>
void ConvNdImpl<D, Derived>::reset() {
  const int64_t in = options.in_channels(), out = options.out_channels(), groups = options.groups();
  TORCH_CHECK(in > 0 && groups > 0 && out > 0, "in_channels, groups and out_channels must be a positive integer.");
  TORCH_CHECK(in % groups == 0, "in_channels must be divisible by groups");
  TORCH_CHECK(out % groups == 0, "out_channels must be divisible by groups");
  _reversed_padding_repeated_twice = reversed_padding(options);

  std::vector<int64_t> sizes{options.transposed() ? in : out, (options.transposed() ? out : in) / groups};
  sizes.insert(sizes.end(), options.kernel_size()->begin(), options.kernel_size()->end());
  weight = this->register_parameter("weight", torch::empty(sizes));
  bias = this->register_parameter("bias", options.bias() ? torch::empty({out}) : Tensor(), options.bias());
  reset_parameters();
}

template <size_t D, typename Derived>
void ConvNdImpl<D, Derived>::reset_parameters() {
  reset_by_fan(weight, bias);
}

template <size_t D, typename Derived>
void ConvNdImpl<D, Derived>::pretty_print(std::ostream& stream) const {
  const std::string name = (options.transposed() ? "ConvTranspose" : "Conv") + std::to_string(D) + 'd';
  LayerPrinter print(stream, name.c_str());
  print(options.in_channels())(options.out_channels())("kernel_size", options.kernel_size())("stride",
                                                                                             options.stride());
  const auto unless_all = [&](int64_t usual, const char* what, const ExpandingArray<D>& values) {
    if (*values != *ExpandingArray<D>(usual)) print(what, values);
  };
  if (std::holds_alternative<enumtype::kValid>(options.padding())) print("padding", "'valid'");
  else if (std::holds_alternative<enumtype::kSame>(options.padding())) print("padding", "'same'");
  else unless_all(0, "padding", std::get<ExpandingArray<D>>(options.padding()));
  unless_all(1, "dilation", options.dilation());
  unless_all(0, "output_padding", options.output_padding());
  print.unless(int64_t(1), "groups", options.groups()).unless(true, "bias", options.bias());
  if (!std::holds_alternative<enumtype::kZeros>(options.padding_mode()))
    print("padding_mode", enumtype::get_enum_name(options.padding_mode()));
}

template <size_t D, typename Derived>
Tensor ConvNdImpl<D, Derived>::_conv_forward(const Tensor& input, const Tensor& weight) {
  const bool pads_zeros = std::holds_alternative<enumtype::kZeros>(options.padding_mode());
  auto call =
      F::ConvFuncOptions<D>().bias(bias).stride(options.stride()).dilation(options.dilation()).groups(options.groups());
  if (pads_zeros) return convolve<D>(input, weight, call.padding(options.padding()));
  const auto padding = F::PadFuncOptions(_reversed_padding_repeated_twice).mode(pad_mode(options.padding_mode()));
  return convolve<D>(F::pad(input, padding), weight, call);
}

template <size_t D, typename Derived>
ConvTransposeNdImpl<D, Derived>::ConvTransposeNdImpl(detail::ConvNdOptions<D> options_)
    : ConvNdImpl<D, Derived>(std::move(options_)) {
  TORCH_CHECK(std::holds_alternative<ExpandingArray<D>>(this->options.padding()),
              "ConvTranspose padding cannot be a string");
}

template <size_t D, typename Derived>
Tensor ConvTransposeNdImpl<D, Derived>::forward(const Tensor& input, const std::optional<IntArrayRef>& output_size) {
  const auto& options = this->options;
  TORCH_CHECK(std::holds_alternative<enumtype::kZeros>(options.padding_mode()),
              "Only `zeros` padding mode is supported for ConvTranspose", D, 'd');
  const auto& padding = std::get<ExpandingArray<D>>(options.padding());
  return convolve_transposed<D>(
      input, this->weight,
      F::ConvTransposeFuncOptions<D>()
          .bias(this->bias)
          .stride(options.stride())
          .padding(padding)
          .output_padding(_output_padding(input, output_size, options.stride(), padding, options.kernel_size()))
          .groups(options.groups())
          .dilation(options.dilation()));
}

template <size_t D, typename Derived>
std::vector<int64_t> ConvTransposeNdImpl<D, Derived>::_output_padding(const Tensor& input,
                                                                      const std::optional<IntArrayRef>& output_size,
                                                                      const ExpandingArray<D>& stride,
                                                                      const ExpandingArray<D>& padding,
                                                                      const ExpandingArray<D>& kernel_size) {
  if (!output_size) return IntArrayRef(this->options.output_padding()).vec();
  const auto spatial = static_cast<size_t>(input.dim()) - 2;
  const IntArrayRef wanted = output_size->size() == spatial + 2 ? output_size->slice(2) : *output_size;
  TORCH_CHECK(wanted.size() == spatial, "output_size must have ", spatial, " or ", spatial + 2, " elements (got ",
              wanted.size(), ")");
  std::vector<int64_t> least(spatial), most(spatial), result(spatial);
  for (size_t d = 0; d < spatial; ++d) {
    least[d] = (input.size(static_cast<int64_t>(d) + 2) - 1) * (*stride)[d] - 2 * (*padding)[d] +
               (*this->options.dilation())[d] * ((*kernel_size)[d] - 1) + 1;
    most[d] = least[d] + (*stride)[d] - 1;
    result[d] = wanted[d] - least[d];
  }
  for (size_t d = 0; d < spatial; ++d)
    TORCH_CHECK(least[d] <= wanted[d] && wanted[d] <= most[d], "requested an output size of ", wanted,
                ", but valid sizes range from ", IntArrayRef(least), " to ", IntArrayRef(most), " (for an input of ",
                input.sizes().slice(2), ")");
  return result;
}

#define DEFINE_CONV(NAME, D)                                                                                         \
  Conv##NAME##Impl::Conv##NAME##Impl(int64_t input_channels, int64_t output_channels, ExpandingArray<D> kernel_size) \
      : Conv##NAME##Impl(Conv##NAME##Options(input_channels, output_channels, kernel_size)) {}                       \
  Conv##NAME##Impl::Conv##NAME##Impl(Conv##NAME##Options options_) : ConvNdImpl(common_options<D>(options_)) {}      \
  Tensor Conv##NAME##Impl::forward(const Tensor& input) { return _conv_forward(input, weight); }                     \
  ConvTranspose##NAME##Impl::ConvTranspose##NAME##Impl(int64_t input_channels, int64_t output_channels,              \
                                                       ExpandingArray<D> kernel_size)                                \
      : ConvTranspose##NAME##Impl(ConvTranspose##NAME##Options(input_channels, output_channels, kernel_size)) {}     \
  ConvTranspose##NAME##Impl::ConvTranspose##NAME##Impl(ConvTranspose##NAME##Options options_)                        \
      : ConvTransposeNdImpl(common_options<D>(options_)) {}                                                          \
  template class ConvNdImpl<D, Conv##NAME##Impl>;                                                                    \
  template class ConvNdImpl<D, ConvTranspose##NAME##Impl>;                                                           \
  template class ConvTransposeNdImpl<D, ConvTranspose##NAME##Impl>;

DEFINE_CONV(1d, 1)
DEFINE_CONV(2d, 2)
DEFINE_CONV(3d, 3)

#undef DEFINE_CONV

}  // namespace torch::nn
