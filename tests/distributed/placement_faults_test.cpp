#include "tests/distributed/placement_faults.h"
#include "tests/support/expect_error.h"

#include <minima/distributed/distributed.h>
#include <minima/distributed/in_process.h>
#include <minima/minima.h>

#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// Errors planted in small programs are named by the checker, which runs one rank of a pretended mesh of 2 × 2 ranks,
// and found by comparing the numbers of four real ranks with those of one. docs/distributed.md has a table of both.

namespace minima::distributed::placement_faults_test {
namespace {

using namespace test::planted;

void run_checked(Program program, const Plan& plan) {
  World world({pretend(1, 4), {{"data", 2}, {"tensor", 2}}}, float32, true);
  program(world, plan);
}

/// The message of the error, or nothing.
std::string said_of(const Fault& fault) {
  try {
    run_checked(fault.program, Plan(fault.name));
  } catch (const PlacementError& error) {
    return error.what();
  }
  return "";
}

const Program programs[] = {&train_tensor_parallel, &train_sequence_parallel, &train_by_hand};

TEST(PlacementFaults, CorrectProgramsPass) {
  for (const Program program : programs) EXPECT_NO_THROW(run_checked(program, Plan("none")));
}

TEST(PlacementFaults, AreNamed) {
  std::size_t named = 0;
  for (const Fault& fault : faults()) {
    const std::string message = said_of(fault);
    named += message.empty() ? 0 : 1;
    EXPECT_EQ(message.empty(), fault.said.empty()) << fault.name << ": " << message;
    for (const char* const words : fault.said) EXPECT_CONTAINS(message, words) << fault.name;
  }
  RecordProperty("named", static_cast<int>(named));
  EXPECT_GE(named, 30u);
}

TEST(PlacementFaults, AreNamedUnderAutocastAndCheckpointing) {
  const amp::Autocast lower(DeviceType::cpu);
  EXPECT_NO_THROW(run_checked(&train_tensor_parallel, Plan("none", true)));
  std::size_t named = 0;
  for (const Fault& fault : faults())
    if (fault.program == &train_tensor_parallel) {
      ++named;
      EXPECT_THROW(run_checked(fault.program, Plan(fault.name, true)), PlacementError) << fault.name;
    }
  EXPECT_GE(named, 30u);
}

// --- equality ---

/// The largest difference of a rank's numbers from those of one process, relative to the largest of a tensor.
struct Difference {
  double size = 0;
  std::string text;
  void join(const Difference& other) {
    if (!(other.size <= size)) *this = other;
  }
};

Difference difference(const World& world, const std::vector<Piece>& ours, const std::vector<Piece>& whole) {
  Difference worst;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const Piece& piece = ours[i];
    const Tensor& all = whole.at(i).value;
    const Tensor part = piece.dim < 0 ? all : World::part(all, piece.dim, world.tensor);
    const double by = max(abs(piece.value - part)).item<double>() / max(abs(all)).item<double>();
    worst.join({by, str(piece.name, " differs by ", by, " of its largest element")});
  }
  return worst;
}

/// Runs a program on 2 × 2 ranks and on one, and compares. A program that stops on a rank differs infinitely.
Difference difference_of(Program program, const Plan& plan) {
  const std::vector<distributed::Axis> one{{"data", 1}, {"tensor", 1}}, four{{"data", 2}, {"tensor", 2}};
  World alone({in_process_groups(1)[0], one}, float64, false);
  const std::vector<Piece> whole = program(alone, plan);
  std::vector<ProcessGroup> groups = in_process_groups(4, 20);
  std::vector<Difference> differences(groups.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < groups.size(); ++rank)
    threads.emplace_back([&, rank] {
      try {
        World world({std::exchange(groups[rank], {}), four}, float64, false);
        differences[rank] = difference(world, program(world, plan), whole);
      } catch (const std::exception& error) {
        differences[rank] = {HUGE_VAL, str("stops: ", error.what())};
      }
    });
  for (std::thread& thread : threads) thread.join();
  Difference worst;
  for (const Difference& each : differences) worst.join(each);
  return worst;
}

/// DistributedDataParallel checks nothing while it exists.
class WithoutChecks {
 public:
  WithoutChecks() { ::setenv(name, "0", 1); }
  ~WithoutChecks() { ::setenv(name, before_.c_str(), 1); }
  WithoutChecks(const WithoutChecks&) = delete;

 private:
  static constexpr const char* name = "MINIMA_DISTRIBUTED_CHECK";
  const std::string before_ = std::getenv(name) ? std::getenv(name) : "";
};

TEST(PlacementFaults, AreFoundByComparisonWithOneProcess) {
  const WithoutChecks guard;
  for (const Program program : programs) {
    const Difference correct = difference_of(program, Plan("none"));
    EXPECT_LT(correct.size, 1e-12) << correct.text;
  }
  int differ = 0, stop = 0;
  for (const Fault& fault : faults()) {
    const Difference found = difference_of(fault.program, Plan(fault.name));
    EXPECT_GT(found.size, 1e-2) << fault.name << " is not found; at most, " << found.text;
    ++(std::isinf(found.size) ? stop : differ);
    RecordProperty(fault.name, str(fault.said.empty() ? "" : "named by the checker; ", found.text));
  }
  EXPECT_EQ(differ + stop, 57);
  RecordProperty("differ", differ);
  RecordProperty("stop", stop);
}

}  // namespace
}  // namespace minima::distributed::placement_faults_test
