#include <minima/optim/schedules/plot.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

// The plots in docs/optimizers.md are up to date.

namespace minima::optim::schedule_pictures_test {
namespace {

void expect_picture(const std::string& name, const std::vector<NamedSchedule>& named, const std::string& title) {
  const std::string path = MINIMA_FIXTURES "/../../docs/images/" + name;
  const std::string wanted = plot_svg(named, {.steps = 300, .lr = 1, .title = title});
  if (std::getenv("MINIMA_WRITE_DOCS")) std::ofstream(path) << wanted;
  std::stringstream written;
  written << std::ifstream(path).rdbuf();
  EXPECT_TRUE(written.str() == wanted) << path << " is out of date; write it with\n"
                                       << "MINIMA_WRITE_DOCS=1 ctest --test-dir build/cpu -R SchedulePictures";
}

TEST(SchedulePictures, InDocsAreCurrent) {
  using namespace schedules;
  expect_picture("schedules_decay.svg",
                 {{"linear(300, 1, 0.1)", linear(300, 1, 0.1)},
                  {"step(75, 0.5)", schedules::step(75, 0.5)},
                  {"exponential(0.99)", exponential(0.99)},
                  {"polynomial(300, 2)", polynomial(300, 2)},
                  {"cosine(300)", cosine(300)},
                  {"cosine_restarts(43, 2)", cosine_restarts(43, 2)}},
                 "Decay");
  expect_picture(
      "schedules_warmup.svg",
      {{"warmup(30, cosine(270))", warmup(30, cosine(270))},
       {"inverse_sqrt(30)", inverse_sqrt(30)},
       {"warmup_stable_decay(30, 170, 100)", warmup_stable_decay(30, 170, 100)},
       {"one_cycle({.max_lr = 1, .steps = 300})", one_cycle({.max_lr = 1, .steps = 300, .cycle_momentum = false})}},
      "Warm-up");
}

}  // namespace
}  // namespace minima::optim::schedule_pictures_test
