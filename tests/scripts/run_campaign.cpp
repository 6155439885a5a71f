// A rank of kill_runs.py, fault_runs.py and goodput_runs.py: trains on numbered samples, saving in the background every
// few steps, and notes what it delivered, so that the script can count what was lost or repeated.
//
//   run_campaign FOLDER EPOCHS [SECONDS [STEPS]]
//
// A step takes SECONDS besides its computation, and STEPS, 7 if not given, are between two saves.
//
// Appends `STEP ID…` for each step to FOLDER/delivered.RANK before Run::step; what a killed process did after the state
// that the next one resumes is cut off by it, as a run's logs are.

#include <minima/data/dataset.h>
#include <minima/data/loader/loader.h>
#include <minima/distributed/data_parallel.h>
#include <minima/distributed/init.h>
#include <minima/io/files/append_file.h>
#include <minima/nn/layers/linear.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/threads/parallel.h>
#include <minima/train/run/run.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

using namespace minima;

namespace {

int train_rank(const std::string& folder, std::uint64_t epochs, double seconds, std::int64_t interval) {
  set_num_threads(1);
  manual_seed(1);
  const distributed::ProcessGroup group = distributed::init({.timeout = 5});
  constexpr std::int64_t count = 960;
  nn::Linear net({.in = 4, .out = 64});
  distributed::DistributedDataParallel parallel(net, group);
  optim::AdamW optimizer(net.parameters(), {.lr = 1e-3});
  RandomGenerator generator(2);
  data::DataLoader loader(data::TensorDataset(randn({count, 4}, {}, &generator), arange(count)),
                          {.batch_size = 8 / group.size(),
                           .shuffle = true,
                           .workers = 1,
                           .seed = 3,
                           .rank = group.rank(),
                           .world_size = group.size()});
  train::Run run(folder + "/run", group, {.keep = 2, .every = 0, .every_steps = interval, .straggler = 0});
  run.add("net", net), run.add("optimizer", optimizer), run.add("loader", loader);
  run.add("random", default_generator());
  run.config("batch size", 8);
  run.resume();
  detail::AppendFile delivered(str(folder, "/delivered.", group.rank()));
  while (loader.epoch() < epochs)
    for (auto& [x, id] : loader) {
      optimizer.zero_grad();
      const Tensor loss = mean(square(net(x)));
      loss.backward();
      optimizer.step();
      std::string line = str(run.steps() + 1);
      for (const std::int64_t i : id.to_vector<std::int64_t>()) line += str(" ", i);
      delivered.append(line + "\n");
      if (seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      if (!run.step(loss)) return run.exit_code();
    }
  return run.finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) return 2;
  try {
    return train_rank(argv[1], std::strtoull(argv[2], nullptr, 10), argc > 3 ? std::strtod(argv[3], nullptr) : 0,
                      argc > 4 ? std::strtoll(argv[4], nullptr, 10) : 7);
  } catch (const Error& error) {
    std::fprintf(stderr, "run_campaign: %s\n", error.what());
    return 1;
  }
}
