// Written by scripts/torch_functions.py from torch_api/table.
// clang-format off
#include <core/bridge.h>

namespace at {

Tensor linear(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias) {
return minima::linear(bridge::native(input), bridge::native(weight), bridge::native(bias));
}

Tensor& linear_out(Tensor& out, const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias) {
return bridge::write(at::linear(input, weight, bias), out);
}

Tensor& linear_outf(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, Tensor& out) {
return at::linear_out(out, input, weight, bias);
}

Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight, const std::optional<Tensor>& bias) {
return minima::bilinear(bridge::native(input1), bridge::native(input2), bridge::native(weight), bridge::native(bias));
}

Tensor& bilinear_out(Tensor& out, const Tensor& input1, const Tensor& input2, const Tensor& weight, const std::optional<Tensor>& bias) {
return bridge::write(at::bilinear(input1, input2, weight, bias), out);
}

Tensor& bilinear_outf(const Tensor& input1, const Tensor& input2, const Tensor& weight, const std::optional<Tensor>& bias, Tensor& out) {
return at::bilinear_out(out, input1, input2, weight, bias);
}

Tensor conv1d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
return minima::conv1d(bridge::native(input), bridge::native(weight), bridge::native(bias), {.stride = bridge::line(bridge::native(stride)), .padding = bridge::line(bridge::native(padding)), .dilation = bridge::line(bridge::native(dilation)), .groups = groups});
}

Tensor& conv1d_out(Tensor& out, const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
return bridge::write(at::conv1d(input, weight, bias, stride, padding, dilation, groups), out);
}

Tensor& conv1d_outf(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups, Tensor& out) {
return at::conv1d_out(out, input, weight, bias, stride, padding, dilation, groups);
}

Tensor conv2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
return minima::conv2d(bridge::native(input), bridge::native(weight), bridge::native(bias), {.stride = bridge::pair(bridge::native(stride)), .padding = bridge::pair(bridge::native(padding)), .dilation = bridge::pair(bridge::native(dilation)), .groups = groups});
}

Tensor& conv2d_out(Tensor& out, const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
return bridge::write(at::conv2d(input, weight, bias, stride, padding, dilation, groups), out);
}

Tensor& conv2d_outf(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups, Tensor& out) {
return at::conv2d_out(out, input, weight, bias, stride, padding, dilation, groups);
}

Tensor conv3d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
return minima::conv3d(bridge::native(input), bridge::native(weight), bridge::native(bias), {.stride = bridge::triple(bridge::native(stride)), .padding = bridge::triple(bridge::native(padding)), .dilation = bridge::triple(bridge::native(dilation)), .groups = groups});
}

Tensor& conv3d_out(Tensor& out, const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
return bridge::write(at::conv3d(input, weight, bias, stride, padding, dilation, groups), out);
}

Tensor& conv3d_outf(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups, Tensor& out) {
return at::conv3d_out(out, input, weight, bias, stride, padding, dilation, groups);
}

Tensor conv1d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, std::string_view padding, IntArrayRef dilation, int64_t groups) {
return bridge::conv_padded(bridge::native(input), bridge::native(weight), bridge::native(bias), bridge::native(stride), padding, bridge::native(dilation), groups);
}

Tensor& conv1d_out(Tensor& out, const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, std::string_view padding, IntArrayRef dilation, int64_t groups) {
return bridge::write(at::conv1d(input, weight, bias, stride, padding, dilation, groups), out);
}

Tensor& conv1d_outf(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, std::string_view padding, IntArrayRef dilation, int64_t groups, Tensor& out) {
return at::conv1d_out(out, input, weight, bias, stride, padding, dilation, groups);
}

Tensor conv2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, std::string_view padding, IntArrayRef dilation, int64_t groups) {
return bridge::conv_padded(bridge::native(input), bridge::native(weight), bridge::native(bias), bridge::native(stride), padding, bridge::native(dilation), groups);
}

Tensor& conv2d_out(Tensor& out, const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, std::string_view padding, IntArrayRef dilation, int64_t groups) {
return bridge::write(at::conv2d(input, weight, bias, stride, padding, dilation, groups), out);
}

Tensor& conv2d_outf(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, std::string_view padding, IntArrayRef dilation, int64_t groups, Tensor& out) {
return at::conv2d_out(out, input, weight, bias, stride, padding, dilation, groups);
}

Tensor conv3d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, std::string_view padding, IntArrayRef dilation, int64_t groups) {
return bridge::conv_padded(bridge::native(input), bridge::native(weight), bridge::native(bias), bridge::native(stride), padding, bridge::native(dilation), groups);
}

Tensor& conv3d_out(Tensor& out, const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, std::string_view padding, IntArrayRef dilation, int64_t groups) {
return bridge::write(at::conv3d(input, weight, bias, stride, padding, dilation, groups), out);
}

Tensor& conv3d_outf(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, std::string_view padding, IntArrayRef dilation, int64_t groups, Tensor& out) {
return at::conv3d_out(out, input, weight, bias, stride, padding, dilation, groups);
}

Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding, int64_t groups, IntArrayRef dilation) {
return minima::conv_transpose1d(bridge::native(input), bridge::native(weight), bridge::native(bias), {.stride = bridge::line(bridge::native(stride)), .padding = bridge::line(bridge::native(padding)), .output_padding = bridge::line(bridge::native(output_padding)), .dilation = bridge::line(bridge::native(dilation)), .groups = groups});
}

Tensor& conv_transpose1d_out(Tensor& out, const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding, int64_t groups, IntArrayRef dilation) {
return bridge::write(at::conv_transpose1d(input, weight, bias, stride, padding, output_padding, groups, dilation), out);
}

Tensor& conv_transpose1d_outf(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding, int64_t groups, IntArrayRef dilation, Tensor& out) {
return at::conv_transpose1d_out(out, input, weight, bias, stride, padding, output_padding, groups, dilation);
}

Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding, int64_t groups, IntArrayRef dilation) {
return minima::conv_transpose2d(bridge::native(input), bridge::native(weight), bridge::native(bias), {.stride = bridge::pair(bridge::native(stride)), .padding = bridge::pair(bridge::native(padding)), .output_padding = bridge::pair(bridge::native(output_padding)), .dilation = bridge::pair(bridge::native(dilation)), .groups = groups});
}

Tensor& conv_transpose2d_out(Tensor& out, const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding, int64_t groups, IntArrayRef dilation) {
return bridge::write(at::conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, dilation), out);
}

Tensor& conv_transpose2d_outf(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding, int64_t groups, IntArrayRef dilation, Tensor& out) {
return at::conv_transpose2d_out(out, input, weight, bias, stride, padding, output_padding, groups, dilation);
}

Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding, int64_t groups, IntArrayRef dilation) {
return minima::conv_transpose3d(bridge::native(input), bridge::native(weight), bridge::native(bias), {.stride = bridge::triple(bridge::native(stride)), .padding = bridge::triple(bridge::native(padding)), .output_padding = bridge::triple(bridge::native(output_padding)), .dilation = bridge::triple(bridge::native(dilation)), .groups = groups});
}

Tensor& conv_transpose3d_out(Tensor& out, const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding, int64_t groups, IntArrayRef dilation) {
return bridge::write(at::conv_transpose3d(input, weight, bias, stride, padding, output_padding, groups, dilation), out);
}

Tensor& conv_transpose3d_outf(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding, int64_t groups, IntArrayRef dilation, Tensor& out) {
return at::conv_transpose3d_out(out, input, weight, bias, stride, padding, output_padding, groups, dilation);
}

Tensor convolution(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed, IntArrayRef output_padding, int64_t groups) {
return bridge::convolution(bridge::native(input), bridge::native(weight), bridge::native(bias), bridge::native(stride), bridge::native(padding), bridge::native(dilation), transposed, bridge::native(output_padding), groups);
}

Tensor& convolution_out(Tensor& out, const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed, IntArrayRef output_padding, int64_t groups) {
return bridge::write(at::convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups), out);
}

Tensor& convolution_outf(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed, IntArrayRef output_padding, int64_t groups, Tensor& out) {
return at::convolution_out(out, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups);
}

Tensor conv_tbc(const Tensor& self, const Tensor& weight, const Tensor& bias, int64_t pad) {
return minima::permute(minima::conv1d(minima::permute(bridge::native(self), {1, 2, 0}), minima::permute(bridge::native(weight), {2, 1, 0}), bridge::native(bias), {.padding = pad}), {2, 0, 1});
}

Tensor& conv_tbc_out(Tensor& out, const Tensor& self, const Tensor& weight, const Tensor& bias, int64_t pad) {
return bridge::write(at::conv_tbc(self, weight, bias, pad), out);
}

Tensor& conv_tbc_outf(const Tensor& self, const Tensor& weight, const Tensor& bias, int64_t pad, Tensor& out) {
return at::conv_tbc_out(out, self, weight, bias, pad);
}

Tensor im2col(const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) {
return minima::unfold(bridge::native(self), {.kernel = bridge::pair(bridge::native(kernel_size)), .dilation = bridge::pair(bridge::native(dilation)), .padding = bridge::pair(bridge::native(padding)), .stride = bridge::pair(bridge::native(stride))});
}

Tensor& im2col_out(Tensor& out, const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) {
return bridge::write(at::im2col(self, kernel_size, dilation, padding, stride), out);
}

Tensor& im2col_outf(const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride, Tensor& out) {
return at::im2col_out(out, self, kernel_size, dilation, padding, stride);
}

Tensor col2im(const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) {
return minima::fold(bridge::native(self), bridge::pair(bridge::native(output_size)), {.kernel = bridge::pair(bridge::native(kernel_size)), .dilation = bridge::pair(bridge::native(dilation)), .padding = bridge::pair(bridge::native(padding)), .stride = bridge::pair(bridge::native(stride))});
}

Tensor& col2im_out(Tensor& out, const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) {
return bridge::write(at::col2im(self, output_size, kernel_size, dilation, padding, stride), out);
}

Tensor& col2im_outf(const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride, Tensor& out) {
return at::col2im_out(out, self, output_size, kernel_size, dilation, padding, stride);
}

Tensor avg_pool1d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, bool ceil_mode, bool count_include_pad) {
return minima::avg_pool1d(bridge::native(self), {.kernel = bridge::line(bridge::native(kernel_size)), .stride = bridge::line(bridge::native(stride), bridge::native(kernel_size)), .padding = bridge::line(bridge::native(padding)), .ceil_mode = ceil_mode, .count_include_pad = count_include_pad});
}

Tensor& avg_pool1d_out(Tensor& out, const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, bool ceil_mode, bool count_include_pad) {
return bridge::write(at::avg_pool1d(self, kernel_size, stride, padding, ceil_mode, count_include_pad), out);
}

Tensor& avg_pool1d_outf(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, bool ceil_mode, bool count_include_pad, Tensor& out) {
return at::avg_pool1d_out(out, self, kernel_size, stride, padding, ceil_mode, count_include_pad);
}

Tensor avg_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
return minima::avg_pool2d(bridge::native(self), {.kernel = bridge::pair(bridge::native(kernel_size)), .stride = bridge::pair(bridge::native(stride), bridge::native(kernel_size)), .padding = bridge::pair(bridge::native(padding)), .ceil_mode = ceil_mode, .count_include_pad = count_include_pad, .divisor = divisor_override.value_or(0)});
}

Tensor& avg_pool2d_out(Tensor& out, const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
return bridge::write(at::avg_pool2d(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override), out);
}

Tensor& avg_pool2d_outf(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override, Tensor& out) {
return at::avg_pool2d_out(out, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);
}

Tensor avg_pool3d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
return minima::avg_pool3d(bridge::native(self), {.kernel = bridge::triple(bridge::native(kernel_size)), .stride = bridge::triple(bridge::native(stride), bridge::native(kernel_size)), .padding = bridge::triple(bridge::native(padding)), .ceil_mode = ceil_mode, .count_include_pad = count_include_pad, .divisor = divisor_override.value_or(0)});
}

Tensor& avg_pool3d_out(Tensor& out, const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
return bridge::write(at::avg_pool3d(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override), out);
}

Tensor& avg_pool3d_outf(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override, Tensor& out) {
return at::avg_pool3d_out(out, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);
}

Tensor max_pool1d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
return minima::max_pool1d(bridge::native(self), bridge::max_pool1d_options(bridge::native(kernel_size), bridge::native(stride), bridge::native(padding), bridge::native(dilation), ceil_mode));
}

Tensor& max_pool1d_out(Tensor& out, const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
return bridge::write(at::max_pool1d(self, kernel_size, stride, padding, dilation, ceil_mode), out);
}

Tensor& max_pool1d_outf(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode, Tensor& out) {
return at::max_pool1d_out(out, self, kernel_size, stride, padding, dilation, ceil_mode);
}

Tensor max_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
return minima::max_pool2d(bridge::native(self), bridge::max_pool2d_options(bridge::native(kernel_size), bridge::native(stride), bridge::native(padding), bridge::native(dilation), ceil_mode));
}

Tensor& max_pool2d_out(Tensor& out, const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
return bridge::write(at::max_pool2d(self, kernel_size, stride, padding, dilation, ceil_mode), out);
}

Tensor& max_pool2d_outf(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode, Tensor& out) {
return at::max_pool2d_out(out, self, kernel_size, stride, padding, dilation, ceil_mode);
}

Tensor max_pool3d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
return minima::max_pool3d(bridge::native(self), bridge::max_pool3d_options(bridge::native(kernel_size), bridge::native(stride), bridge::native(padding), bridge::native(dilation), ceil_mode));
}

Tensor& max_pool3d_out(Tensor& out, const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
return bridge::write(at::max_pool3d(self, kernel_size, stride, padding, dilation, ceil_mode), out);
}

Tensor& max_pool3d_outf(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode, Tensor& out) {
return at::max_pool3d_out(out, self, kernel_size, stride, padding, dilation, ceil_mode);
}

std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
return bridge::tuple2(minima::max_pool1d_with_indices(bridge::native(self), bridge::max_pool1d_options(bridge::native(kernel_size), bridge::native(stride), bridge::native(padding), bridge::native(dilation), ceil_mode)));
}

std::tuple<Tensor&, Tensor&> max_pool1d_with_indices_out(Tensor& out0, Tensor& out1, const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
return bridge::write(at::max_pool1d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode), out0, out1);
}

std::tuple<Tensor&, Tensor&> max_pool1d_with_indices_outf(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode, Tensor& out0, Tensor& out1) {
return at::max_pool1d_with_indices_out(out0, out1, self, kernel_size, stride, padding, dilation, ceil_mode);
}

std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
return bridge::tuple2(minima::max_pool2d_with_indices(bridge::native(self), bridge::max_pool2d_options(bridge::native(kernel_size), bridge::native(stride), bridge::native(padding), bridge::native(dilation), ceil_mode)));
}

std::tuple<Tensor&, Tensor&> max_pool2d_with_indices_out(Tensor& out0, Tensor& out1, const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
return bridge::write(at::max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode), out0, out1);
}

std::tuple<Tensor&, Tensor&> max_pool2d_with_indices_outf(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode, Tensor& out0, Tensor& out1) {
return at::max_pool2d_with_indices_out(out0, out1, self, kernel_size, stride, padding, dilation, ceil_mode);
}

std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
return bridge::tuple2(minima::max_pool3d_with_indices(bridge::native(self), bridge::max_pool3d_options(bridge::native(kernel_size), bridge::native(stride), bridge::native(padding), bridge::native(dilation), ceil_mode)));
}

std::tuple<Tensor&, Tensor&> max_pool3d_with_indices_out(Tensor& out0, Tensor& out1, const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
return bridge::write(at::max_pool3d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode), out0, out1);
}

std::tuple<Tensor&, Tensor&> max_pool3d_with_indices_outf(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode, Tensor& out0, Tensor& out1) {
return at::max_pool3d_with_indices_out(out0, out1, self, kernel_size, stride, padding, dilation, ceil_mode);
}

Tensor adaptive_avg_pool1d(const Tensor& self, IntArrayRef output_size) {
return minima::adaptive_avg_pool1d(bridge::native(self), bridge::line(bridge::native(output_size)));
}

Tensor& adaptive_avg_pool1d_out(Tensor& out, const Tensor& self, IntArrayRef output_size) {
return bridge::write(at::adaptive_avg_pool1d(self, output_size), out);
}

Tensor& adaptive_avg_pool1d_outf(const Tensor& self, IntArrayRef output_size, Tensor& out) {
return at::adaptive_avg_pool1d_out(out, self, output_size);
}

Tensor adaptive_avg_pool2d(const Tensor& self, IntArrayRef output_size) {
return minima::adaptive_avg_pool2d(bridge::native(self), bridge::pair(bridge::native(output_size)));
}

Tensor& adaptive_avg_pool2d_out(Tensor& out, const Tensor& self, IntArrayRef output_size) {
return bridge::write(at::adaptive_avg_pool2d(self, output_size), out);
}

Tensor& adaptive_avg_pool2d_outf(const Tensor& self, IntArrayRef output_size, Tensor& out) {
return at::adaptive_avg_pool2d_out(out, self, output_size);
}

Tensor adaptive_avg_pool3d(const Tensor& self, IntArrayRef output_size) {
return minima::adaptive_avg_pool3d(bridge::native(self), bridge::triple(bridge::native(output_size)));
}

Tensor& adaptive_avg_pool3d_out(Tensor& out, const Tensor& self, IntArrayRef output_size) {
return bridge::write(at::adaptive_avg_pool3d(self, output_size), out);
}

Tensor& adaptive_avg_pool3d_outf(const Tensor& self, IntArrayRef output_size, Tensor& out) {
return at::adaptive_avg_pool3d_out(out, self, output_size);
}

std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& self, IntArrayRef output_size) {
return bridge::tuple2(minima::adaptive_max_pool1d_with_indices(bridge::native(self), bridge::line(bridge::native(output_size))));
}

std::tuple<Tensor&, Tensor&> adaptive_max_pool1d_out(Tensor& out0, Tensor& out1, const Tensor& self, IntArrayRef output_size) {
return bridge::write(at::adaptive_max_pool1d(self, output_size), out0, out1);
}

std::tuple<Tensor&, Tensor&> adaptive_max_pool1d_outf(const Tensor& self, IntArrayRef output_size, Tensor& out0, Tensor& out1) {
return at::adaptive_max_pool1d_out(out0, out1, self, output_size);
}

std::tuple<Tensor, Tensor> adaptive_max_pool2d(const Tensor& self, IntArrayRef output_size) {
return bridge::tuple2(minima::adaptive_max_pool2d_with_indices(bridge::native(self), bridge::pair(bridge::native(output_size))));
}

std::tuple<Tensor&, Tensor&> adaptive_max_pool2d_out(Tensor& out0, Tensor& out1, const Tensor& self, IntArrayRef output_size) {
return bridge::write(at::adaptive_max_pool2d(self, output_size), out0, out1);
}

std::tuple<Tensor&, Tensor&> adaptive_max_pool2d_outf(const Tensor& self, IntArrayRef output_size, Tensor& out0, Tensor& out1) {
return at::adaptive_max_pool2d_out(out0, out1, self, output_size);
}

std::tuple<Tensor, Tensor> adaptive_max_pool3d(const Tensor& self, IntArrayRef output_size) {
return bridge::tuple2(minima::adaptive_max_pool3d_with_indices(bridge::native(self), bridge::triple(bridge::native(output_size))));
}

std::tuple<Tensor&, Tensor&> adaptive_max_pool3d_out(Tensor& out0, Tensor& out1, const Tensor& self, IntArrayRef output_size) {
return bridge::write(at::adaptive_max_pool3d(self, output_size), out0, out1);
}

std::tuple<Tensor&, Tensor&> adaptive_max_pool3d_outf(const Tensor& self, IntArrayRef output_size, Tensor& out0, Tensor& out1) {
return at::adaptive_max_pool3d_out(out0, out1, self, output_size);
}

std::tuple<Tensor, Tensor> fractional_max_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef output_size, const Tensor& random_samples) {
return bridge::tuple2(minima::fractional_max_pool2d_with_indices(bridge::native(self), {.kernel = bridge::pair(bridge::native(kernel_size)), .size = bridge::pair(bridge::native(output_size)), .samples = bridge::native(random_samples)}));
}

std::tuple<Tensor&, Tensor&> fractional_max_pool2d_out(Tensor& out0, Tensor& out1, const Tensor& self, IntArrayRef kernel_size, IntArrayRef output_size, const Tensor& random_samples) {
return bridge::write(at::fractional_max_pool2d(self, kernel_size, output_size, random_samples), out0, out1);
}

std::tuple<Tensor&, Tensor&> fractional_max_pool2d_outf(const Tensor& self, IntArrayRef kernel_size, IntArrayRef output_size, const Tensor& random_samples, Tensor& out0, Tensor& out1) {
return at::fractional_max_pool2d_out(out0, out1, self, kernel_size, output_size, random_samples);
}

std::tuple<Tensor, Tensor> fractional_max_pool3d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef output_size, const Tensor& random_samples) {
return bridge::tuple2(minima::fractional_max_pool3d_with_indices(bridge::native(self), {.kernel = bridge::triple(bridge::native(kernel_size)), .size = bridge::triple(bridge::native(output_size)), .samples = bridge::native(random_samples)}));
}

std::tuple<Tensor&, Tensor&> fractional_max_pool3d_out(Tensor& out0, Tensor& out1, const Tensor& self, IntArrayRef kernel_size, IntArrayRef output_size, const Tensor& random_samples) {
return bridge::write(at::fractional_max_pool3d(self, kernel_size, output_size, random_samples), out0, out1);
}

std::tuple<Tensor&, Tensor&> fractional_max_pool3d_outf(const Tensor& self, IntArrayRef kernel_size, IntArrayRef output_size, const Tensor& random_samples, Tensor& out0, Tensor& out1) {
return at::fractional_max_pool3d_out(out0, out1, self, kernel_size, output_size, random_samples);
}

Tensor max_unpool2d(const Tensor& self, const Tensor& indices, IntArrayRef output_size) {
return minima::max_unpool2d(bridge::native(self), bridge::native(indices), {.kernel = 1, .size = bridge::native(output_size)});
}

Tensor& max_unpool2d_out(Tensor& out, const Tensor& self, const Tensor& indices, IntArrayRef output_size) {
return bridge::write(at::max_unpool2d(self, indices, output_size), out);
}

Tensor& max_unpool2d_outf(const Tensor& self, const Tensor& indices, IntArrayRef output_size, Tensor& out) {
return at::max_unpool2d_out(out, self, indices, output_size);
}

Tensor max_unpool3d(const Tensor& self, const Tensor& indices, IntArrayRef output_size, IntArrayRef stride, IntArrayRef padding) {
return minima::max_unpool3d(bridge::native(self), bridge::native(indices), {.kernel = 1, .stride = bridge::triple(bridge::native(stride)), .padding = bridge::triple(bridge::native(padding)), .size = bridge::native(output_size)});
}

Tensor& max_unpool3d_out(Tensor& out, const Tensor& self, const Tensor& indices, IntArrayRef output_size, IntArrayRef stride, IntArrayRef padding) {
return bridge::write(at::max_unpool3d(self, indices, output_size, stride, padding), out);
}

Tensor& max_unpool3d_outf(const Tensor& self, const Tensor& indices, IntArrayRef output_size, IntArrayRef stride, IntArrayRef padding, Tensor& out) {
return at::max_unpool3d_out(out, self, indices, output_size, stride, padding);
}

Tensor pixel_shuffle(const Tensor& self, int64_t upscale_factor) {
return minima::pixel_shuffle(bridge::native(self), upscale_factor);
}

Tensor& pixel_shuffle_out(Tensor& out, const Tensor& self, int64_t upscale_factor) {
return bridge::write(at::pixel_shuffle(self, upscale_factor), out);
}

Tensor& pixel_shuffle_outf(const Tensor& self, int64_t upscale_factor, Tensor& out) {
return at::pixel_shuffle_out(out, self, upscale_factor);
}

Tensor pixel_unshuffle(const Tensor& self, int64_t downscale_factor) {
return minima::pixel_unshuffle(bridge::native(self), downscale_factor);
}

Tensor& pixel_unshuffle_out(Tensor& out, const Tensor& self, int64_t downscale_factor) {
return bridge::write(at::pixel_unshuffle(self, downscale_factor), out);
}

Tensor& pixel_unshuffle_outf(const Tensor& self, int64_t downscale_factor, Tensor& out) {
return at::pixel_unshuffle_out(out, self, downscale_factor);
}

Tensor channel_shuffle(const Tensor& self, int64_t groups) {
return minima::channel_shuffle(bridge::native(self), groups);
}

Tensor& channel_shuffle_out(Tensor& out, const Tensor& self, int64_t groups) {
return bridge::write(at::channel_shuffle(self, groups), out);
}

Tensor& channel_shuffle_outf(const Tensor& self, int64_t groups, Tensor& out) {
return at::channel_shuffle_out(out, self, groups);
}

Tensor native_channel_shuffle(const Tensor& self, int64_t groups) {
return minima::channel_shuffle(bridge::native(self), groups);
}

Tensor& native_channel_shuffle_out(Tensor& out, const Tensor& self, int64_t groups) {
return bridge::write(at::native_channel_shuffle(self, groups), out);
}

Tensor& native_channel_shuffle_outf(const Tensor& self, int64_t groups, Tensor& out) {
return at::native_channel_shuffle_out(out, self, groups);
}

Tensor affine_grid_generator(const Tensor& theta, IntArrayRef size, bool align_corners) {
return minima::affine_grid(bridge::native(theta), bridge::native(size), align_corners);
}

Tensor& affine_grid_generator_out(Tensor& out, const Tensor& theta, IntArrayRef size, bool align_corners) {
return bridge::write(at::affine_grid_generator(theta, size, align_corners), out);
}

Tensor& affine_grid_generator_outf(const Tensor& theta, IntArrayRef size, bool align_corners, Tensor& out) {
return at::affine_grid_generator_out(out, theta, size, align_corners);
}

Tensor grid_sampler(const Tensor& input, const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners) {
return minima::grid_sample(bridge::native(input), bridge::native(grid), {.mode = static_cast<minima::GridSampleMode>(interpolation_mode), .padding = static_cast<minima::GridPadding>(padding_mode), .align_corners = align_corners});
}

Tensor& grid_sampler_out(Tensor& out, const Tensor& input, const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners) {
return bridge::write(at::grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners), out);
}

Tensor& grid_sampler_outf(const Tensor& input, const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners, Tensor& out) {
return at::grid_sampler_out(out, input, grid, interpolation_mode, padding_mode, align_corners);
}

Tensor grid_sampler_2d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners) {
return minima::grid_sample(bridge::native(input), bridge::native(grid), {.mode = static_cast<minima::GridSampleMode>(interpolation_mode), .padding = static_cast<minima::GridPadding>(padding_mode), .align_corners = align_corners});
}

Tensor& grid_sampler_2d_out(Tensor& out, const Tensor& input, const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners) {
return bridge::write(at::grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners), out);
}

Tensor& grid_sampler_2d_outf(const Tensor& input, const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners, Tensor& out) {
return at::grid_sampler_2d_out(out, input, grid, interpolation_mode, padding_mode, align_corners);
}

Tensor grid_sampler_3d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners) {
return minima::grid_sample(bridge::native(input), bridge::native(grid), {.mode = static_cast<minima::GridSampleMode>(interpolation_mode), .padding = static_cast<minima::GridPadding>(padding_mode), .align_corners = align_corners});
}

Tensor& grid_sampler_3d_out(Tensor& out, const Tensor& input, const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners) {
return bridge::write(at::grid_sampler_3d(input, grid, interpolation_mode, padding_mode, align_corners), out);
}

Tensor& grid_sampler_3d_outf(const Tensor& input, const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners, Tensor& out) {
return at::grid_sampler_3d_out(out, input, grid, interpolation_mode, padding_mode, align_corners);
}

Tensor pad(const Tensor& self, IntArrayRef pad, std::string_view mode, std::optional<double> value) {
return bridge::pad(bridge::native(self), bridge::native(pad), bridge::pad_mode(mode), value.value_or(0));
}

Tensor& pad_out(Tensor& out, const Tensor& self, IntArrayRef pad, std::string_view mode, std::optional<double> value) {
return bridge::write(at::pad(self, pad, mode, value), out);
}

Tensor& pad_outf(const Tensor& self, IntArrayRef pad, std::string_view mode, std::optional<double> value, Tensor& out) {
return at::pad_out(out, self, pad, mode, value);
}

Tensor constant_pad_nd(const Tensor& self, IntArrayRef pad, const Scalar& value) {
return bridge::pad(bridge::native(self), bridge::native(pad), minima::PadMode::constant, bridge::native(value));
}

Tensor& constant_pad_nd_out(Tensor& out, const Tensor& self, IntArrayRef pad, const Scalar& value) {
return bridge::write(at::constant_pad_nd(self, pad, value), out);
}

Tensor& constant_pad_nd_outf(const Tensor& self, IntArrayRef pad, const Scalar& value, Tensor& out) {
return at::constant_pad_nd_out(out, self, pad, value);
}

Tensor reflection_pad1d(const Tensor& self, IntArrayRef padding) {
return minima::pad(bridge::native(self), bridge::native(padding), minima::PadMode::reflect);
}

Tensor& reflection_pad1d_out(Tensor& out, const Tensor& self, IntArrayRef padding) {
return bridge::write(at::reflection_pad1d(self, padding), out);
}

Tensor& reflection_pad1d_outf(const Tensor& self, IntArrayRef padding, Tensor& out) {
return at::reflection_pad1d_out(out, self, padding);
}

Tensor reflection_pad2d(const Tensor& self, IntArrayRef padding) {
return minima::pad(bridge::native(self), bridge::native(padding), minima::PadMode::reflect);
}

Tensor& reflection_pad2d_out(Tensor& out, const Tensor& self, IntArrayRef padding) {
return bridge::write(at::reflection_pad2d(self, padding), out);
}

Tensor& reflection_pad2d_outf(const Tensor& self, IntArrayRef padding, Tensor& out) {
return at::reflection_pad2d_out(out, self, padding);
}

Tensor reflection_pad3d(const Tensor& self, IntArrayRef padding) {
return minima::pad(bridge::native(self), bridge::native(padding), minima::PadMode::reflect);
}

Tensor& reflection_pad3d_out(Tensor& out, const Tensor& self, IntArrayRef padding) {
return bridge::write(at::reflection_pad3d(self, padding), out);
}

Tensor& reflection_pad3d_outf(const Tensor& self, IntArrayRef padding, Tensor& out) {
return at::reflection_pad3d_out(out, self, padding);
}

Tensor replication_pad1d(const Tensor& self, IntArrayRef padding) {
return minima::pad(bridge::native(self), bridge::native(padding), minima::PadMode::replicate);
}

Tensor& replication_pad1d_out(Tensor& out, const Tensor& self, IntArrayRef padding) {
return bridge::write(at::replication_pad1d(self, padding), out);
}

Tensor& replication_pad1d_outf(const Tensor& self, IntArrayRef padding, Tensor& out) {
return at::replication_pad1d_out(out, self, padding);
}

Tensor replication_pad2d(const Tensor& self, IntArrayRef padding) {
return minima::pad(bridge::native(self), bridge::native(padding), minima::PadMode::replicate);
}

Tensor& replication_pad2d_out(Tensor& out, const Tensor& self, IntArrayRef padding) {
return bridge::write(at::replication_pad2d(self, padding), out);
}

Tensor& replication_pad2d_outf(const Tensor& self, IntArrayRef padding, Tensor& out) {
return at::replication_pad2d_out(out, self, padding);
}

Tensor replication_pad3d(const Tensor& self, IntArrayRef padding) {
return minima::pad(bridge::native(self), bridge::native(padding), minima::PadMode::replicate);
}

Tensor& replication_pad3d_out(Tensor& out, const Tensor& self, IntArrayRef padding) {
return bridge::write(at::replication_pad3d(self, padding), out);
}

Tensor& replication_pad3d_outf(const Tensor& self, IntArrayRef padding, Tensor& out) {
return at::replication_pad3d_out(out, self, padding);
}

Tensor upsample_nearest1d(const Tensor& self, IntArrayRef output_size, std::optional<double> scales) {
return bridge::upsample(bridge::native(self), bridge::native(output_size), {scales}, minima::InterpolateMode::nearest, false);
}

Tensor& upsample_nearest1d_out(Tensor& out, const Tensor& self, IntArrayRef output_size, std::optional<double> scales) {
return bridge::write(at::upsample_nearest1d(self, output_size, scales), out);
}

Tensor& upsample_nearest1d_outf(const Tensor& self, IntArrayRef output_size, std::optional<double> scales, Tensor& out) {
return at::upsample_nearest1d_out(out, self, output_size, scales);
}

Tensor upsample_nearest2d(const Tensor& self, IntArrayRef output_size, std::optional<double> scales_h, std::optional<double> scales_w) {
return bridge::upsample(bridge::native(self), bridge::native(output_size), {scales_h, scales_w}, minima::InterpolateMode::nearest, false);
}

Tensor& upsample_nearest2d_out(Tensor& out, const Tensor& self, IntArrayRef output_size, std::optional<double> scales_h, std::optional<double> scales_w) {
return bridge::write(at::upsample_nearest2d(self, output_size, scales_h, scales_w), out);
}

Tensor& upsample_nearest2d_outf(const Tensor& self, IntArrayRef output_size, std::optional<double> scales_h, std::optional<double> scales_w, Tensor& out) {
return at::upsample_nearest2d_out(out, self, output_size, scales_h, scales_w);
}

Tensor upsample_nearest3d(const Tensor& self, IntArrayRef output_size, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w) {
return bridge::upsample(bridge::native(self), bridge::native(output_size), {scales_d, scales_h, scales_w}, minima::InterpolateMode::nearest, false);
}

Tensor& upsample_nearest3d_out(Tensor& out, const Tensor& self, IntArrayRef output_size, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w) {
return bridge::write(at::upsample_nearest3d(self, output_size, scales_d, scales_h, scales_w), out);
}

Tensor& upsample_nearest3d_outf(const Tensor& self, IntArrayRef output_size, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w, Tensor& out) {
return at::upsample_nearest3d_out(out, self, output_size, scales_d, scales_h, scales_w);
}

Tensor upsample_linear1d(const Tensor& self, IntArrayRef output_size, bool align_corners, std::optional<double> scales) {
return bridge::upsample(bridge::native(self), bridge::native(output_size), {scales}, minima::InterpolateMode::linear, align_corners);
}

Tensor& upsample_linear1d_out(Tensor& out, const Tensor& self, IntArrayRef output_size, bool align_corners, std::optional<double> scales) {
return bridge::write(at::upsample_linear1d(self, output_size, align_corners, scales), out);
}

Tensor& upsample_linear1d_outf(const Tensor& self, IntArrayRef output_size, bool align_corners, std::optional<double> scales, Tensor& out) {
return at::upsample_linear1d_out(out, self, output_size, align_corners, scales);
}

Tensor upsample_bilinear2d(const Tensor& self, IntArrayRef output_size, bool align_corners, std::optional<double> scales_h, std::optional<double> scales_w) {
return bridge::upsample(bridge::native(self), bridge::native(output_size), {scales_h, scales_w}, minima::InterpolateMode::linear, align_corners);
}

Tensor& upsample_bilinear2d_out(Tensor& out, const Tensor& self, IntArrayRef output_size, bool align_corners, std::optional<double> scales_h, std::optional<double> scales_w) {
return bridge::write(at::upsample_bilinear2d(self, output_size, align_corners, scales_h, scales_w), out);
}

Tensor& upsample_bilinear2d_outf(const Tensor& self, IntArrayRef output_size, bool align_corners, std::optional<double> scales_h, std::optional<double> scales_w, Tensor& out) {
return at::upsample_bilinear2d_out(out, self, output_size, align_corners, scales_h, scales_w);
}

Tensor upsample_bicubic2d(const Tensor& self, IntArrayRef output_size, bool align_corners, std::optional<double> scales_h, std::optional<double> scales_w) {
return bridge::upsample(bridge::native(self), bridge::native(output_size), {scales_h, scales_w}, minima::InterpolateMode::cubic, align_corners);
}

Tensor& upsample_bicubic2d_out(Tensor& out, const Tensor& self, IntArrayRef output_size, bool align_corners, std::optional<double> scales_h, std::optional<double> scales_w) {
return bridge::write(at::upsample_bicubic2d(self, output_size, align_corners, scales_h, scales_w), out);
}

Tensor& upsample_bicubic2d_outf(const Tensor& self, IntArrayRef output_size, bool align_corners, std::optional<double> scales_h, std::optional<double> scales_w, Tensor& out) {
return at::upsample_bicubic2d_out(out, self, output_size, align_corners, scales_h, scales_w);
}

Tensor upsample_trilinear3d(const Tensor& self, IntArrayRef output_size, bool align_corners, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w) {
return bridge::upsample(bridge::native(self), bridge::native(output_size), {scales_d, scales_h, scales_w}, minima::InterpolateMode::linear, align_corners);
}

Tensor& upsample_trilinear3d_out(Tensor& out, const Tensor& self, IntArrayRef output_size, bool align_corners, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w) {
return bridge::write(at::upsample_trilinear3d(self, output_size, align_corners, scales_d, scales_h, scales_w), out);
}

Tensor& upsample_trilinear3d_outf(const Tensor& self, IntArrayRef output_size, bool align_corners, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w, Tensor& out) {
return at::upsample_trilinear3d_out(out, self, output_size, align_corners, scales_d, scales_h, scales_w);
}

Tensor upsample_nearest1d(const Tensor& input, OptionalIntArrayRef output_size, std::optional<ArrayRef<double>> scale_factors) {
return bridge::upsample(bridge::native(input), output_size, scale_factors, minima::InterpolateMode::nearest, false);
}

Tensor& upsample_nearest1d_out(Tensor& out, const Tensor& input, OptionalIntArrayRef output_size, std::optional<ArrayRef<double>> scale_factors) {
return bridge::write(at::upsample_nearest1d(input, output_size, scale_factors), out);
}

Tensor& upsample_nearest1d_outf(const Tensor& input, OptionalIntArrayRef output_size, std::optional<ArrayRef<double>> scale_factors, Tensor& out) {
return at::upsample_nearest1d_out(out, input, output_size, scale_factors);
}

Tensor upsample_nearest2d(const Tensor& input, OptionalIntArrayRef output_size, std::optional<ArrayRef<double>> scale_factors) {
return bridge::upsample(bridge::native(input), output_size, scale_factors, minima::InterpolateMode::nearest, false);
}

Tensor& upsample_nearest2d_out(Tensor& out, const Tensor& input, OptionalIntArrayRef output_size, std::optional<ArrayRef<double>> scale_factors) {
return bridge::write(at::upsample_nearest2d(input, output_size, scale_factors), out);
}

Tensor& upsample_nearest2d_outf(const Tensor& input, OptionalIntArrayRef output_size, std::optional<ArrayRef<double>> scale_factors, Tensor& out) {
return at::upsample_nearest2d_out(out, input, output_size, scale_factors);
}

Tensor upsample_nearest3d(const Tensor& input, OptionalIntArrayRef output_size, std::optional<ArrayRef<double>> scale_factors) {
return bridge::upsample(bridge::native(input), output_size, scale_factors, minima::InterpolateMode::nearest, false);
}

Tensor& upsample_nearest3d_out(Tensor& out, const Tensor& input, OptionalIntArrayRef output_size, std::optional<ArrayRef<double>> scale_factors) {
return bridge::write(at::upsample_nearest3d(input, output_size, scale_factors), out);
}

Tensor& upsample_nearest3d_outf(const Tensor& input, OptionalIntArrayRef output_size, std::optional<ArrayRef<double>> scale_factors, Tensor& out) {
return at::upsample_nearest3d_out(out, input, output_size, scale_factors);
}

Tensor upsample_linear1d(const Tensor& input, OptionalIntArrayRef output_size, bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
return bridge::upsample(bridge::native(input), output_size, scale_factors, minima::InterpolateMode::linear, align_corners);
}

Tensor& upsample_linear1d_out(Tensor& out, const Tensor& input, OptionalIntArrayRef output_size, bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
return bridge::write(at::upsample_linear1d(input, output_size, align_corners, scale_factors), out);
}

Tensor& upsample_linear1d_outf(const Tensor& input, OptionalIntArrayRef output_size, bool align_corners, std::optional<ArrayRef<double>> scale_factors, Tensor& out) {
return at::upsample_linear1d_out(out, input, output_size, align_corners, scale_factors);
}

Tensor upsample_bilinear2d(const Tensor& input, OptionalIntArrayRef output_size, bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
return bridge::upsample(bridge::native(input), output_size, scale_factors, minima::InterpolateMode::linear, align_corners);
}

Tensor& upsample_bilinear2d_out(Tensor& out, const Tensor& input, OptionalIntArrayRef output_size, bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
return bridge::write(at::upsample_bilinear2d(input, output_size, align_corners, scale_factors), out);
}

Tensor& upsample_bilinear2d_outf(const Tensor& input, OptionalIntArrayRef output_size, bool align_corners, std::optional<ArrayRef<double>> scale_factors, Tensor& out) {
return at::upsample_bilinear2d_out(out, input, output_size, align_corners, scale_factors);
}

Tensor upsample_trilinear3d(const Tensor& input, OptionalIntArrayRef output_size, bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
return bridge::upsample(bridge::native(input), output_size, scale_factors, minima::InterpolateMode::linear, align_corners);
}

Tensor& upsample_trilinear3d_out(Tensor& out, const Tensor& input, OptionalIntArrayRef output_size, bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
return bridge::write(at::upsample_trilinear3d(input, output_size, align_corners, scale_factors), out);
}

Tensor& upsample_trilinear3d_outf(const Tensor& input, OptionalIntArrayRef output_size, bool align_corners, std::optional<ArrayRef<double>> scale_factors, Tensor& out) {
return at::upsample_trilinear3d_out(out, input, output_size, align_corners, scale_factors);
}

Tensor upsample_bicubic2d(const Tensor& input, OptionalIntArrayRef output_size, bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
return bridge::upsample(bridge::native(input), output_size, scale_factors, minima::InterpolateMode::cubic, align_corners);
}

Tensor& upsample_bicubic2d_out(Tensor& out, const Tensor& input, OptionalIntArrayRef output_size, bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
return bridge::write(at::upsample_bicubic2d(input, output_size, align_corners, scale_factors), out);
}

Tensor& upsample_bicubic2d_outf(const Tensor& input, OptionalIntArrayRef output_size, bool align_corners, std::optional<ArrayRef<double>> scale_factors, Tensor& out) {
return at::upsample_bicubic2d_out(out, input, output_size, align_corners, scale_factors);
}

Tensor _upsample_bilinear2d_aa(const Tensor& input, OptionalIntArrayRef output_size, bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
return bridge::upsample(bridge::native(input), output_size, scale_factors, minima::InterpolateMode::linear, align_corners, true);
}

Tensor _upsample_bicubic2d_aa(const Tensor& input, OptionalIntArrayRef output_size, bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
return bridge::upsample(bridge::native(input), output_size, scale_factors, minima::InterpolateMode::cubic, align_corners, true);
}

Tensor _upsample_nearest_exact1d(const Tensor& input, OptionalIntArrayRef output_size, std::optional<ArrayRef<double>> scale_factors) {
return bridge::upsample_exact(input, output_size, scale_factors);
}

Tensor _upsample_nearest_exact2d(const Tensor& input, OptionalIntArrayRef output_size, std::optional<ArrayRef<double>> scale_factors) {
return bridge::upsample_exact(input, output_size, scale_factors);
}

Tensor _upsample_nearest_exact3d(const Tensor& input, OptionalIntArrayRef output_size, std::optional<ArrayRef<double>> scale_factors) {
return bridge::upsample_exact(input, output_size, scale_factors);
}

Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx, bool scale_grad_by_freq, bool) {
return bridge::embedding(bridge::native(weight), bridge::native(indices), padding_idx, scale_grad_by_freq);
}

Tensor& embedding_out(Tensor& out, const Tensor& weight, const Tensor& indices, int64_t padding_idx, bool scale_grad_by_freq, bool sparse) {
return bridge::write(at::embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse), out);
}

Tensor& embedding_outf(const Tensor& weight, const Tensor& indices, int64_t padding_idx, bool scale_grad_by_freq, bool sparse, Tensor& out) {
return at::embedding_out(out, weight, indices, padding_idx, scale_grad_by_freq, sparse);
}

Tensor embedding_renorm(const Tensor& self, const Tensor& indices, double max_norm, double norm_type) {
return bridge::embedding_renorm(bridge::native(self), bridge::native(indices), max_norm, norm_type);
}

Tensor& embedding_renorm_out(Tensor& out, const Tensor& self, const Tensor& indices, double max_norm, double norm_type) {
return bridge::write(at::embedding_renorm(self, indices, max_norm, norm_type), out);
}

Tensor& embedding_renorm_outf(const Tensor& self, const Tensor& indices, double max_norm, double norm_type, Tensor& out) {
return at::embedding_renorm_out(out, self, indices, max_norm, norm_type);
}

Tensor& embedding_renorm_(Tensor& self, const Tensor& indices, double max_norm, double norm_type) {
torch::autograd::check_inplace(self);
bridge::embedding_renorm_(bridge::native(self), bridge::native(indices), max_norm, norm_type);
return self;
}

std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool, int64_t mode, bool, const std::optional<Tensor>& per_sample_weights, bool include_last_offset) {
return bridge::embedding_bag(bridge::native(weight), bridge::native(indices), bridge::native(offsets), mode, bridge::native(per_sample_weights), include_last_offset, -1);
}

std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> embedding_bag_out(Tensor& out0, Tensor& out1, Tensor& out2, Tensor& out3, const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq, int64_t mode, bool sparse, const std::optional<Tensor>& per_sample_weights, bool include_last_offset) {
return bridge::write(at::embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset), out0, out1, out2, out3);
}

std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> embedding_bag_outf(const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq, int64_t mode, bool sparse, const std::optional<Tensor>& per_sample_weights, bool include_last_offset, Tensor& out0, Tensor& out1, Tensor& out2, Tensor& out3) {
return at::embedding_bag_out(out0, out1, out2, out3, weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset);
}

std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool, int64_t mode, bool, const std::optional<Tensor>& per_sample_weights, bool include_last_offset, std::optional<int64_t> padding_idx) {
return bridge::embedding_bag(bridge::native(weight), bridge::native(indices), bridge::native(offsets), mode, bridge::native(per_sample_weights), include_last_offset, padding_idx.value_or(-1));
}

std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> embedding_bag_out(Tensor& out0, Tensor& out1, Tensor& out2, Tensor& out3, const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq, int64_t mode, bool sparse, const std::optional<Tensor>& per_sample_weights, bool include_last_offset, std::optional<int64_t> padding_idx) {
return bridge::write(at::embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx), out0, out1, out2, out3);
}

std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> embedding_bag_outf(const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq, int64_t mode, bool sparse, const std::optional<Tensor>& per_sample_weights, bool include_last_offset, std::optional<int64_t> padding_idx, Tensor& out0, Tensor& out1, Tensor& out2, Tensor& out3) {
return at::embedding_bag_out(out0, out1, out2, out3, weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx);
}

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value, const std::optional<Tensor>& attn_mask, double dropout_p, bool is_causal, std::optional<double> scale, bool enable_gqa) {
return minima::scaled_dot_product_attention(bridge::native(query), bridge::native(key), bridge::native(value), {.causal = is_causal, .mask = bridge::native(attn_mask), .dropout = dropout_p, .scale = scale, .grouped = enable_gqa});
}

Tensor& scaled_dot_product_attention_out(Tensor& out, const Tensor& query, const Tensor& key, const Tensor& value, const std::optional<Tensor>& attn_mask, double dropout_p, bool is_causal, std::optional<double> scale, bool enable_gqa) {
return bridge::write(at::scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa), out);
}

Tensor& scaled_dot_product_attention_outf(const Tensor& query, const Tensor& key, const Tensor& value, const std::optional<Tensor>& attn_mask, double dropout_p, bool is_causal, std::optional<double> scale, bool enable_gqa, Tensor& out) {
return at::scaled_dot_product_attention_out(out, query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa);
}

Tensor batch_norm(const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var, bool training, double momentum, double eps, bool) {
return minima::batch_norm(bridge::native(input), bridge::native(weight), bridge::native(bias), bridge::native(running_mean), bridge::native(running_var), {.training = training, .momentum = momentum, .eps = eps});
}

Tensor& batch_norm_out(Tensor& out, const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var, bool training, double momentum, double eps, bool cudnn_enabled) {
return bridge::write(at::batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled), out);
}

Tensor& batch_norm_outf(const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var, bool training, double momentum, double eps, bool cudnn_enabled, Tensor& out) {
return at::batch_norm_out(out, input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled);
}

Tensor instance_norm(const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var, bool use_input_stats, double momentum, double eps, bool) {
return minima::instance_norm(bridge::native(input), bridge::native(running_mean), bridge::native(running_var), bridge::native(weight), bridge::native(bias), {.use_input_stats = use_input_stats, .momentum = momentum, .eps = eps});
}

Tensor& instance_norm_out(Tensor& out, const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var, bool use_input_stats, double momentum, double eps, bool cudnn_enabled) {
return bridge::write(at::instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled), out);
}

Tensor& instance_norm_outf(const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var, bool use_input_stats, double momentum, double eps, bool cudnn_enabled, Tensor& out) {
return at::instance_norm_out(out, input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled);
}

Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, double eps, bool) {
return minima::layer_norm(bridge::native(input), bridge::native(normalized_shape), bridge::native(weight), bridge::native(bias), eps);
}

Tensor& layer_norm_out(Tensor& out, const Tensor& input, IntArrayRef normalized_shape, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, double eps, bool cudnn_enable) {
return bridge::write(at::layer_norm(input, normalized_shape, weight, bias, eps, cudnn_enable), out);
}

Tensor& layer_norm_outf(const Tensor& input, IntArrayRef normalized_shape, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, double eps, bool cudnn_enable, Tensor& out) {
return at::layer_norm_out(out, input, normalized_shape, weight, bias, eps, cudnn_enable);
}

Tensor group_norm(const Tensor& input, int64_t num_groups, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, double eps, bool) {
return minima::group_norm(bridge::native(input), num_groups, bridge::native(weight), bridge::native(bias), eps);
}

Tensor& group_norm_out(Tensor& out, const Tensor& input, int64_t num_groups, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, double eps, bool cudnn_enabled) {
return bridge::write(at::group_norm(input, num_groups, weight, bias, eps, cudnn_enabled), out);
}

Tensor& group_norm_outf(const Tensor& input, int64_t num_groups, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, double eps, bool cudnn_enabled, Tensor& out) {
return at::group_norm_out(out, input, num_groups, weight, bias, eps, cudnn_enabled);
}

Tensor rms_norm(const Tensor& input, IntArrayRef normalized_shape, const std::optional<Tensor>& weight, std::optional<double> eps) {
return minima::rms_norm(bridge::native(input), bridge::native(normalized_shape), bridge::native(weight), eps.value_or(bridge::epsilon(bridge::native(input))));
}

Tensor& rms_norm_out(Tensor& out, const Tensor& input, IntArrayRef normalized_shape, const std::optional<Tensor>& weight, std::optional<double> eps) {
return bridge::write(at::rms_norm(input, normalized_shape, weight, eps), out);
}

Tensor& rms_norm_outf(const Tensor& input, IntArrayRef normalized_shape, const std::optional<Tensor>& weight, std::optional<double> eps, Tensor& out) {
return at::rms_norm_out(out, input, normalized_shape, weight, eps);
}

Tensor _weight_norm(const Tensor& v, const Tensor& g, int64_t dim) {
return minima::mul(bridge::native(v), minima::div(bridge::native(g), bridge::norm_except_dim(bridge::native(v), 2, dim)));
}

Tensor dropout(const Tensor& input, double p, bool train) {
return bridge::dropout(input, p, train);
}

Tensor& dropout_out(Tensor& out, const Tensor& input, double p, bool train) {
return bridge::write(at::dropout(input, p, train), out);
}

Tensor& dropout_outf(const Tensor& input, double p, bool train, Tensor& out) {
return at::dropout_out(out, input, p, train);
}

Tensor feature_dropout(const Tensor& input, double p, bool train) {
return bridge::feature_dropout(input, p, train);
}

Tensor& feature_dropout_out(Tensor& out, const Tensor& input, double p, bool train) {
return bridge::write(at::feature_dropout(input, p, train), out);
}

Tensor& feature_dropout_outf(const Tensor& input, double p, bool train, Tensor& out) {
return at::feature_dropout_out(out, input, p, train);
}

Tensor alpha_dropout(const Tensor& input, double p, bool train) {
return bridge::alpha_dropout(input, p, train);
}

Tensor& alpha_dropout_out(Tensor& out, const Tensor& input, double p, bool train) {
return bridge::write(at::alpha_dropout(input, p, train), out);
}

Tensor& alpha_dropout_outf(const Tensor& input, double p, bool train, Tensor& out) {
return at::alpha_dropout_out(out, input, p, train);
}

Tensor feature_alpha_dropout(const Tensor& input, double p, bool train) {
return bridge::feature_alpha_dropout(input, p, train);
}

Tensor& feature_alpha_dropout_out(Tensor& out, const Tensor& input, double p, bool train) {
return bridge::write(at::feature_alpha_dropout(input, p, train), out);
}

Tensor& feature_alpha_dropout_outf(const Tensor& input, double p, bool train, Tensor& out) {
return at::feature_alpha_dropout_out(out, input, p, train);
}

Tensor& dropout_(Tensor& self, double p, bool train) {
torch::autograd::check_inplace(self);
return bridge::change("dropout_", self, [&](const Tensor& x) { return at::dropout(x, p, train); });
}

Tensor& feature_dropout_(Tensor& self, double p, bool train) {
torch::autograd::check_inplace(self);
return bridge::change("feature_dropout_", self, [&](const Tensor& x) { return at::feature_dropout(x, p, train); });
}

Tensor& alpha_dropout_(Tensor& self, double p, bool train) {
torch::autograd::check_inplace(self);
return bridge::change("alpha_dropout_", self, [&](const Tensor& x) { return at::alpha_dropout(x, p, train); });
}

Tensor& feature_alpha_dropout_(Tensor& self, double p, bool train) {
torch::autograd::check_inplace(self);
return bridge::change("feature_alpha_dropout_", self, [&](const Tensor& x) { return at::feature_alpha_dropout(x, p, train); });
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
return minima::pairwise_distance(bridge::native(x1), bridge::native(x2), p, eps, keepdim);
}

Tensor& pairwise_distance_out(Tensor& out, const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
return bridge::write(at::pairwise_distance(x1, x2, p, eps, keepdim), out);
}

Tensor& pairwise_distance_outf(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim, Tensor& out) {
return at::pairwise_distance_out(out, x1, x2, p, eps, keepdim);
}

Tensor cdist(const Tensor& x1, const Tensor& x2, double p, std::optional<int64_t>) {
return minima::cdist(bridge::native(x1), bridge::native(x2), p);
}

Tensor& cdist_out(Tensor& out, const Tensor& x1, const Tensor& x2, double p, std::optional<int64_t> compute_mode) {
return bridge::write(at::cdist(x1, x2, p, compute_mode), out);
}

Tensor& cdist_outf(const Tensor& x1, const Tensor& x2, double p, std::optional<int64_t> compute_mode, Tensor& out) {
return at::cdist_out(out, x1, x2, p, compute_mode);
}

Tensor pdist(const Tensor& self, double p) {
return minima::pdist(bridge::native(self), p);
}

Tensor& pdist_out(Tensor& out, const Tensor& self, double p) {
return bridge::write(at::pdist(self, p), out);
}

Tensor& pdist_outf(const Tensor& self, double p, Tensor& out) {
return at::pdist_out(out, self, p);
}

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
return minima::cosine_similarity(bridge::native(x1), bridge::native(x2), dim, eps);
}

Tensor& cosine_similarity_out(Tensor& out, const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
return bridge::write(at::cosine_similarity(x1, x2, dim, eps), out);
}

Tensor& cosine_similarity_outf(const Tensor& x1, const Tensor& x2, int64_t dim, double eps, Tensor& out) {
return at::cosine_similarity_out(out, x1, x2, dim, eps);
}

Tensor mse_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
return minima::mse_loss(bridge::native(self), bridge::native(target), bridge::reduction(reduction));
}

Tensor& mse_loss_out(Tensor& out, const Tensor& self, const Tensor& target, int64_t reduction) {
return bridge::write(at::mse_loss(self, target, reduction), out);
}

Tensor& mse_loss_outf(const Tensor& self, const Tensor& target, int64_t reduction, Tensor& out) {
return at::mse_loss_out(out, self, target, reduction);
}

Tensor l1_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
return minima::l1_loss(bridge::native(self), bridge::native(target), bridge::reduction(reduction));
}

Tensor& l1_loss_out(Tensor& out, const Tensor& self, const Tensor& target, int64_t reduction) {
return bridge::write(at::l1_loss(self, target, reduction), out);
}

Tensor& l1_loss_outf(const Tensor& self, const Tensor& target, int64_t reduction, Tensor& out) {
return at::l1_loss_out(out, self, target, reduction);
}

Tensor soft_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
return minima::soft_margin_loss(bridge::native(self), bridge::native(target), bridge::reduction(reduction));
}

Tensor& soft_margin_loss_out(Tensor& out, const Tensor& self, const Tensor& target, int64_t reduction) {
return bridge::write(at::soft_margin_loss(self, target, reduction), out);
}

Tensor& soft_margin_loss_outf(const Tensor& self, const Tensor& target, int64_t reduction, Tensor& out) {
return at::soft_margin_loss_out(out, self, target, reduction);
}

Tensor multilabel_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
return minima::multilabel_margin_loss(bridge::native(self), bridge::native(target), bridge::reduction(reduction));
}

Tensor& multilabel_margin_loss_out(Tensor& out, const Tensor& self, const Tensor& target, int64_t reduction) {
return bridge::write(at::multilabel_margin_loss(self, target, reduction), out);
}

Tensor& multilabel_margin_loss_outf(const Tensor& self, const Tensor& target, int64_t reduction, Tensor& out) {
return at::multilabel_margin_loss_out(out, self, target, reduction);
}

Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, int64_t reduction, double beta) {
return minima::smooth_l1_loss(bridge::native(self), bridge::native(target), beta, bridge::reduction(reduction));
}

Tensor& smooth_l1_loss_out(Tensor& out, const Tensor& self, const Tensor& target, int64_t reduction, double beta) {
return bridge::write(at::smooth_l1_loss(self, target, reduction, beta), out);
}

Tensor& smooth_l1_loss_outf(const Tensor& self, const Tensor& target, int64_t reduction, double beta, Tensor& out) {
return at::smooth_l1_loss_out(out, self, target, reduction, beta);
}

Tensor huber_loss(const Tensor& self, const Tensor& target, int64_t reduction, double delta) {
return minima::huber_loss(bridge::native(self), bridge::native(target), delta, bridge::reduction(reduction));
}

Tensor& huber_loss_out(Tensor& out, const Tensor& self, const Tensor& target, int64_t reduction, double delta) {
return bridge::write(at::huber_loss(self, target, reduction, delta), out);
}

Tensor& huber_loss_outf(const Tensor& self, const Tensor& target, int64_t reduction, double delta, Tensor& out) {
return at::huber_loss_out(out, self, target, reduction, delta);
}

Tensor binary_cross_entropy(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction) {
return bridge::binary_cross_entropy(bridge::native(self), bridge::native(target), bridge::native(weight), bridge::reduction(reduction));
}

Tensor& binary_cross_entropy_out(Tensor& out, const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction) {
return bridge::write(at::binary_cross_entropy(self, target, weight, reduction), out);
}

Tensor& binary_cross_entropy_outf(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction, Tensor& out) {
return at::binary_cross_entropy_out(out, self, target, weight, reduction);
}

Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, const std::optional<Tensor>& pos_weight, int64_t reduction) {
return minima::binary_cross_entropy_with_logits(bridge::native(self), bridge::native(target), {.weight = bridge::native(weight), .pos_weight = bridge::native(pos_weight), .reduction = bridge::reduction(reduction)});
}

Tensor& binary_cross_entropy_with_logits_out(Tensor& out, const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, const std::optional<Tensor>& pos_weight, int64_t reduction) {
return bridge::write(at::binary_cross_entropy_with_logits(self, target, weight, pos_weight, reduction), out);
}

Tensor& binary_cross_entropy_with_logits_outf(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, const std::optional<Tensor>& pos_weight, int64_t reduction, Tensor& out) {
return at::binary_cross_entropy_with_logits_out(out, self, target, weight, pos_weight, reduction);
}

Tensor kl_div(const Tensor& self, const Tensor& target, int64_t reduction, bool log_target) {
return log_target ? minima::kl_div_log_target(bridge::native(self), bridge::native(target), bridge::reduction(reduction)) : minima::kl_div(bridge::native(self), bridge::native(target), bridge::reduction(reduction));
}

Tensor& kl_div_out(Tensor& out, const Tensor& self, const Tensor& target, int64_t reduction, bool log_target) {
return bridge::write(at::kl_div(self, target, reduction, log_target), out);
}

Tensor& kl_div_outf(const Tensor& self, const Tensor& target, int64_t reduction, bool log_target, Tensor& out) {
return at::kl_div_out(out, self, target, reduction, log_target);
}

Tensor nll_loss(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction, int64_t ignore_index) {
return minima::nll_loss(bridge::native(self), bridge::native(target), {.weight = bridge::native(weight), .ignore_index = ignore_index, .reduction = bridge::reduction(reduction)});
}

Tensor& nll_loss_out(Tensor& out, const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction, int64_t ignore_index) {
return bridge::write(at::nll_loss(self, target, weight, reduction, ignore_index), out);
}

Tensor& nll_loss_outf(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction, int64_t ignore_index, Tensor& out) {
return at::nll_loss_out(out, self, target, weight, reduction, ignore_index);
}

Tensor nll_loss2d(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction, int64_t ignore_index) {
return minima::nll_loss(bridge::native(self), bridge::native(target), {.weight = bridge::native(weight), .ignore_index = ignore_index, .reduction = bridge::reduction(reduction)});
}

Tensor& nll_loss2d_out(Tensor& out, const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction, int64_t ignore_index) {
return bridge::write(at::nll_loss2d(self, target, weight, reduction, ignore_index), out);
}

Tensor& nll_loss2d_outf(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction, int64_t ignore_index, Tensor& out) {
return at::nll_loss2d_out(out, self, target, weight, reduction, ignore_index);
}

Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction, int64_t ignore_index) {
return minima::nll_loss(bridge::native(self), bridge::native(target), {.weight = bridge::native(weight), .ignore_index = ignore_index, .reduction = bridge::reduction(reduction)});
}

Tensor& nll_loss_nd_out(Tensor& out, const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction, int64_t ignore_index) {
return bridge::write(at::nll_loss_nd(self, target, weight, reduction, ignore_index), out);
}

Tensor& nll_loss_nd_outf(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction, int64_t ignore_index, Tensor& out) {
return at::nll_loss_nd_out(out, self, target, weight, reduction, ignore_index);
}

Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction, int64_t ignore_index, double label_smoothing) {
return minima::cross_entropy(bridge::native(self), bridge::native(target), {.weight = bridge::native(weight), .ignore_index = ignore_index, .reduction = bridge::reduction(reduction), .label_smoothing = label_smoothing});
}

Tensor& cross_entropy_loss_out(Tensor& out, const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction, int64_t ignore_index, double label_smoothing) {
return bridge::write(at::cross_entropy_loss(self, target, weight, reduction, ignore_index, label_smoothing), out);
}

Tensor& cross_entropy_loss_outf(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction, int64_t ignore_index, double label_smoothing, Tensor& out) {
return at::cross_entropy_loss_out(out, self, target, weight, reduction, ignore_index, label_smoothing);
}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths, IntArrayRef target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) {
return minima::ctc_loss(bridge::native(log_probs), bridge::native(targets), bridge::vector(bridge::native(input_lengths)), bridge::vector(bridge::native(target_lengths)), {.blank = blank, .zero_infinity = zero_infinity, .reduction = bridge::reduction(reduction)});
}

Tensor& ctc_loss_out(Tensor& out, const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths, IntArrayRef target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) {
return bridge::write(at::ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity), out);
}

Tensor& ctc_loss_outf(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths, IntArrayRef target_lengths, int64_t blank, int64_t reduction, bool zero_infinity, Tensor& out) {
return at::ctc_loss_out(out, log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity);
}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths, const Tensor& target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) {
return minima::ctc_loss(bridge::native(log_probs), bridge::native(targets), bridge::native(input_lengths).to_vector<int64_t>(), bridge::native(target_lengths).to_vector<int64_t>(), {.blank = blank, .zero_infinity = zero_infinity, .reduction = bridge::reduction(reduction)});
}

Tensor& ctc_loss_out(Tensor& out, const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths, const Tensor& target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) {
return bridge::write(at::ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity), out);
}

Tensor& ctc_loss_outf(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths, const Tensor& target_lengths, int64_t blank, int64_t reduction, bool zero_infinity, Tensor& out) {
return at::ctc_loss_out(out, log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity);
}

Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin, int64_t reduction) {
return minima::hinge_embedding_loss(bridge::native(self), bridge::native(target), margin, bridge::reduction(reduction));
}

Tensor& hinge_embedding_loss_out(Tensor& out, const Tensor& self, const Tensor& target, double margin, int64_t reduction) {
return bridge::write(at::hinge_embedding_loss(self, target, margin, reduction), out);
}

Tensor& hinge_embedding_loss_outf(const Tensor& self, const Tensor& target, double margin, int64_t reduction, Tensor& out) {
return at::hinge_embedding_loss_out(out, self, target, margin, reduction);
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin, int64_t reduction) {
return minima::margin_ranking_loss(bridge::native(input1), bridge::native(input2), bridge::native(target), margin, bridge::reduction(reduction));
}

Tensor& margin_ranking_loss_out(Tensor& out, const Tensor& input1, const Tensor& input2, const Tensor& target, double margin, int64_t reduction) {
return bridge::write(at::margin_ranking_loss(input1, input2, target, margin, reduction), out);
}

Tensor& margin_ranking_loss_outf(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin, int64_t reduction, Tensor& out) {
return at::margin_ranking_loss_out(out, input1, input2, target, margin, reduction);
}

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin, int64_t reduction) {
return minima::cosine_embedding_loss(bridge::native(input1), bridge::native(input2), bridge::native(target), margin, bridge::reduction(reduction));
}

Tensor& cosine_embedding_loss_out(Tensor& out, const Tensor& input1, const Tensor& input2, const Tensor& target, double margin, int64_t reduction) {
return bridge::write(at::cosine_embedding_loss(input1, input2, target, margin, reduction), out);
}

Tensor& cosine_embedding_loss_outf(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin, int64_t reduction, Tensor& out) {
return at::cosine_embedding_loss_out(out, input1, input2, target, margin, reduction);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin, double p, double eps, bool swap, int64_t reduction) {
return minima::triplet_margin_loss(bridge::native(anchor), bridge::native(positive), bridge::native(negative), {.margin = margin, .p = p, .eps = eps, .swap = swap, .reduction = bridge::reduction(reduction)});
}

Tensor& triplet_margin_loss_out(Tensor& out, const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin, double p, double eps, bool swap, int64_t reduction) {
return bridge::write(at::triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction), out);
}

Tensor& triplet_margin_loss_outf(const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin, double p, double eps, bool swap, int64_t reduction, Tensor& out) {
return at::triplet_margin_loss_out(out, anchor, positive, negative, margin, p, eps, swap, reduction);
}

Tensor multi_margin_loss(const Tensor& self, const Tensor& target, const Scalar& p, const Scalar& margin, const std::optional<Tensor>& weight, int64_t reduction) {
return minima::multi_margin_loss(bridge::native(self), bridge::native(target), {.p = bridge::native(p).to<double>(), .margin = bridge::native(margin).to<double>(), .weight = bridge::native(weight), .reduction = bridge::reduction(reduction)});
}

Tensor& multi_margin_loss_out(Tensor& out, const Tensor& self, const Tensor& target, const Scalar& p, const Scalar& margin, const std::optional<Tensor>& weight, int64_t reduction) {
return bridge::write(at::multi_margin_loss(self, target, p, margin, weight, reduction), out);
}

Tensor& multi_margin_loss_outf(const Tensor& self, const Tensor& target, const Scalar& p, const Scalar& margin, const std::optional<Tensor>& weight, int64_t reduction, Tensor& out) {
return at::multi_margin_loss_out(out, self, target, p, margin, weight, reduction);
}

Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full, double eps, int64_t reduction) {
return minima::poisson_nll_loss(bridge::native(input), bridge::native(target), {.log_input = log_input, .full = full, .eps = eps, .reduction = bridge::reduction(reduction)});
}

Tensor& poisson_nll_loss_out(Tensor& out, const Tensor& input, const Tensor& target, bool log_input, bool full, double eps, int64_t reduction) {
return bridge::write(at::poisson_nll_loss(input, target, log_input, full, eps, reduction), out);
}

Tensor& poisson_nll_loss_outf(const Tensor& input, const Tensor& target, bool log_input, bool full, double eps, int64_t reduction, Tensor& out) {
return at::poisson_nll_loss_out(out, input, target, log_input, full, eps, reduction);
}

std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& input, TensorList hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) {
return bridge::tuple3(minima::lstm(bridge::native(input), bridge::native(hx)[0], bridge::native(hx)[1], bridge::weights(bridge::native(params), has_biases, num_layers, bidirectional), {.batch_first = batch_first, .bidirectional = bidirectional, .dropout = train ? dropout : 0}));
}

std::tuple<Tensor&, Tensor&, Tensor&> lstm_out(Tensor& out0, Tensor& out1, Tensor& out2, const Tensor& input, TensorList hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) {
return bridge::write(at::lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), out0, out1, out2);
}

std::tuple<Tensor&, Tensor&, Tensor&> lstm_outf(const Tensor& input, TensorList hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first, Tensor& out0, Tensor& out1, Tensor& out2) {
return at::lstm_out(out0, out1, out2, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first);
}

std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& data, const Tensor& batch_sizes, TensorList hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional) {
return bridge::tuple3(minima::lstm(bridge::native(data), bridge::native(hx)[0], bridge::native(hx)[1], bridge::weights(bridge::native(params), has_biases, num_layers, bidirectional), {.bidirectional = bidirectional, .dropout = train ? dropout : 0, .batch_sizes = bridge::native(batch_sizes).to_vector<int64_t>()}));
}

std::tuple<Tensor&, Tensor&, Tensor&> lstm_out(Tensor& out0, Tensor& out1, Tensor& out2, const Tensor& data, const Tensor& batch_sizes, TensorList hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional) {
return bridge::write(at::lstm(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional), out0, out1, out2);
}

std::tuple<Tensor&, Tensor&, Tensor&> lstm_outf(const Tensor& data, const Tensor& batch_sizes, TensorList hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, Tensor& out0, Tensor& out1, Tensor& out2) {
return at::lstm_out(out0, out1, out2, data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional);
}

std::tuple<Tensor, Tensor> gru(const Tensor& input, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) {
return bridge::tuple2(minima::gru(bridge::native(input), bridge::native(hx), bridge::weights(bridge::native(params), has_biases, num_layers, bidirectional), {.batch_first = batch_first, .bidirectional = bidirectional, .dropout = train ? dropout : 0}));
}

std::tuple<Tensor&, Tensor&> gru_out(Tensor& out0, Tensor& out1, const Tensor& input, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) {
return bridge::write(at::gru(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), out0, out1);
}

std::tuple<Tensor&, Tensor&> gru_outf(const Tensor& input, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first, Tensor& out0, Tensor& out1) {
return at::gru_out(out0, out1, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first);
}

std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& input, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) {
return bridge::tuple2(minima::rnn_tanh(bridge::native(input), bridge::native(hx), bridge::weights(bridge::native(params), has_biases, num_layers, bidirectional), {.batch_first = batch_first, .bidirectional = bidirectional, .dropout = train ? dropout : 0}));
}

std::tuple<Tensor&, Tensor&> rnn_tanh_out(Tensor& out0, Tensor& out1, const Tensor& input, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) {
return bridge::write(at::rnn_tanh(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), out0, out1);
}

std::tuple<Tensor&, Tensor&> rnn_tanh_outf(const Tensor& input, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first, Tensor& out0, Tensor& out1) {
return at::rnn_tanh_out(out0, out1, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first);
}

std::tuple<Tensor, Tensor> rnn_relu(const Tensor& input, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) {
return bridge::tuple2(minima::rnn_relu(bridge::native(input), bridge::native(hx), bridge::weights(bridge::native(params), has_biases, num_layers, bidirectional), {.batch_first = batch_first, .bidirectional = bidirectional, .dropout = train ? dropout : 0}));
}

std::tuple<Tensor&, Tensor&> rnn_relu_out(Tensor& out0, Tensor& out1, const Tensor& input, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) {
return bridge::write(at::rnn_relu(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), out0, out1);
}

std::tuple<Tensor&, Tensor&> rnn_relu_outf(const Tensor& input, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first, Tensor& out0, Tensor& out1) {
return at::rnn_relu_out(out0, out1, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first);
}

std::tuple<Tensor, Tensor> gru(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional) {
return bridge::tuple2(minima::gru(bridge::native(data), bridge::native(hx), bridge::weights(bridge::native(params), has_biases, num_layers, bidirectional), {.bidirectional = bidirectional, .dropout = train ? dropout : 0, .batch_sizes = bridge::native(batch_sizes).to_vector<int64_t>()}));
}

std::tuple<Tensor&, Tensor&> gru_out(Tensor& out0, Tensor& out1, const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional) {
return bridge::write(at::gru(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional), out0, out1);
}

std::tuple<Tensor&, Tensor&> gru_outf(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, Tensor& out0, Tensor& out1) {
return at::gru_out(out0, out1, data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional);
}

std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional) {
return bridge::tuple2(minima::rnn_tanh(bridge::native(data), bridge::native(hx), bridge::weights(bridge::native(params), has_biases, num_layers, bidirectional), {.bidirectional = bidirectional, .dropout = train ? dropout : 0, .batch_sizes = bridge::native(batch_sizes).to_vector<int64_t>()}));
}

std::tuple<Tensor&, Tensor&> rnn_tanh_out(Tensor& out0, Tensor& out1, const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional) {
return bridge::write(at::rnn_tanh(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional), out0, out1);
}

std::tuple<Tensor&, Tensor&> rnn_tanh_outf(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, Tensor& out0, Tensor& out1) {
return at::rnn_tanh_out(out0, out1, data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional);
}

std::tuple<Tensor, Tensor> rnn_relu(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional) {
return bridge::tuple2(minima::rnn_relu(bridge::native(data), bridge::native(hx), bridge::weights(bridge::native(params), has_biases, num_layers, bidirectional), {.bidirectional = bidirectional, .dropout = train ? dropout : 0, .batch_sizes = bridge::native(batch_sizes).to_vector<int64_t>()}));
}

std::tuple<Tensor&, Tensor&> rnn_relu_out(Tensor& out0, Tensor& out1, const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional) {
return bridge::write(at::rnn_relu(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional), out0, out1);
}

std::tuple<Tensor&, Tensor&> rnn_relu_outf(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, Tensor& out0, Tensor& out1) {
return at::rnn_relu_out(out0, out1, data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional);
}

std::tuple<Tensor, Tensor> lstm_cell(const Tensor& input, TensorList hx, const Tensor& w_ih, const Tensor& w_hh, const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh) {
return bridge::lstm_cell(bridge::native(input), bridge::native(hx)[0], bridge::native(hx)[1], {bridge::native(w_ih), bridge::native(w_hh), bridge::native(b_ih), bridge::native(b_hh)});
}

std::tuple<Tensor&, Tensor&> lstm_cell_out(Tensor& out0, Tensor& out1, const Tensor& input, TensorList hx, const Tensor& w_ih, const Tensor& w_hh, const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh) {
return bridge::write(at::lstm_cell(input, hx, w_ih, w_hh, b_ih, b_hh), out0, out1);
}

std::tuple<Tensor&, Tensor&> lstm_cell_outf(const Tensor& input, TensorList hx, const Tensor& w_ih, const Tensor& w_hh, const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh, Tensor& out0, Tensor& out1) {
return at::lstm_cell_out(out0, out1, input, hx, w_ih, w_hh, b_ih, b_hh);
}

Tensor gru_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh) {
return bridge::cell(bridge::native(input), bridge::native(hx), {bridge::native(w_ih), bridge::native(w_hh), bridge::native(b_ih), bridge::native(b_hh)}, minima::gru);
}

Tensor& gru_cell_out(Tensor& out, const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh) {
return bridge::write(at::gru_cell(input, hx, w_ih, w_hh, b_ih, b_hh), out);
}

Tensor& gru_cell_outf(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh, Tensor& out) {
return at::gru_cell_out(out, input, hx, w_ih, w_hh, b_ih, b_hh);
}

Tensor rnn_tanh_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh) {
return bridge::cell(bridge::native(input), bridge::native(hx), {bridge::native(w_ih), bridge::native(w_hh), bridge::native(b_ih), bridge::native(b_hh)}, minima::rnn_tanh);
}

Tensor& rnn_tanh_cell_out(Tensor& out, const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh) {
return bridge::write(at::rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih, b_hh), out);
}

Tensor& rnn_tanh_cell_outf(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh, Tensor& out) {
return at::rnn_tanh_cell_out(out, input, hx, w_ih, w_hh, b_ih, b_hh);
}

Tensor rnn_relu_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh) {
return bridge::cell(bridge::native(input), bridge::native(hx), {bridge::native(w_ih), bridge::native(w_hh), bridge::native(b_ih), bridge::native(b_hh)}, minima::rnn_relu);
}

Tensor& rnn_relu_cell_out(Tensor& out, const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh) {
return bridge::write(at::rnn_relu_cell(input, hx, w_ih, w_hh, b_ih, b_hh), out);
}

Tensor& rnn_relu_cell_outf(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh, Tensor& out) {
return at::rnn_relu_cell_out(out, input, hx, w_ih, w_hh, b_ih, b_hh);
}

}  // namespace at
