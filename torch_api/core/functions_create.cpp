// Written by scripts/torch_functions.py from torch_api/table.
// clang-format off
#include <core/bridge.h>

namespace at {

Tensor zeros(IntArrayRef size, TensorOptions options) {
return bridge::made(minima::zeros(bridge::native(size), bridge::native(options)), options);
}

Tensor& zeros_out(Tensor& out, IntArrayRef size, TensorOptions options) {
return bridge::write(at::zeros(size, options), out);
}

Tensor& zeros_outf(IntArrayRef size, TensorOptions options, Tensor& out) {
return at::zeros_out(out, size, options);
}

Tensor ones(IntArrayRef size, TensorOptions options) {
return bridge::made(minima::ones(bridge::native(size), bridge::native(options)), options);
}

Tensor& ones_out(Tensor& out, IntArrayRef size, TensorOptions options) {
return bridge::write(at::ones(size, options), out);
}

Tensor& ones_outf(IntArrayRef size, TensorOptions options, Tensor& out) {
return at::ones_out(out, size, options);
}

Tensor full(IntArrayRef size, const Scalar& fill_value, TensorOptions options) {
return bridge::made(bridge::full(bridge::native(size), fill_value, options), options);
}

Tensor& full_out(Tensor& out, IntArrayRef size, const Scalar& fill_value, TensorOptions options) {
return bridge::write(at::full(size, fill_value, options), out);
}

Tensor& full_outf(IntArrayRef size, const Scalar& fill_value, TensorOptions options, Tensor& out) {
return at::full_out(out, size, fill_value, options);
}

Tensor empty(IntArrayRef size, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::made(minima::empty(bridge::native(size), bridge::native(options)), options, memory_format);
}

Tensor& empty_out(Tensor& out, IntArrayRef size, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::write(at::empty(size, options, memory_format), out);
}

Tensor& empty_outf(IntArrayRef size, TensorOptions options, std::optional<MemoryFormat> memory_format, Tensor& out) {
return at::empty_out(out, size, options, memory_format);
}

Tensor _efficientzerotensor(IntArrayRef, TensorOptions options) {
return bridge::made(bridge::no_zero_tensor(), options);
}

Tensor empty_strided(IntArrayRef size, IntArrayRef stride, TensorOptions options) {
return bridge::made(bridge::empty_strided(bridge::native(size), bridge::native(stride), bridge::native(options)), options);
}

Tensor& empty_strided_out(Tensor& out, IntArrayRef size, IntArrayRef stride, TensorOptions options) {
return bridge::write(at::empty_strided(size, stride, options), out);
}

Tensor& empty_strided_outf(IntArrayRef size, IntArrayRef stride, TensorOptions options, Tensor& out) {
return at::empty_strided_out(out, size, stride, options);
}

Tensor empty_permuted(IntArrayRef size, IntArrayRef physical_layout, TensorOptions options) {
return bridge::made(bridge::empty_permuted(bridge::native(size), bridge::native(physical_layout), bridge::native(options)), options);
}

Tensor& empty_permuted_out(Tensor& out, IntArrayRef size, IntArrayRef physical_layout, TensorOptions options) {
return bridge::write(at::empty_permuted(size, physical_layout, options), out);
}

Tensor& empty_permuted_outf(IntArrayRef size, IntArrayRef physical_layout, TensorOptions options, Tensor& out) {
return at::empty_permuted_out(out, size, physical_layout, options);
}

Tensor from_file(std::string_view filename, std::optional<bool> shared, std::optional<int64_t> size, TensorOptions options) {
return bridge::made(bridge::from_file(filename, shared, size, bridge::native(options)), options);
}

Tensor& from_file_out(Tensor& out, std::string_view filename, std::optional<bool> shared, std::optional<int64_t> size, TensorOptions options) {
return bridge::write(at::from_file(filename, shared, size, options), out);
}

Tensor& from_file_outf(std::string_view filename, std::optional<bool> shared, std::optional<int64_t> size, TensorOptions options, Tensor& out) {
return at::from_file_out(out, filename, shared, size, options);
}

Tensor empty_like(const Tensor& self, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::made(minima::empty_like(bridge::native(self), bridge::native(options)), options, memory_format);
}

Tensor& empty_like_out(Tensor& out, const Tensor& self, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::write(at::empty_like(self, options, memory_format), out);
}

Tensor& empty_like_outf(const Tensor& self, TensorOptions options, std::optional<MemoryFormat> memory_format, Tensor& out) {
return at::empty_like_out(out, self, options, memory_format);
}

Tensor zeros_like(const Tensor& self, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::made(minima::zeros_like(bridge::native(self), bridge::native(options)), options, memory_format);
}

Tensor& zeros_like_out(Tensor& out, const Tensor& self, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::write(at::zeros_like(self, options, memory_format), out);
}

Tensor& zeros_like_outf(const Tensor& self, TensorOptions options, std::optional<MemoryFormat> memory_format, Tensor& out) {
return at::zeros_like_out(out, self, options, memory_format);
}

Tensor ones_like(const Tensor& self, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::made(minima::ones_like(bridge::native(self), bridge::native(options)), options, memory_format);
}

Tensor& ones_like_out(Tensor& out, const Tensor& self, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::write(at::ones_like(self, options, memory_format), out);
}

Tensor& ones_like_outf(const Tensor& self, TensorOptions options, std::optional<MemoryFormat> memory_format, Tensor& out) {
return at::ones_like_out(out, self, options, memory_format);
}

Tensor full_like(const Tensor& self, const Scalar& fill_value, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::made(minima::full_like(bridge::native(self), bridge::native(fill_value), bridge::native(options)), options, memory_format);
}

Tensor& full_like_out(Tensor& out, const Tensor& self, const Scalar& fill_value, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::write(at::full_like(self, fill_value, options, memory_format), out);
}

Tensor& full_like_outf(const Tensor& self, const Scalar& fill_value, TensorOptions options, std::optional<MemoryFormat> memory_format, Tensor& out) {
return at::full_like_out(out, self, fill_value, options, memory_format);
}

Tensor Tensor::new_empty(IntArrayRef size, TensorOptions options) const {
const Tensor& self = *this;
return bridge::made(minima::empty(bridge::native(size), bridge::options_as(bridge::native(self), options)), options);
}

Tensor Tensor::new_zeros(IntArrayRef size, TensorOptions options) const {
const Tensor& self = *this;
return bridge::made(minima::zeros(bridge::native(size), bridge::options_as(bridge::native(self), options)), options);
}

Tensor Tensor::new_ones(IntArrayRef size, TensorOptions options) const {
const Tensor& self = *this;
return bridge::made(minima::ones(bridge::native(size), bridge::options_as(bridge::native(self), options)), options);
}

Tensor Tensor::new_full(IntArrayRef size, const Scalar& fill_value, TensorOptions options) const {
const Tensor& self = *this;
return bridge::made(bridge::full(bridge::native(size), fill_value, bridge::torch_options_as(self, options)), options);
}

Tensor Tensor::new_empty_strided(IntArrayRef size, IntArrayRef stride, TensorOptions options) const {
const Tensor& self = *this;
return bridge::made(bridge::empty_strided(bridge::native(size), bridge::native(stride), bridge::options_as(bridge::native(self), options)), options);
}

Tensor scalar_tensor(const Scalar& s, TensorOptions options) {
return bridge::made(bridge::full({}, s, bridge::typed(options)), options);
}

Tensor& scalar_tensor_out(Tensor& out, const Scalar& s, TensorOptions options) {
return bridge::write(at::scalar_tensor(s, options), out);
}

Tensor& scalar_tensor_outf(const Scalar& s, TensorOptions options, Tensor& out) {
return at::scalar_tensor_out(out, s, options);
}

Tensor arange(const Scalar& end, TensorOptions options) {
return bridge::made(bridge::arange(0, bridge::native(end), 1, bridge::native(options)), options);
}

Tensor& arange_out(Tensor& out, const Scalar& end, TensorOptions options) {
return bridge::write(at::arange(end, options), out);
}

Tensor& arange_outf(const Scalar& end, TensorOptions options, Tensor& out) {
return at::arange_out(out, end, options);
}

Tensor arange(const Scalar& start, const Scalar& end, TensorOptions options) {
return bridge::made(bridge::arange(bridge::native(start), bridge::native(end), 1, bridge::native(options)), options);
}

Tensor& arange_out(Tensor& out, const Scalar& start, const Scalar& end, TensorOptions options) {
return bridge::write(at::arange(start, end, options), out);
}

Tensor& arange_outf(const Scalar& start, const Scalar& end, TensorOptions options, Tensor& out) {
return at::arange_out(out, start, end, options);
}

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, TensorOptions options) {
return bridge::made(bridge::arange(bridge::native(start), bridge::native(end), bridge::native(step), bridge::native(options)), options);
}

Tensor& arange_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step, TensorOptions options) {
return bridge::write(at::arange(start, end, step, options), out);
}

Tensor& arange_outf(const Scalar& start, const Scalar& end, const Scalar& step, TensorOptions options, Tensor& out) {
return at::arange_out(out, start, end, step, options);
}

Tensor range(const Scalar& start, const Scalar& end, TensorOptions options) {
return bridge::made(bridge::range(bridge::native(start), bridge::native(end), 1, bridge::native(options)), options);
}

Tensor& range_out(Tensor& out, const Scalar& start, const Scalar& end, TensorOptions options) {
return bridge::write(at::range(start, end, options), out);
}

Tensor& range_outf(const Scalar& start, const Scalar& end, TensorOptions options, Tensor& out) {
return at::range_out(out, start, end, options);
}

Tensor range(const Scalar& start, const Scalar& end, const Scalar& step, TensorOptions options) {
return bridge::made(bridge::range(bridge::native(start), bridge::native(end), bridge::native(step), bridge::native(options)), options);
}

Tensor& range_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step, TensorOptions options) {
return bridge::write(at::range(start, end, step, options), out);
}

Tensor& range_outf(const Scalar& start, const Scalar& end, const Scalar& step, TensorOptions options, Tensor& out) {
return at::range_out(out, start, end, step, options);
}

Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps, TensorOptions options) {
return bridge::made(minima::linspace(bridge::native(start).to<double>(), bridge::native(end).to<double>(), steps, bridge::native(options)), options);
}

Tensor& linspace_out(Tensor& out, const Scalar& start, const Scalar& end, int64_t steps, TensorOptions options) {
return bridge::write(at::linspace(start, end, steps, options), out);
}

Tensor& linspace_outf(const Scalar& start, const Scalar& end, int64_t steps, TensorOptions options, Tensor& out) {
return at::linspace_out(out, start, end, steps, options);
}

Tensor linspace(const Tensor& start, const Tensor& end, int64_t steps, TensorOptions options) {
return bridge::made(minima::linspace(bridge::native(start).item<double>(), bridge::native(end).item<double>(), steps, bridge::native(options)), options);
}

Tensor& linspace_out(Tensor& out, const Tensor& start, const Tensor& end, int64_t steps, TensorOptions options) {
return bridge::write(at::linspace(start, end, steps, options), out);
}

Tensor& linspace_outf(const Tensor& start, const Tensor& end, int64_t steps, TensorOptions options, Tensor& out) {
return at::linspace_out(out, start, end, steps, options);
}

Tensor linspace(const Tensor& start, const Scalar& end, int64_t steps, TensorOptions options) {
return bridge::made(minima::linspace(bridge::native(start).item<double>(), bridge::native(end).to<double>(), steps, bridge::native(options)), options);
}

Tensor& linspace_out(Tensor& out, const Tensor& start, const Scalar& end, int64_t steps, TensorOptions options) {
return bridge::write(at::linspace(start, end, steps, options), out);
}

Tensor& linspace_outf(const Tensor& start, const Scalar& end, int64_t steps, TensorOptions options, Tensor& out) {
return at::linspace_out(out, start, end, steps, options);
}

Tensor linspace(const Scalar& start, const Tensor& end, int64_t steps, TensorOptions options) {
return bridge::made(minima::linspace(bridge::native(start).to<double>(), bridge::native(end).item<double>(), steps, bridge::native(options)), options);
}

Tensor& linspace_out(Tensor& out, const Scalar& start, const Tensor& end, int64_t steps, TensorOptions options) {
return bridge::write(at::linspace(start, end, steps, options), out);
}

Tensor& linspace_outf(const Scalar& start, const Tensor& end, int64_t steps, TensorOptions options, Tensor& out) {
return at::linspace_out(out, start, end, steps, options);
}

Tensor logspace(const Tensor& start, const Tensor& end, int64_t steps, double base, TensorOptions options) {
return bridge::made(minima::logspace(bridge::native(start).item<double>(), bridge::native(end).item<double>(), steps, base, bridge::native(options)), options);
}

Tensor& logspace_out(Tensor& out, const Tensor& start, const Tensor& end, int64_t steps, double base, TensorOptions options) {
return bridge::write(at::logspace(start, end, steps, base, options), out);
}

Tensor& logspace_outf(const Tensor& start, const Tensor& end, int64_t steps, double base, TensorOptions options, Tensor& out) {
return at::logspace_out(out, start, end, steps, base, options);
}

Tensor logspace(const Scalar& start, const Scalar& end, int64_t steps, double base, TensorOptions options) {
return bridge::made(minima::logspace(bridge::native(start).to<double>(), bridge::native(end).to<double>(), steps, base, bridge::native(options)), options);
}

Tensor& logspace_out(Tensor& out, const Scalar& start, const Scalar& end, int64_t steps, double base, TensorOptions options) {
return bridge::write(at::logspace(start, end, steps, base, options), out);
}

Tensor& logspace_outf(const Scalar& start, const Scalar& end, int64_t steps, double base, TensorOptions options, Tensor& out) {
return at::logspace_out(out, start, end, steps, base, options);
}

Tensor eye(int64_t n, TensorOptions options) {
return bridge::made(minima::eye(n, n, bridge::native(options)), options);
}

Tensor& eye_out(Tensor& out, int64_t n, TensorOptions options) {
return bridge::write(at::eye(n, options), out);
}

Tensor& eye_outf(int64_t n, TensorOptions options, Tensor& out) {
return at::eye_out(out, n, options);
}

Tensor eye(int64_t n, int64_t m, TensorOptions options) {
return bridge::made(minima::eye(n, m, bridge::native(options)), options);
}

Tensor& eye_out(Tensor& out, int64_t n, int64_t m, TensorOptions options) {
return bridge::write(at::eye(n, m, options), out);
}

Tensor& eye_outf(int64_t n, int64_t m, TensorOptions options, Tensor& out) {
return at::eye_out(out, n, m, options);
}

Tensor tril_indices(int64_t row, int64_t col, int64_t offset, TensorOptions options) {
return bridge::made(minima::tril_indices(row, col, offset, bridge::filled(options)), options);
}

Tensor& tril_indices_out(Tensor& out, int64_t row, int64_t col, int64_t offset, TensorOptions options) {
return bridge::write(at::tril_indices(row, col, offset, options), out);
}

Tensor& tril_indices_outf(int64_t row, int64_t col, int64_t offset, TensorOptions options, Tensor& out) {
return at::tril_indices_out(out, row, col, offset, options);
}

Tensor triu_indices(int64_t row, int64_t col, int64_t offset, TensorOptions options) {
return bridge::made(minima::triu_indices(row, col, offset, bridge::filled(options)), options);
}

Tensor& triu_indices_out(Tensor& out, int64_t row, int64_t col, int64_t offset, TensorOptions options) {
return bridge::write(at::triu_indices(row, col, offset, options), out);
}

Tensor& triu_indices_outf(int64_t row, int64_t col, int64_t offset, TensorOptions options, Tensor& out) {
return at::triu_indices_out(out, row, col, offset, options);
}

Tensor vander(const Tensor& x, std::optional<int64_t> N, bool increasing) {
return minima::vander(bridge::native(x), N.value_or(-1), increasing);
}

Tensor& vander_out(Tensor& out, const Tensor& x, std::optional<int64_t> N, bool increasing) {
return bridge::write(at::vander(x, N, increasing), out);
}

Tensor& vander_outf(const Tensor& x, std::optional<int64_t> N, bool increasing, Tensor& out) {
return at::vander_out(out, x, N, increasing);
}

Tensor bartlett_window(int64_t window_length, TensorOptions options) {
return bridge::made(minima::bartlett_window(window_length, true, bridge::native(options)), options);
}

Tensor& bartlett_window_out(Tensor& out, int64_t window_length, TensorOptions options) {
return bridge::write(at::bartlett_window(window_length, options), out);
}

Tensor& bartlett_window_outf(int64_t window_length, TensorOptions options, Tensor& out) {
return at::bartlett_window_out(out, window_length, options);
}

Tensor blackman_window(int64_t window_length, TensorOptions options) {
return bridge::made(minima::blackman_window(window_length, true, bridge::native(options)), options);
}

Tensor& blackman_window_out(Tensor& out, int64_t window_length, TensorOptions options) {
return bridge::write(at::blackman_window(window_length, options), out);
}

Tensor& blackman_window_outf(int64_t window_length, TensorOptions options, Tensor& out) {
return at::blackman_window_out(out, window_length, options);
}

Tensor hann_window(int64_t window_length, TensorOptions options) {
return bridge::made(minima::hann_window(window_length, true, bridge::native(options)), options);
}

Tensor& hann_window_out(Tensor& out, int64_t window_length, TensorOptions options) {
return bridge::write(at::hann_window(window_length, options), out);
}

Tensor& hann_window_outf(int64_t window_length, TensorOptions options, Tensor& out) {
return at::hann_window_out(out, window_length, options);
}

Tensor bartlett_window(int64_t window_length, bool periodic, TensorOptions options) {
return bridge::made(minima::bartlett_window(window_length, periodic, bridge::native(options)), options);
}

Tensor& bartlett_window_out(Tensor& out, int64_t window_length, bool periodic, TensorOptions options) {
return bridge::write(at::bartlett_window(window_length, periodic, options), out);
}

Tensor& bartlett_window_outf(int64_t window_length, bool periodic, TensorOptions options, Tensor& out) {
return at::bartlett_window_out(out, window_length, periodic, options);
}

Tensor blackman_window(int64_t window_length, bool periodic, TensorOptions options) {
return bridge::made(minima::blackman_window(window_length, periodic, bridge::native(options)), options);
}

Tensor& blackman_window_out(Tensor& out, int64_t window_length, bool periodic, TensorOptions options) {
return bridge::write(at::blackman_window(window_length, periodic, options), out);
}

Tensor& blackman_window_outf(int64_t window_length, bool periodic, TensorOptions options, Tensor& out) {
return at::blackman_window_out(out, window_length, periodic, options);
}

Tensor hann_window(int64_t window_length, bool periodic, TensorOptions options) {
return bridge::made(minima::hann_window(window_length, periodic, bridge::native(options)), options);
}

Tensor& hann_window_out(Tensor& out, int64_t window_length, bool periodic, TensorOptions options) {
return bridge::write(at::hann_window(window_length, periodic, options), out);
}

Tensor& hann_window_outf(int64_t window_length, bool periodic, TensorOptions options, Tensor& out) {
return at::hann_window_out(out, window_length, periodic, options);
}

Tensor hamming_window(int64_t window_length, TensorOptions options) {
return bridge::made(minima::hamming_window(window_length, true, 0.54, 0.46, bridge::native(options)), options);
}

Tensor& hamming_window_out(Tensor& out, int64_t window_length, TensorOptions options) {
return bridge::write(at::hamming_window(window_length, options), out);
}

Tensor& hamming_window_outf(int64_t window_length, TensorOptions options, Tensor& out) {
return at::hamming_window_out(out, window_length, options);
}

Tensor hamming_window(int64_t window_length, bool periodic, TensorOptions options) {
return bridge::made(minima::hamming_window(window_length, periodic, 0.54, 0.46, bridge::native(options)), options);
}

Tensor& hamming_window_out(Tensor& out, int64_t window_length, bool periodic, TensorOptions options) {
return bridge::write(at::hamming_window(window_length, periodic, options), out);
}

Tensor& hamming_window_outf(int64_t window_length, bool periodic, TensorOptions options, Tensor& out) {
return at::hamming_window_out(out, window_length, periodic, options);
}

Tensor kaiser_window(int64_t window_length, TensorOptions options) {
return bridge::made(minima::kaiser_window(window_length, true, 12, bridge::native(options)), options);
}

Tensor& kaiser_window_out(Tensor& out, int64_t window_length, TensorOptions options) {
return bridge::write(at::kaiser_window(window_length, options), out);
}

Tensor& kaiser_window_outf(int64_t window_length, TensorOptions options, Tensor& out) {
return at::kaiser_window_out(out, window_length, options);
}

Tensor kaiser_window(int64_t window_length, bool periodic, TensorOptions options) {
return bridge::made(minima::kaiser_window(window_length, periodic, 12, bridge::native(options)), options);
}

Tensor& kaiser_window_out(Tensor& out, int64_t window_length, bool periodic, TensorOptions options) {
return bridge::write(at::kaiser_window(window_length, periodic, options), out);
}

Tensor& kaiser_window_outf(int64_t window_length, bool periodic, TensorOptions options, Tensor& out) {
return at::kaiser_window_out(out, window_length, periodic, options);
}

Tensor hamming_window(int64_t window_length, bool periodic, double alpha, TensorOptions options) {
return bridge::made(minima::hamming_window(window_length, periodic, alpha, 0.46, bridge::native(options)), options);
}

Tensor& hamming_window_out(Tensor& out, int64_t window_length, bool periodic, double alpha, TensorOptions options) {
return bridge::write(at::hamming_window(window_length, periodic, alpha, options), out);
}

Tensor& hamming_window_outf(int64_t window_length, bool periodic, double alpha, TensorOptions options, Tensor& out) {
return at::hamming_window_out(out, window_length, periodic, alpha, options);
}

Tensor hamming_window(int64_t window_length, bool periodic, double alpha, double beta, TensorOptions options) {
return bridge::made(minima::hamming_window(window_length, periodic, alpha, beta, bridge::native(options)), options);
}

Tensor& hamming_window_out(Tensor& out, int64_t window_length, bool periodic, double alpha, double beta, TensorOptions options) {
return bridge::write(at::hamming_window(window_length, periodic, alpha, beta, options), out);
}

Tensor& hamming_window_outf(int64_t window_length, bool periodic, double alpha, double beta, TensorOptions options, Tensor& out) {
return at::hamming_window_out(out, window_length, periodic, alpha, beta, options);
}

Tensor kaiser_window(int64_t window_length, bool periodic, double beta, TensorOptions options) {
return bridge::made(minima::kaiser_window(window_length, periodic, beta, bridge::native(options)), options);
}

Tensor& kaiser_window_out(Tensor& out, int64_t window_length, bool periodic, double beta, TensorOptions options) {
return bridge::write(at::kaiser_window(window_length, periodic, beta, options), out);
}

Tensor& kaiser_window_outf(int64_t window_length, bool periodic, double beta, TensorOptions options, Tensor& out) {
return at::kaiser_window_out(out, window_length, periodic, beta, options);
}

Tensor rand(IntArrayRef size, TensorOptions options) {
return bridge::made(bridge::rand(bridge::native(size), bridge::native(options)), options);
}

Tensor& rand_out(Tensor& out, IntArrayRef size, TensorOptions options) {
return bridge::write(at::rand(size, options), out);
}

Tensor& rand_outf(IntArrayRef size, TensorOptions options, Tensor& out) {
return at::rand_out(out, size, options);
}

Tensor randn(IntArrayRef size, TensorOptions options) {
return bridge::made(bridge::randn(bridge::native(size), bridge::native(options)), options);
}

Tensor& randn_out(Tensor& out, IntArrayRef size, TensorOptions options) {
return bridge::write(at::randn(size, options), out);
}

Tensor& randn_outf(IntArrayRef size, TensorOptions options, Tensor& out) {
return at::randn_out(out, size, options);
}

Tensor rand(IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
return bridge::made(bridge::rand(bridge::native(size), bridge::native(options), generator), options);
}

Tensor& rand_out(Tensor& out, IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
return bridge::write(at::rand(size, generator, options), out);
}

Tensor& rand_outf(IntArrayRef size, std::optional<Generator> generator, TensorOptions options, Tensor& out) {
return at::rand_out(out, size, generator, options);
}

Tensor randn(IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
return bridge::made(bridge::randn(bridge::native(size), bridge::native(options), generator), options);
}

Tensor& randn_out(Tensor& out, IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
return bridge::write(at::randn(size, generator, options), out);
}

Tensor& randn_outf(IntArrayRef size, std::optional<Generator> generator, TensorOptions options, Tensor& out) {
return at::randn_out(out, size, generator, options);
}

Tensor rand_like(const Tensor& self, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::made(bridge::rand_like(bridge::native(self), bridge::native(options)), options, memory_format);
}

Tensor& rand_like_out(Tensor& out, const Tensor& self, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::write(at::rand_like(self, options, memory_format), out);
}

Tensor& rand_like_outf(const Tensor& self, TensorOptions options, std::optional<MemoryFormat> memory_format, Tensor& out) {
return at::rand_like_out(out, self, options, memory_format);
}

Tensor randn_like(const Tensor& self, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::made(bridge::randn_like(bridge::native(self), bridge::native(options)), options, memory_format);
}

Tensor& randn_like_out(Tensor& out, const Tensor& self, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::write(at::randn_like(self, options, memory_format), out);
}

Tensor& randn_like_outf(const Tensor& self, TensorOptions options, std::optional<MemoryFormat> memory_format, Tensor& out) {
return at::randn_like_out(out, self, options, memory_format);
}

Tensor rand_like(const Tensor& self, std::optional<Generator> generator, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::made(bridge::rand_like(bridge::native(self), bridge::native(options), generator), options, memory_format);
}

Tensor& rand_like_out(Tensor& out, const Tensor& self, std::optional<Generator> generator, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::write(at::rand_like(self, generator, options, memory_format), out);
}

Tensor& rand_like_outf(const Tensor& self, std::optional<Generator> generator, TensorOptions options, std::optional<MemoryFormat> memory_format, Tensor& out) {
return at::rand_like_out(out, self, generator, options, memory_format);
}

Tensor randn_like(const Tensor& self, std::optional<Generator> generator, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::made(bridge::randn_like(bridge::native(self), bridge::native(options), generator), options, memory_format);
}

Tensor& randn_like_out(Tensor& out, const Tensor& self, std::optional<Generator> generator, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::write(at::randn_like(self, generator, options, memory_format), out);
}

Tensor& randn_like_outf(const Tensor& self, std::optional<Generator> generator, TensorOptions options, std::optional<MemoryFormat> memory_format, Tensor& out) {
return at::randn_like_out(out, self, generator, options, memory_format);
}

Tensor randint(int64_t high, IntArrayRef size, TensorOptions options) {
return bridge::made(bridge::randint(0, high, bridge::native(size), bridge::filled(options)), options);
}

Tensor& randint_out(Tensor& out, int64_t high, IntArrayRef size, TensorOptions options) {
return bridge::write(at::randint(high, size, options), out);
}

Tensor& randint_outf(int64_t high, IntArrayRef size, TensorOptions options, Tensor& out) {
return at::randint_out(out, high, size, options);
}

Tensor randint(int64_t high, IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
return bridge::made(bridge::randint(0, high, bridge::native(size), bridge::filled(options), generator), options);
}

Tensor& randint_out(Tensor& out, int64_t high, IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
return bridge::write(at::randint(high, size, generator, options), out);
}

Tensor& randint_outf(int64_t high, IntArrayRef size, std::optional<Generator> generator, TensorOptions options, Tensor& out) {
return at::randint_out(out, high, size, generator, options);
}

Tensor randint(int64_t low, int64_t high, IntArrayRef size, TensorOptions options) {
return bridge::made(bridge::randint(low, high, bridge::native(size), bridge::filled(options)), options);
}

Tensor& randint_out(Tensor& out, int64_t low, int64_t high, IntArrayRef size, TensorOptions options) {
return bridge::write(at::randint(low, high, size, options), out);
}

Tensor& randint_outf(int64_t low, int64_t high, IntArrayRef size, TensorOptions options, Tensor& out) {
return at::randint_out(out, low, high, size, options);
}

Tensor randint(int64_t low, int64_t high, IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
return bridge::made(bridge::randint(low, high, bridge::native(size), bridge::filled(options), generator), options);
}

Tensor& randint_out(Tensor& out, int64_t low, int64_t high, IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
return bridge::write(at::randint(low, high, size, generator, options), out);
}

Tensor& randint_outf(int64_t low, int64_t high, IntArrayRef size, std::optional<Generator> generator, TensorOptions options, Tensor& out) {
return at::randint_out(out, low, high, size, generator, options);
}

Tensor randint_like(const Tensor& self, int64_t high, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::made(bridge::randint_like(bridge::native(self), 0, high, bridge::native(options)), options, memory_format);
}

Tensor& randint_like_out(Tensor& out, const Tensor& self, int64_t high, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::write(at::randint_like(self, high, options, memory_format), out);
}

Tensor& randint_like_outf(const Tensor& self, int64_t high, TensorOptions options, std::optional<MemoryFormat> memory_format, Tensor& out) {
return at::randint_like_out(out, self, high, options, memory_format);
}

Tensor randint_like(const Tensor& self, int64_t high, std::optional<Generator> generator, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::made(bridge::randint_like(bridge::native(self), 0, high, bridge::native(options), generator), options, memory_format);
}

Tensor& randint_like_out(Tensor& out, const Tensor& self, int64_t high, std::optional<Generator> generator, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::write(at::randint_like(self, high, generator, options, memory_format), out);
}

Tensor& randint_like_outf(const Tensor& self, int64_t high, std::optional<Generator> generator, TensorOptions options, std::optional<MemoryFormat> memory_format, Tensor& out) {
return at::randint_like_out(out, self, high, generator, options, memory_format);
}

Tensor randint_like(const Tensor& self, int64_t low, int64_t high, std::optional<Generator> generator, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::made(bridge::randint_like(bridge::native(self), low, high, bridge::native(options), generator), options, memory_format);
}

Tensor& randint_like_out(Tensor& out, const Tensor& self, int64_t low, int64_t high, std::optional<Generator> generator, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::write(at::randint_like(self, low, high, generator, options, memory_format), out);
}

Tensor& randint_like_outf(const Tensor& self, int64_t low, int64_t high, std::optional<Generator> generator, TensorOptions options, std::optional<MemoryFormat> memory_format, Tensor& out) {
return at::randint_like_out(out, self, low, high, generator, options, memory_format);
}

Tensor randint_like(const Tensor& self, const Tensor& high, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::made(bridge::randint_like(bridge::native(self), 0, bridge::native(high).item<int64_t>(), bridge::native(options)), options, memory_format);
}

Tensor& randint_like_out(Tensor& out, const Tensor& self, const Tensor& high, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::write(at::randint_like(self, high, options, memory_format), out);
}

Tensor& randint_like_outf(const Tensor& self, const Tensor& high, TensorOptions options, std::optional<MemoryFormat> memory_format, Tensor& out) {
return at::randint_like_out(out, self, high, options, memory_format);
}

Tensor randint_like(const Tensor& self, int64_t low, int64_t high, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::made(bridge::randint_like(bridge::native(self), low, high, bridge::native(options)), options, memory_format);
}

Tensor& randint_like_out(Tensor& out, const Tensor& self, int64_t low, int64_t high, TensorOptions options, std::optional<MemoryFormat> memory_format) {
return bridge::write(at::randint_like(self, low, high, options, memory_format), out);
}

Tensor& randint_like_outf(const Tensor& self, int64_t low, int64_t high, TensorOptions options, std::optional<MemoryFormat> memory_format, Tensor& out) {
return at::randint_like_out(out, self, low, high, options, memory_format);
}

Tensor randperm(int64_t n, TensorOptions options) {
return bridge::made(bridge::randperm(n, bridge::filled(options)), options);
}

Tensor& randperm_out(Tensor& out, int64_t n, TensorOptions options) {
return bridge::write(at::randperm(n, options), out);
}

Tensor& randperm_outf(int64_t n, TensorOptions options, Tensor& out) {
return at::randperm_out(out, n, options);
}

Tensor randperm(int64_t n, std::optional<Generator> generator, TensorOptions options) {
return bridge::made(bridge::randperm(n, bridge::filled(options), generator), options);
}

Tensor& randperm_out(Tensor& out, int64_t n, std::optional<Generator> generator, TensorOptions options) {
return bridge::write(at::randperm(n, generator, options), out);
}

Tensor& randperm_outf(int64_t n, std::optional<Generator> generator, TensorOptions options, Tensor& out) {
return at::randperm_out(out, n, generator, options);
}

Tensor bernoulli(const Tensor& self, std::optional<Generator> generator) {
return bridge::bernoulli(bridge::native(self), generator);
}

Tensor Tensor::bernoulli(std::optional<Generator> generator) const {
return at::bernoulli(*this, generator);
}

Tensor& bernoulli_out(Tensor& out, const Tensor& self, std::optional<Generator> generator) {
return bridge::write(at::bernoulli(self, generator), out);
}

Tensor& bernoulli_outf(const Tensor& self, std::optional<Generator> generator, Tensor& out) {
return at::bernoulli_out(out, self, generator);
}

Tensor bernoulli(const Tensor& self, const Tensor& p, std::optional<Generator> generator) {
return bridge::drawn(bridge::native(self), [&](const auto& y) { minima::copy_(y, bridge::bernoulli(bridge::expand(bridge::native(p), y.shape()), generator)); });
}

Tensor& bernoulli_out(Tensor& out, const Tensor& self, const Tensor& p, std::optional<Generator> generator) {
return bridge::write(at::bernoulli(self, p, generator), out);
}

Tensor& bernoulli_outf(const Tensor& self, const Tensor& p, std::optional<Generator> generator, Tensor& out) {
return at::bernoulli_out(out, self, p, generator);
}

Tensor bernoulli(const Tensor& self, double p, std::optional<Generator> generator) {
return bridge::drawn(bridge::native(self), [&](const auto& y) { bridge::bernoulli_(y, p, generator); });
}

Tensor Tensor::bernoulli(double p, std::optional<Generator> generator) const {
return at::bernoulli(*this, p, generator);
}

Tensor& bernoulli_out(Tensor& out, const Tensor& self, double p, std::optional<Generator> generator) {
return bridge::write(at::bernoulli(self, p, generator), out);
}

Tensor& bernoulli_outf(const Tensor& self, double p, std::optional<Generator> generator, Tensor& out) {
return at::bernoulli_out(out, self, p, generator);
}

Tensor& Tensor::bernoulli_(const Tensor& p, std::optional<Generator> generator) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
minima::copy_(bridge::native(self), bridge::bernoulli(bridge::expand(bridge::native(p), bridge::native(self).shape()), generator));
return self;
}

Tensor& Tensor::bernoulli_(double p, std::optional<Generator> generator) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
bridge::bernoulli_(bridge::native(self), p, generator);
return self;
}

Tensor& Tensor::uniform_(double from, double to, std::optional<Generator> generator) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
bridge::uniform_(bridge::native(self), from, to, generator);
return self;
}

Tensor& Tensor::normal_(double mean, double std, std::optional<Generator> generator) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
bridge::normal_(bridge::native(self), mean, std, generator);
return self;
}

Tensor& Tensor::random_(int64_t from, std::optional<int64_t> to, std::optional<Generator> generator) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
bridge::random_(bridge::native(self), from, to, generator);
return self;
}

Tensor& Tensor::random_(int64_t to, std::optional<Generator> generator) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
bridge::random_(bridge::native(self), 0, to, generator);
return self;
}

Tensor& Tensor::random_(std::optional<Generator> generator) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
bridge::random_(bridge::native(self), 0, {}, generator);
return self;
}

Tensor& Tensor::exponential_(double lambd, std::optional<Generator> generator) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
bridge::exponential_(bridge::native(self), lambd, generator);
return self;
}

Tensor& Tensor::geometric_(double p, std::optional<Generator> generator) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
return bridge::random(self, generator, [&](const auto& u) { return minima::ceil(minima::div(minima::log1p(minima::neg(u)), std::log1p(-p))); });
}

Tensor& Tensor::cauchy_(double median, double sigma, std::optional<Generator> generator) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
return bridge::random(self, generator, [&](const auto& u) { return minima::add(minima::mul(minima::tan(minima::mul(minima::sub(u, 0.5), 3.141592653589793)), sigma), median); });
}

Tensor& Tensor::log_normal_(double mean, double std, std::optional<Generator> generator) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
return bridge::random(self, generator, [&](const auto& u) { return minima::exp(minima::add(minima::mul(minima::erfinv(minima::sub(minima::mul(u, 2), 1)), std * 1.4142135623730951), mean)); });
}

Tensor normal(const Tensor& mean, double std, std::optional<Generator> generator) {
return minima::add(minima::mul(bridge::randn_like(bridge::native(mean), {}, generator), std), bridge::native(mean));
}

Tensor& normal_out(Tensor& out, const Tensor& mean, double std, std::optional<Generator> generator) {
return bridge::write(at::normal(mean, std, generator), out);
}

Tensor& normal_outf(const Tensor& mean, double std, std::optional<Generator> generator, Tensor& out) {
return at::normal_out(out, mean, std, generator);
}

Tensor normal(double mean, const Tensor& std, std::optional<Generator> generator) {
return minima::add(minima::mul(bridge::randn_like(bridge::native(std), {}, generator), bridge::native(std)), mean);
}

Tensor& normal_out(Tensor& out, double mean, const Tensor& std, std::optional<Generator> generator) {
return bridge::write(at::normal(mean, std, generator), out);
}

Tensor& normal_outf(double mean, const Tensor& std, std::optional<Generator> generator, Tensor& out) {
return at::normal_out(out, mean, std, generator);
}

Tensor normal(const Tensor& mean, const Tensor& std, std::optional<Generator> generator) {
return minima::add(minima::mul(bridge::randn(minima::broadcast(bridge::native(mean).shape(), bridge::native(std).shape(), "normal"), {bridge::native(mean).dtype(), bridge::native(mean).device()}, generator), bridge::native(std)), bridge::native(mean));
}

Tensor& normal_out(Tensor& out, const Tensor& mean, const Tensor& std, std::optional<Generator> generator) {
return bridge::write(at::normal(mean, std, generator), out);
}

Tensor& normal_outf(const Tensor& mean, const Tensor& std, std::optional<Generator> generator, Tensor& out) {
return at::normal_out(out, mean, std, generator);
}

Tensor normal(double mean, double std, IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
return bridge::made(minima::add(minima::mul(bridge::randn(bridge::native(size), bridge::native(options), generator), std), mean), options);
}

Tensor& normal_out(Tensor& out, double mean, double std, IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
return bridge::write(at::normal(mean, std, size, generator, options), out);
}

Tensor& normal_outf(double mean, double std, IntArrayRef size, std::optional<Generator> generator, TensorOptions options, Tensor& out) {
return at::normal_out(out, mean, std, size, generator, options);
}

Tensor multinomial(const Tensor& self, int64_t num_samples, bool replacement, std::optional<Generator> generator) {
return bridge::multinomial(bridge::native(self), num_samples, replacement, generator);
}

Tensor Tensor::multinomial(int64_t num_samples, bool replacement, std::optional<Generator> generator) const {
return at::multinomial(*this, num_samples, replacement, generator);
}

Tensor& multinomial_out(Tensor& out, const Tensor& self, int64_t num_samples, bool replacement, std::optional<Generator> generator) {
return bridge::write(at::multinomial(self, num_samples, replacement, generator), out);
}

Tensor& multinomial_outf(const Tensor& self, int64_t num_samples, bool replacement, std::optional<Generator> generator, Tensor& out) {
return at::multinomial_out(out, self, num_samples, replacement, generator);
}

Tensor _sample_dirichlet(const Tensor& self, std::optional<Generator> generator) {
return bridge::dirichlet(bridge::native(self), generator);
}

Tensor poisson(const Tensor& self, std::optional<Generator> generator) {
return minima::poisson(bridge::native(self), bridge::native(generator));
}

Tensor& poisson_out(Tensor& out, const Tensor& self, std::optional<Generator> generator) {
return bridge::write(at::poisson(self, generator), out);
}

Tensor& poisson_outf(const Tensor& self, std::optional<Generator> generator, Tensor& out) {
return at::poisson_out(out, self, generator);
}

Tensor binomial(const Tensor& count, const Tensor& prob, std::optional<Generator> generator) {
return bridge::binomial(bridge::native(count), bridge::native(prob), generator);
}

Tensor& binomial_out(Tensor& out, const Tensor& count, const Tensor& prob, std::optional<Generator> generator) {
return bridge::write(at::binomial(count, prob, generator), out);
}

Tensor& binomial_outf(const Tensor& count, const Tensor& prob, std::optional<Generator> generator, Tensor& out) {
return at::binomial_out(out, count, prob, generator);
}

}  // namespace at
