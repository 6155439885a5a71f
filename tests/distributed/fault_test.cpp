#include "tests/distributed/faults.h"
#include "tests/support/temporary_folder.h"

#include <minima/distributed/error.h>
#include <minima/distributed/gloo_backend.h>
#include <minima/distributed/store.h>
#include <minima/ops/creation/creation.h>

#include <gtest/gtest.h>

// One fault of each kind; random_fault_test.cpp injects hundreds at random moments.

namespace minima::distributed {
namespace {

using test::Fault;

class Faults : public testing::TestWithParam<Fault> {};

TEST_P(Faults, EverySurvivorSaysWhoIsMissingInTime) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer does not follow threads of a forked child";
#endif
  if (!detail::has_gloo()) GTEST_SKIP() << "built without Gloo";
  const test::TemporaryFolder folder;
  for (const int victim : {0, 2}) {
    const test::Injection injection{.fault = GetParam(), .ranks = 3, .victim = victim, .step = 4, .timeout = 1};
    const test::Report report = test::inject(injection, folder.path());
    EXPECT_EQ(report.complaint, "") << test::name(GetParam()) << " of rank " << victim << " after " << report.seconds << " s";
    EXPECT_LT(report.seconds, injection.timeout + 5);
  }
}

INSTANTIATE_TEST_SUITE_P(EachKind, Faults, testing::ValuesIn(test::all_faults),
                         [](const auto& info) { return std::string(test::name(info.param)); });

TEST(Store, RefusesWhatDoesNotBelongToTheJob) {
  detail::StoreServer server("127.0.0.1", 0, "job", 2);
  const auto join = [&](detail::StoreIdentity identity) {
    return test::message_of<DistributedError>([&] { detail::Store("127.0.0.1", server.port(), identity, true, detail::after(2)); });
  };
  EXPECT_CONTAINS(join({"other", 1, 2}), "token differs");
  EXPECT_CONTAINS(join({"job", 1, 3}), "its world has 2 ranks, ours 3");
  EXPECT_CONTAINS(join({"job", 2, 2}), "no rank 2");
  const detail::Store first("127.0.0.1", server.port(), {"job", 1, 2}, true, detail::after(2));
  EXPECT_CONTAINS(join({"job", 1, 2}), "a rank 1 already");
  EXPECT_CONTAINS(test::message_of<DistributedError>([&] { detail::StoreServer second("127.0.0.1", server.port(), "job", 2); }),
                  "is taken");
}

TEST(Store, OutlivesStrangersWhoSpeakAnotherProtocol) {
  detail::StoreServer server("127.0.0.1", 0, "job", 1);
  for (const std::string& nonsense : {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(64, '\xff'), std::string("\4\0\0\0abcd", 8)}) {
    const detail::Socket stranger = detail::connect_to("127.0.0.1", server.port(), detail::after(2));
    EXPECT_THROW(
        {
          detail::send_message(stranger, nonsense, detail::after(2));
          const std::string answer = detail::receive_message(stranger, detail::after(2));
          if (!answer.empty()) throw DistributedError("refused: " + answer);
        },
        DistributedError);
  }
  detail::Store store("127.0.0.1", server.port(), {"job", 0, 1}, true, detail::after(2));
  store.set("key", "value");
  EXPECT_EQ(store.get("key"), "value");
  EXPECT_EQ(store.get("other"), std::nullopt);
  EXPECT_EQ(store.add("counter", 3), 3);
  EXPECT_EQ(store.add("counter", -1), 2);
}

}  // namespace
}  // namespace minima::distributed
