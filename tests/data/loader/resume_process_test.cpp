#include <minima/data/loader/loader.h>
#include <minima/data/transforms/transforms.h>
#include <minima/io/checkpoint/checkpoint.h>

#include "tests/support/temporary_folder.h"

#include <sys/wait.h>
#include <unistd.h>

// A run that is saved and resumed in a new process sees bit for bit the same batches as an uninterrupted one.

namespace minima::data::resume_process_test {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Images {
  std::int64_t size() const { return 26; }
  std::pair<Tensor, std::int64_t> get(std::int64_t index) const {
    Bytes pixels(30 * 20 * 3);
    for (std::size_t i = 0; i < pixels.size(); ++i)
      pixels[i] = static_cast<std::uint8_t>(i * 31 + static_cast<std::size_t>(index) * 7);
    return {from_vector(pixels, {30, 20, 3}), index};
  }
};

auto loader_with(int workers) {
  return DataLoader(with_transform(Images{}, compose(RandomResizedCrop{.size = 12}, RandomHorizontalFlip{},
                                                     ColorJitter{.3, .3, .3, .1})),
                    {.batch_size = 4, .shuffle = true, .workers = workers, .seed = 17});
}

/// Resumes from a state (empty: starts), appends `steps` batches to `out`, and saves the loader.
void run(int workers, int steps, const std::string& from, const std::string& to, const std::string& out) {
  auto loader = loader_with(workers);
  if (!from.empty()) loader.load_state_dict(load(from));
  std::ofstream file(out, std::ios::binary | std::ios::app);
  for (int step = 0; step < steps;)
    for (auto& [x, y] : loader) {
      file.write(static_cast<const char*>(x.raw_data()), x.numel());
      file.write(static_cast<const char*>(y.raw_data()), 8 * y.numel());
      if (++step == steps) {
        save(to, loader.state_dict());
        break;
      }
    }
}

/// The same in a separate process.
bool run_apart(int workers, int steps, const std::string& from, const std::string& to, const std::string& out) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      run(workers, steps, from, to, out);
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

TEST(ResumeInANewProcess, IsBitwiseTheSameAtAnyPoint) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer does not follow threads of a forked child";
#endif
  const test::TemporaryFolder folder;
  constexpr int step_count = 16;  // of 7 an epoch: the third epoch is reached
  ASSERT_TRUE(run_apart(0, step_count, "", folder / "end", folder / "straight"));
  const std::string straight = test::content_of(folder / "straight");
  ASSERT_EQ(straight.size(), (2 * 26 + 2 * 4) * (12u * 12 * 3 * 1) + 8u * (2 * 26 + 2 * 4));
  for (const int workers : {0, 1, 4})
    for (int stop = 1; stop < step_count; ++stop) {
      const std::string out = folder / ("out" + std::to_string(workers) + "-" + std::to_string(stop));
      ASSERT_TRUE(run_apart(workers, stop, "", folder / "state.safetensors", out));
      ASSERT_TRUE(run_apart((workers + 1) % 3, step_count - stop, folder / "state.safetensors", folder / "end", out));
      EXPECT_EQ(test::content_of(out), straight) << workers << " workers, stopped after " << stop;
    }
}

}  // namespace
}  // namespace minima::data::resume_process_test
