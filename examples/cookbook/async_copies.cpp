// Pinned memory and asynchronous copies: while the GPU works on one batch, the next one is being prepared and copied,
// and results come back without anybody waiting for each of them. Runs on the CPU too, where nothing needs copying.
//
// data::DataLoader does all of this for batches that a dataset delivers: {.workers = 4, .device = device}.

#include <minima/minima.h>

#include <cstdio>
#include <optional>

using namespace minima;

namespace {

constexpr std::int64_t rows = 256, columns = 512, batches = 12;

/// Stands for decoding: writes batch `index` into memory that is already there.
void prepare(const Tensor& memory, std::int64_t index) {
  float* const values = memory.data<float>();
  for (std::int64_t i = 0; i < memory.numel(); ++i) values[i] = static_cast<float>((i + index) % 17) / 17;
}

/// A batch on its way to the device. Two of them take turns.
struct Slot {
  Tensor memory = empty_pinned(Layout::contiguous({rows, columns}));
  Event copied;
};

/// A result on its way back.
struct Result {
  Tensor values;
  Event arrived;
};

Tensor work(const Tensor& x, const Tensor& weight) { return sum(tanh(matmul(x, weight)), 1); }

}  // namespace

int main() {
  const Device device = default_device();
  manual_seed(1);
  const Tensor weight = (randn({columns, columns}) * 0.05).to(device);
  const NoGrad no_grad;

  // A stream for the copies, so that they do not queue behind the computation.
  std::optional<Stream> copies, compute;
  if (device.is_cuda()) {
    copies = Stream::create(device);
    compute = current_stream(device);
  }

  Slot slots[2];
  std::vector<Result> results(batches);
  for (std::int64_t i = 0; i < batches; ++i) {
    Slot& slot = slots[i % 2];
    slot.copied.synchronize();  // the batch before last has left this memory
    prepare(slot.memory, i);
    Tensor x = slot.memory;
    if (device.is_cuda()) {
      const StreamGuard guard(*copies);
      x = slot.memory.to(device);  // returns at once, because the memory is pinned
      slot.copied.record(*copies);
      compute->wait(slot.copied);  // the GPU waits, not this thread
    }
    Result& result = results[static_cast<std::size_t>(i)];
    result.values = work(x, weight);
    if (device.is_cuda()) {
      hand_over(x, *compute);  // x was allocated on the other stream
      result.values = fetch_async(result.values, result.arrived);
    }
  }

  // The same, one batch after the other, with blocking copies.
  const Tensor memory = empty({rows, columns});
  bool equal = true;
  double total = 0;
  for (std::int64_t i = 0; i < batches; ++i) {
    prepare(memory, i);
    const Tensor wanted = work(memory.to(device), weight).to(Device::cpu());
    Result& result = results[static_cast<std::size_t>(i)];
    result.arrived.synchronize();  // only now are the values valid
    equal = equal && identical(result.values, wanted);
    total += sum(wanted).item<double>();
  }
  std::printf("%lld batches, sum %.2f; the slots are %s memory\n", static_cast<long long>(batches), total,
              is_pinned(slots[0].memory) ? "pinned" : "ordinary");
  std::printf("the results %s those of blocking copies\n", equal ? "equal" : "differ from");
  return equal ? 0 : 1;
}
