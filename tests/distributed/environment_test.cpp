#include <minima/distributed/environment.h>

#include <minima/tensor/error.h>

#include "tests/support/temporary_folder.h"

#include <map>

namespace minima::distributed {
namespace {

Environment with(std::map<std::string, std::string> variables) {
  return detail::read_environment([&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Environment, WithoutALauncherTheWorldIsOneProcess) {
  const Environment e = with({{"SLURM_JOB_ID", "7"}});
  EXPECT_EQ(e.rank, 0);
  EXPECT_EQ(e.world_size, 1);
  EXPECT_EQ(e.source, "none");
}

TEST(Environment, ReadsTorchrunBeforeAnyOther) {
  const Environment e = with({{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "4"}, {"MASTER_ADDR", "node1"},
                              {"MASTER_PORT", "4242"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}, {"TORCHELASTIC_RUN_ID", "job"}});
  EXPECT_EQ(e.source, "torchrun");
  EXPECT_EQ(e.rank, 5);
  EXPECT_EQ(e.world_size, 8);
  EXPECT_EQ(e.local_rank, 1);
  EXPECT_EQ(e.local_world_size, 4);
  EXPECT_EQ(e.address, "node1");
  EXPECT_EQ(e.port, 4242);
  EXPECT_EQ(e.token, "job");
}

TEST(Environment, LeavesTorchrunsOwnStoreItsPort) {
  EXPECT_EQ(with({{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_PORT", "500"}, {"TORCHELASTIC_USE_AGENT_STORE", "True"}}).port, 501);
  EXPECT_EQ(with({{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_PORT", "500"}, {"MINIMA_STORE_PORT", "77"}}).port, 77);
}

TEST(Environment, ReadsSlurm) {
  const std::map<std::string, std::string> job{{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "4"}, {"SLURM_LOCALID", "1"}, {"SLURM_STEP_ID", "0"},
                                               {"SLURM_JOB_ID", "99"}, {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"}, {"SLURM_JOB_NODELIST", "gpu[03-04],x"}};
  const Environment e = with(job);
  EXPECT_EQ(e.source, "SLURM");
  EXPECT_EQ(e.rank, 3);
  EXPECT_EQ(e.world_size, 4);
  EXPECT_EQ(e.local_rank, 1);
  EXPECT_EQ(e.local_world_size, 2);
  EXPECT_EQ(e.address, "gpu03");
  EXPECT_EQ(e.token, "99.0");
  EXPECT_EQ(e.port, with(job).port);
  auto other = job;
  other["SLURM_JOB_ID"] = "100";
  EXPECT_NE(e.port, with(other).port);
}

TEST(Environment, AProgramThatWasNotStartedBySrunIsAlone) {
  EXPECT_EQ(with({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "16"}, {"SLURM_STEP_NUM_TASKS", "1"}}).world_size, 1);
}

TEST(Environment, FindsTheFirstHostOfASlurmList) {
  EXPECT_EQ(detail::first_host("a"), "a");
  EXPECT_EQ(detail::first_host("a,b[1-2]"), "a");
  EXPECT_EQ(detail::first_host("b[7,9]"), "b7");
  EXPECT_EQ(detail::first_host("b[07-12,3],c"), "b07");
}

TEST(Environment, ReadsOpenMpiAndPmi) {
  const Environment e = with({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  EXPECT_EQ(e.source, "Open MPI");
  EXPECT_EQ(e.rank, 1);
  EXPECT_EQ(e.address, "127.0.0.1");
  EXPECT_EQ(with({{"PMI_RANK", "2"}, {"PMI_SIZE", "3"}}).source, "PMI");
  EXPECT_CONTAINS(test::message_of<ValueError>([] {
    with({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  }), "MASTER_ADDR");
}

TEST(Environment, NamesTheVariableThatIsWrong) {
  EXPECT_CONTAINS(test::message_of<ValueError>([] { with({{"RANK", "x"}, {"WORLD_SIZE", "2"}}); }), "RANK should be a whole number from 0, but is 'x'");
  EXPECT_CONTAINS(test::message_of<ValueError>([] { with({{"RANK", "2"}, {"WORLD_SIZE", "2"}}); }), "rank 2 of 2");
  EXPECT_CONTAINS(test::message_of<ValueError>([] { with({{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "-2"}}); }), "SLURM_NTASKS");
  EXPECT_CONTAINS(test::message_of<ValueError>([] { with({{"MASTER_PORT", "70000"}}); }), "70000 is no port");
}

}  // namespace
}  // namespace minima::distributed
