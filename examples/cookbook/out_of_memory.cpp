// Running out of memory without ending: OutOfMemoryError → half the batch, and on from where it failed.
//
// A failed allocation throws; stack unwinding frees what the call had allocated; the program is as before the call. The
// limit here stands for a small GPU or for a container's memory.

#include <minima/minima.h>

#include <cstdio>

using namespace minima;

namespace {

/// f over the rows of x in batches, of `batch` rows at first and of half as many after each OutOfMemoryError. Results
/// are concatenated. Throws when even one row does not fit.
template <class F>
Tensor in_batches_that_fit(const F& f, const Tensor& x, std::int64_t batch) {
  std::vector<Tensor> results;
  for (std::int64_t row = 0; row < x.size(0);) {
    try {
      results.push_back(f(slice(x, 0, row, row + batch)));
      row += batch;
    } catch (const OutOfMemoryError& error) {
      if (batch == 1) throw;
      const std::string text = error.what();
      std::printf("batch of %lld: %s\n", static_cast<long long>(batch), text.substr(0, text.find('\n')).c_str());
      batch /= 2;
      empty_cache(x.device());  // blocks of the larger size are of no more use
    }
  }
  std::printf("done with batches of %lld\n", static_cast<long long>(batch));
  return cat(results);
}

}  // namespace

int main() {
  const Device device = default_device();
  manual_seed(1);
  nn::Sequential net(nn::Linear({.in = 16, .out = 65536, .activation = Activation::relu}),
                     nn::Linear({.in = 65536, .out = 4}));
  net.to(device);
  const NoGrad guard;
  const Tensor x = randn({256, 16}, {.device = device});
  const Tensor expected = net(x);  // 64 MiB for the hidden layer

  empty_cache(device);
  set_memory_limit(memory_stats(device).reserved + (24 << 20), device);
  const Tensor y = in_batches_that_fit([&](const Tensor& rows) { return net(rows); }, x, 256);
  set_memory_limit(0, device);
  std::printf("same result: %s\n", allclose(y, expected, {1e-4, 1e-4}) ? "yes" : "no");
}
