// A model that serves many client threads: requests are batched, and each client gets its own rows back.
//
// The clients stand for the connections of a server. Each waits for its reply before it sends the next request, so at
// most as many rows are queued as there are clients.

#include <minima/inference/batcher.h>
#include <minima/minima.h>

#include <atomic>
#include <cstdio>
#include <thread>

using namespace minima;

namespace {

constexpr int clients = 16, requests_each = 50;

}  // namespace

int main() {
  const Device device = default_device();
  manual_seed(1);
  nn::Sequential net(nn::Linear({.in = 64, .out = 256, .activation = Activation::gelu}),
                     nn::Linear({.in = 256, .out = 10}));
  net.eval();
  const Tensor samples = randn({clients * requests_each, 64});
  const Tensor expected = no_grad([&] { return net(samples); });
  net.to(device);

  inference::Batcher batcher(net, {.max_batch = clients, .max_delay = 0.001, .device = device, .row_shapes = {{64}}});
  std::atomic<int> right = 0;
  const auto client = [&](int id) {
    const NoGrad guard;  // modes belong to threads
    for (int i = 0; i < requests_each; ++i) {
      const std::int64_t row = id * requests_each + i;
      const inference::Reply reply = batcher.submit(narrow(samples, 0, row, 1), {.priority = id == 0 ? 1 : 0});
      right += allclose(reply.get(), narrow(expected, 0, row, 1), {1e-3, 1e-3}).ok;
    }
  };
  std::vector<std::thread> threads;
  for (int id = 0; id < clients; ++id) threads.emplace_back(client, id);
  for (std::thread& thread : threads) thread.join();
  batcher.close();

  const inference::BatcherStats stats = batcher.stats();
  std::printf("%d of %d replies are right\n", right.load(), clients * requests_each);
  std::printf("fewer batches than requests: %s\n", stats.batches < stats.requests ? "yes" : "no");
  std::printf("%s", stats.text().c_str());

  // A request that cannot be served is an error of that request's.
  try {
    batcher.submit(narrow(samples, 0, 0, 1));
  } catch (const inference::ClosedError& error) {
    std::printf("%s\n", error.what());
  }
}
