// Written by scripts/torch_functions.py from torch_api/table.
// clang-format off
#include <core/bridge.h>

namespace at {

Tensor fft_fft(const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
return minima::fft::fft(bridge::native(self), {.n = n, .dim = dim, .norm = bridge::fft_norm(norm)});
}

Tensor& fft_fft_out(Tensor& out, const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_fft(self, n, dim, norm), out);
}

Tensor& fft_fft_outf(const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_fft_out(out, self, n, dim, norm);
}

Tensor fft_ifft(const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
return minima::fft::ifft(bridge::native(self), {.n = n, .dim = dim, .norm = bridge::fft_norm(norm)});
}

Tensor& fft_ifft_out(Tensor& out, const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_ifft(self, n, dim, norm), out);
}

Tensor& fft_ifft_outf(const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_ifft_out(out, self, n, dim, norm);
}

Tensor fft_rfft(const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
return minima::fft::rfft(bridge::native(self), {.n = n, .dim = dim, .norm = bridge::fft_norm(norm)});
}

Tensor& fft_rfft_out(Tensor& out, const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_rfft(self, n, dim, norm), out);
}

Tensor& fft_rfft_outf(const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_rfft_out(out, self, n, dim, norm);
}

Tensor fft_irfft(const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
return minima::fft::irfft(bridge::native(self), {.n = n, .dim = dim, .norm = bridge::fft_norm(norm)});
}

Tensor& fft_irfft_out(Tensor& out, const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_irfft(self, n, dim, norm), out);
}

Tensor& fft_irfft_outf(const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_irfft_out(out, self, n, dim, norm);
}

Tensor fft_hfft(const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
return minima::fft::hfft(bridge::native(self), {.n = n, .dim = dim, .norm = bridge::fft_norm(norm)});
}

Tensor& fft_hfft_out(Tensor& out, const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_hfft(self, n, dim, norm), out);
}

Tensor& fft_hfft_outf(const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_hfft_out(out, self, n, dim, norm);
}

Tensor fft_ihfft(const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
return minima::fft::ihfft(bridge::native(self), {.n = n, .dim = dim, .norm = bridge::fft_norm(norm)});
}

Tensor& fft_ihfft_out(Tensor& out, const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_ihfft(self, n, dim, norm), out);
}

Tensor& fft_ihfft_outf(const Tensor& self, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_ihfft_out(out, self, n, dim, norm);
}

Tensor fft_fft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
return minima::fft::fft2(bridge::native(self), {.s = bridge::optional(s), .dims = bridge::native(dim), .norm = bridge::fft_norm(norm)});
}

Tensor& fft_fft2_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_fft2(self, s, dim, norm), out);
}

Tensor& fft_fft2_outf(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_fft2_out(out, self, s, dim, norm);
}

Tensor fft_ifft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
return minima::fft::ifft2(bridge::native(self), {.s = bridge::optional(s), .dims = bridge::native(dim), .norm = bridge::fft_norm(norm)});
}

Tensor& fft_ifft2_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_ifft2(self, s, dim, norm), out);
}

Tensor& fft_ifft2_outf(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_ifft2_out(out, self, s, dim, norm);
}

Tensor fft_rfft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
return minima::fft::rfft2(bridge::native(self), {.s = bridge::optional(s), .dims = bridge::native(dim), .norm = bridge::fft_norm(norm)});
}

Tensor& fft_rfft2_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_rfft2(self, s, dim, norm), out);
}

Tensor& fft_rfft2_outf(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_rfft2_out(out, self, s, dim, norm);
}

Tensor fft_irfft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
return minima::fft::irfft2(bridge::native(self), {.s = bridge::optional(s), .dims = bridge::native(dim), .norm = bridge::fft_norm(norm)});
}

Tensor& fft_irfft2_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_irfft2(self, s, dim, norm), out);
}

Tensor& fft_irfft2_outf(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_irfft2_out(out, self, s, dim, norm);
}

Tensor fft_hfft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
return minima::fft::hfft2(bridge::native(self), {.s = bridge::optional(s), .dims = bridge::native(dim), .norm = bridge::fft_norm(norm)});
}

Tensor& fft_hfft2_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_hfft2(self, s, dim, norm), out);
}

Tensor& fft_hfft2_outf(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_hfft2_out(out, self, s, dim, norm);
}

Tensor fft_ihfft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
return minima::fft::ihfft2(bridge::native(self), {.s = bridge::optional(s), .dims = bridge::native(dim), .norm = bridge::fft_norm(norm)});
}

Tensor& fft_ihfft2_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_ihfft2(self, s, dim, norm), out);
}

Tensor& fft_ihfft2_outf(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_ihfft2_out(out, self, s, dim, norm);
}

Tensor fft_fftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm) {
return minima::fft::fftn(bridge::native(self), {.s = bridge::optional(s), .dims = bridge::optional(dim), .norm = bridge::fft_norm(norm)});
}

Tensor& fft_fftn_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_fftn(self, s, dim, norm), out);
}

Tensor& fft_fftn_outf(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_fftn_out(out, self, s, dim, norm);
}

Tensor fft_ifftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm) {
return minima::fft::ifftn(bridge::native(self), {.s = bridge::optional(s), .dims = bridge::optional(dim), .norm = bridge::fft_norm(norm)});
}

Tensor& fft_ifftn_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_ifftn(self, s, dim, norm), out);
}

Tensor& fft_ifftn_outf(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_ifftn_out(out, self, s, dim, norm);
}

Tensor fft_rfftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm) {
return minima::fft::rfftn(bridge::native(self), {.s = bridge::optional(s), .dims = bridge::optional(dim), .norm = bridge::fft_norm(norm)});
}

Tensor& fft_rfftn_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_rfftn(self, s, dim, norm), out);
}

Tensor& fft_rfftn_outf(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_rfftn_out(out, self, s, dim, norm);
}

Tensor fft_irfftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm) {
return minima::fft::irfftn(bridge::native(self), {.s = bridge::optional(s), .dims = bridge::optional(dim), .norm = bridge::fft_norm(norm)});
}

Tensor& fft_irfftn_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_irfftn(self, s, dim, norm), out);
}

Tensor& fft_irfftn_outf(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_irfftn_out(out, self, s, dim, norm);
}

Tensor fft_hfftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm) {
return minima::fft::hfftn(bridge::native(self), {.s = bridge::optional(s), .dims = bridge::optional(dim), .norm = bridge::fft_norm(norm)});
}

Tensor& fft_hfftn_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_hfftn(self, s, dim, norm), out);
}

Tensor& fft_hfftn_outf(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_hfftn_out(out, self, s, dim, norm);
}

Tensor fft_ihfftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm) {
return minima::fft::ihfftn(bridge::native(self), {.s = bridge::optional(s), .dims = bridge::optional(dim), .norm = bridge::fft_norm(norm)});
}

Tensor& fft_ihfftn_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm) {
return bridge::write(at::fft_ihfftn(self, s, dim, norm), out);
}

Tensor& fft_ihfftn_outf(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, std::optional<std::string_view> norm, Tensor& out) {
return at::fft_ihfftn_out(out, self, s, dim, norm);
}

Tensor fft_fftfreq(int64_t n, double d, TensorOptions options) {
return bridge::made(minima::fft::fftfreq(n, d, bridge::native(options)), options);
}

Tensor& fft_fftfreq_out(Tensor& out, int64_t n, double d, TensorOptions options) {
return bridge::write(at::fft_fftfreq(n, d, options), out);
}

Tensor& fft_fftfreq_outf(int64_t n, double d, TensorOptions options, Tensor& out) {
return at::fft_fftfreq_out(out, n, d, options);
}

Tensor fft_rfftfreq(int64_t n, double d, TensorOptions options) {
return bridge::made(minima::fft::rfftfreq(n, d, bridge::native(options)), options);
}

Tensor& fft_rfftfreq_out(Tensor& out, int64_t n, double d, TensorOptions options) {
return bridge::write(at::fft_rfftfreq(n, d, options), out);
}

Tensor& fft_rfftfreq_outf(int64_t n, double d, TensorOptions options, Tensor& out) {
return at::fft_rfftfreq_out(out, n, d, options);
}

Tensor fft_fftfreq(int64_t n, TensorOptions options) {
return bridge::made(minima::fft::fftfreq(n, 1, bridge::native(options)), options);
}

Tensor& fft_fftfreq_out(Tensor& out, int64_t n, TensorOptions options) {
return bridge::write(at::fft_fftfreq(n, options), out);
}

Tensor& fft_fftfreq_outf(int64_t n, TensorOptions options, Tensor& out) {
return at::fft_fftfreq_out(out, n, options);
}

Tensor fft_rfftfreq(int64_t n, TensorOptions options) {
return bridge::made(minima::fft::rfftfreq(n, 1, bridge::native(options)), options);
}

Tensor& fft_rfftfreq_out(Tensor& out, int64_t n, TensorOptions options) {
return bridge::write(at::fft_rfftfreq(n, options), out);
}

Tensor& fft_rfftfreq_outf(int64_t n, TensorOptions options, Tensor& out) {
return at::fft_rfftfreq_out(out, n, options);
}

Tensor fft_fftshift(const Tensor& self, OptionalIntArrayRef dim) {
return minima::fft::fftshift(bridge::native(self), bridge::native(dim));
}

Tensor& fft_fftshift_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim) {
return bridge::write(at::fft_fftshift(self, dim), out);
}

Tensor& fft_fftshift_outf(const Tensor& self, OptionalIntArrayRef dim, Tensor& out) {
return at::fft_fftshift_out(out, self, dim);
}

Tensor fft_ifftshift(const Tensor& self, OptionalIntArrayRef dim) {
return minima::fft::ifftshift(bridge::native(self), bridge::native(dim));
}

Tensor& fft_ifftshift_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim) {
return bridge::write(at::fft_ifftshift(self, dim), out);
}

Tensor& fft_ifftshift_outf(const Tensor& self, OptionalIntArrayRef dim, Tensor& out) {
return at::fft_ifftshift_out(out, self, dim);
}

Tensor stft(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length, std::optional<int64_t> win_length, const std::optional<Tensor>& window, bool center, std::string_view pad_mode, bool normalized, std::optional<bool> onesided, std::optional<bool> return_complex, std::optional<bool>) {
return bridge::stft(bridge::native(self), n_fft, hop_length, win_length, bridge::native(window), center, pad_mode, normalized, onesided, return_complex);
}

Tensor Tensor::stft(int64_t n_fft, std::optional<int64_t> hop_length, std::optional<int64_t> win_length, const std::optional<Tensor>& window, bool center, std::string_view pad_mode, bool normalized, std::optional<bool> onesided, std::optional<bool> return_complex, std::optional<bool> align_to_window) const {
return at::stft(*this, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window);
}

Tensor& stft_out(Tensor& out, const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length, std::optional<int64_t> win_length, const std::optional<Tensor>& window, bool center, std::string_view pad_mode, bool normalized, std::optional<bool> onesided, std::optional<bool> return_complex, std::optional<bool> align_to_window) {
return bridge::write(at::stft(self, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window), out);
}

Tensor& stft_outf(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length, std::optional<int64_t> win_length, const std::optional<Tensor>& window, bool center, std::string_view pad_mode, bool normalized, std::optional<bool> onesided, std::optional<bool> return_complex, std::optional<bool> align_to_window, Tensor& out) {
return at::stft_out(out, self, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window);
}

Tensor stft(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length, std::optional<int64_t> win_length, const std::optional<Tensor>& window, bool normalized, std::optional<bool> onesided, std::optional<bool> return_complex, std::optional<bool>) {
return bridge::stft(bridge::native(self), n_fft, hop_length, win_length, bridge::native(window), false, "reflect", normalized, onesided, return_complex);
}

Tensor Tensor::stft(int64_t n_fft, std::optional<int64_t> hop_length, std::optional<int64_t> win_length, const std::optional<Tensor>& window, bool normalized, std::optional<bool> onesided, std::optional<bool> return_complex, std::optional<bool> align_to_window) const {
return at::stft(*this, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window);
}

Tensor& stft_out(Tensor& out, const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length, std::optional<int64_t> win_length, const std::optional<Tensor>& window, bool normalized, std::optional<bool> onesided, std::optional<bool> return_complex, std::optional<bool> align_to_window) {
return bridge::write(at::stft(self, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window), out);
}

Tensor& stft_outf(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length, std::optional<int64_t> win_length, const std::optional<Tensor>& window, bool normalized, std::optional<bool> onesided, std::optional<bool> return_complex, std::optional<bool> align_to_window, Tensor& out) {
return at::stft_out(out, self, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window);
}

Tensor istft(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length, std::optional<int64_t> win_length, const std::optional<Tensor>& window, bool center, bool normalized, std::optional<bool> onesided, std::optional<int64_t> length, bool) {
return minima::istft(bridge::native(self), n_fft, {.hop_length = hop_length, .win_length = win_length, .window = bridge::native(window), .center = center, .normalized = normalized, .onesided = onesided, .length = length});
}

Tensor Tensor::istft(int64_t n_fft, std::optional<int64_t> hop_length, std::optional<int64_t> win_length, const std::optional<Tensor>& window, bool center, bool normalized, std::optional<bool> onesided, std::optional<int64_t> length, bool return_complex) const {
return at::istft(*this, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex);
}

Tensor& istft_out(Tensor& out, const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length, std::optional<int64_t> win_length, const std::optional<Tensor>& window, bool center, bool normalized, std::optional<bool> onesided, std::optional<int64_t> length, bool return_complex) {
return bridge::write(at::istft(self, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex), out);
}

Tensor& istft_outf(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length, std::optional<int64_t> win_length, const std::optional<Tensor>& window, bool center, bool normalized, std::optional<bool> onesided, std::optional<int64_t> length, bool return_complex, Tensor& out) {
return at::istft_out(out, self, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex);
}

}  // namespace at
