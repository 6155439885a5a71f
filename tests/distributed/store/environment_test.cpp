#include <minima/distributed/store/environment.h>

#include <minima/distributed/init.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <cstdlib>
#include <map>

namespace minima::distributed::environment_test {
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
  const Environment e = with({{"RANK", "5"},
                              {"WORLD_SIZE", "8"},
                              {"LOCAL_RANK", "1"},
                              {"LOCAL_WORLD_SIZE", "4"},
                              {"MASTER_ADDR", "node1"},
                              {"MASTER_PORT", "4242"},
                              {"SLURM_PROCID", "0"},
                              {"SLURM_NTASKS", "2"},
                              {"TORCHELASTIC_RUN_ID", "job"}});
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
  EXPECT_EQ(
      with({{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_PORT", "500"}, {"TORCHELASTIC_USE_AGENT_STORE", "True"}}).port,
      501);
  EXPECT_EQ(with({{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_PORT", "500"}, {"MINIMA_STORE_PORT", "77"}}).port, 77);
}

TEST(Environment, ReadsSlurm) {
  const std::map<std::string, std::string> job{{"SLURM_PROCID", "3"},
                                               {"SLURM_NTASKS", "4"},
                                               {"SLURM_LOCALID", "1"},
                                               {"SLURM_STEP_ID", "0"},
                                               {"SLURM_JOB_ID", "99"},
                                               {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
                                               {"SLURM_JOB_NODELIST", "gpu[03-04],x"}};
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
  const Environment e = with({{"OMPI_COMM_WORLD_RANK", "1"},
                              {"OMPI_COMM_WORLD_SIZE", "2"},
                              {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                              {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  EXPECT_EQ(e.source, "Open MPI");
  EXPECT_EQ(e.rank, 1);
  EXPECT_EQ(e.address, "127.0.0.1");
  EXPECT_EQ(with({{"PMI_RANK", "2"}, {"PMI_SIZE", "3"}}).source, "PMI");
  EXPECT_CONTAINS(test::message_of<ValueError>([] {
                    with({{"OMPI_COMM_WORLD_RANK", "1"},
                          {"OMPI_COMM_WORLD_SIZE", "4"},
                          {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                          {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
                  }),
                  "MASTER_ADDR");
}

std::string complaint(std::map<std::string, std::string> variables) {
  return test::message_of<ValueError>([&] { with(std::move(variables)); });
}

TEST(Environment, NamesTheVariableThatIsWrongAndQuotesIt) {
  EXPECT_CONTAINS(complaint({{"RANK", "x"}, {"WORLD_SIZE", "2"}}),
                  "RANK should be a whole number from 0 to 1, but is 'x'");
  EXPECT_CONTAINS(complaint({{"RANK", "2"}, {"WORLD_SIZE", "2"}}),
                  "RANK should be a whole number from 0 to 1, but is '2'");
  EXPECT_CONTAINS(complaint({{"RANK", ""}, {"WORLD_SIZE", "2"}}),
                  "RANK should be a whole number from 0 to 1, but is ''");
  for (const char* size : {"0", "-1", "2147483647", "99999999999", "2 ", "0x2"})
    EXPECT_CONTAINS(complaint({{"RANK", "0"}, {"WORLD_SIZE", size}}),
                    std::string("WORLD_SIZE should be a whole number from 1 to 1048576, but is '") + size + "'");
  EXPECT_CONTAINS(complaint({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "2"}}),
                  "LOCAL_RANK should be a whole number from 0 to 1, but is '2'");
  EXPECT_CONTAINS(complaint({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_WORLD_SIZE", "3"}}),
                  "LOCAL_WORLD_SIZE should be a whole number from 1 to 2, but is '3'");
  EXPECT_CONTAINS(complaint({{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "-2"}}),
                  "SLURM_NTASKS should be a whole number from 1 to 1048576, but is '-2'");
  EXPECT_CONTAINS(complaint({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}, {"SLURM_LOCALID", "x"}}), "SLURM_LOCALID");
  EXPECT_CONTAINS(complaint({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}, {"SLURM_TASKS_PER_NODE", "x(x2)"}}),
                  "SLURM_TASKS_PER_NODE should start with a number");
  EXPECT_CONTAINS(complaint({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}, {"SLURM_JOB_NODELIST", "gpu[1-"}}),
                  "'gpu[1-'");
  EXPECT_CONTAINS(complaint({{"MASTER_PORT", "70000"}}),
                  "MASTER_PORT should be a whole number from 1 to 65535, but is '70000'");
  EXPECT_CONTAINS(complaint({{"MASTER_PORT", "0"}}), "MASTER_PORT");
  EXPECT_CONTAINS(complaint({{"MASTER_PORT", "65535"}, {"TORCHELASTIC_USE_AGENT_STORE", "True"}}),
                  "MASTER_PORT should be a whole number from 1 to 65534");
  EXPECT_CONTAINS(complaint({{"MINIMA_STORE_PORT", "abc"}}),
                  "MINIMA_STORE_PORT should be a whole number from 1 to 65535, but is 'abc'");
  EXPECT_CONTAINS(complaint({{"MASTER_ADDR", ""}}), "MASTER_ADDR is ''");
}

TEST(Environment, ARankWithoutASizeIsNoLauncher) {
  EXPECT_CONTAINS(complaint({{"RANK", "3"}}), "RANK is '3', but WORLD_SIZE is not set");
  EXPECT_CONTAINS(complaint({{"WORLD_SIZE", "4"}}), "WORLD_SIZE is '4', but RANK is not set");
  EXPECT_CONTAINS(complaint({{"OMPI_COMM_WORLD_RANK", "0"}}),
                  "OMPI_COMM_WORLD_RANK is '0', but OMPI_COMM_WORLD_SIZE is not set");
  EXPECT_CONTAINS(complaint({{"OMPI_COMM_WORLD_SIZE", "4"}}),
                  "OMPI_COMM_WORLD_SIZE is '4', but OMPI_COMM_WORLD_RANK is not set");
  EXPECT_CONTAINS(complaint({{"PMI_RANK", "1"}}), "PMI_RANK is '1', but PMI_SIZE is not set");
  EXPECT_CONTAINS(complaint({{"PMI_SIZE", "2"}}), "PMI_SIZE is '2', but PMI_RANK is not set");
  EXPECT_CONTAINS(complaint({{"SLURM_PROCID", "3"}}), "SLURM_PROCID is '3', but SLURM_NTASKS is not set");
  // A SLURM batch script outside of srun is one process; a login shell with an allocation has only counts.
  EXPECT_EQ(with({{"SLURM_PROCID", "0"}}).world_size, 1);
  EXPECT_EQ(with({{"SLURM_NTASKS", "4"}}).world_size, 1);
  // A complete set of variables wins over half of another.
  EXPECT_EQ(with({{"WORLD_SIZE", "4"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}}).source, "SLURM");
}

TEST(Environment, KnowsWhenAllRanksShareAHost) {
  EXPECT_FALSE(with({{"RANK", "0"}, {"WORLD_SIZE", "2"}}).is_one_host);  // no variable guarantees it
  EXPECT_TRUE(with({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_WORLD_SIZE", "2"}}).is_one_host);
  EXPECT_FALSE(with({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_WORLD_SIZE", "1"}}).is_one_host);
  const Environment alone = with({{"SLURM_PROCID", "0"},
                                  {"SLURM_NTASKS", "4"},
                                  {"SLURM_STEP_TASKS_PER_NODE", "4"},
                                  {"SLURM_JOB_NODELIST", "gpu7"}});
  EXPECT_TRUE(alone.is_one_host);
  EXPECT_EQ(alone.address, "127.0.0.1");
  EXPECT_FALSE(with({{"SLURM_PROCID", "0"},
                     {"SLURM_NTASKS", "4"},
                     {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
                     {"SLURM_JOB_NODELIST", "gpu[7-8]"}})
                   .is_one_host);
}

TEST(Environment, ReadsTheSecret) {
  const std::string secret = "0123456789abcdef";
  const test::TemporaryFolder folder;
  const std::string path = folder.file("secret", secret + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  EXPECT_EQ(with({}).secret, "");
  EXPECT_EQ(with({{"MINIMA_DISTRIBUTED_SECRET", secret}}).secret, secret);
  EXPECT_EQ(with({{"MINIMA_DISTRIBUTED_SECRET_FILE", path}}).secret, secret);
  EXPECT_CONTAINS(complaint({{"MINIMA_DISTRIBUTED_SECRET", secret}, {"MINIMA_DISTRIBUTED_SECRET_FILE", path}}),
                  "are both set");
  EXPECT_CONTAINS(complaint({{"MINIMA_DISTRIBUTED_SECRET", "hunter2"}}),
                  "MINIMA_DISTRIBUTED_SECRET has 7 characters; take 16 or more");
  EXPECT_CONTAINS(complaint({{"MINIMA_DISTRIBUTED_SECRET", ""}}), "has 0 characters");
  EXPECT_CONTAINS(complaint({{"MINIMA_DISTRIBUTED_SECRET_FILE", "/no/such/file"}}),
                  "MINIMA_DISTRIBUTED_SECRET_FILE '/no/such/file'");
  EXPECT_TRUE(with({{"MINIMA_DISTRIBUTED_TRUSTED", "1"}}).is_trusted);
  EXPECT_CONTAINS(complaint({{"MINIMA_DISTRIBUTED_TRUSTED", "yes"}}),
                  "MINIMA_DISTRIBUTED_TRUSTED should be 0 or 1, but is 'yes'");
}

/// Sets a variable for its lifetime.
class Set {
 public:
  Set(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Set() { ::unsetenv(name_); }

 private:
  const char* name_;
};

TEST(Environment, InitQuotesWhatMakesNoSense) {
  for (const char* seconds : {"3s", "abc", "0", "-1", "nan", " 3", "1,5"}) {
    const Set set("MINIMA_DISTRIBUTED_TIMEOUT", seconds);
    EXPECT_CONTAINS(
        test::message_of<ValueError>([] { init(Environment{}); }),
        std::string("MINIMA_DISTRIBUTED_TIMEOUT should be a number of seconds above 0, but is '") + seconds + "'");
  }
  for (const char* seconds : {"3", "0.5", "1e300", "inf", ""}) {
    const Set set("MINIMA_DISTRIBUTED_TIMEOUT", seconds);
    EXPECT_LE(init(Environment{}).timeout(), 1e8);
  }
  const Set set("MINIMA_DISTRIBUTED_DEBUG", "true");
  EXPECT_CONTAINS(test::message_of<ValueError>([] { init(Environment{}); }),
                  "MINIMA_DISTRIBUTED_DEBUG should be 0 or 1, but is 'true'");
}

TEST(Environment, InitRefusesRanksThatCannotBe) {
  for (const auto& [rank, size] : {std::pair(2, 2), std::pair(-1, 2), std::pair(0, 0), std::pair(0, 2147483647)})
    EXPECT_CONTAINS(test::message_of<ValueError>([&] { init(Environment{.rank = rank, .world_size = size}); }),
                    "there is no rank " + std::to_string(rank) + " of " + std::to_string(size));
}

}  // namespace
}  // namespace minima::distributed::environment_test
