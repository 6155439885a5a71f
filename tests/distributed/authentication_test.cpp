#include <minima/distributed/store/ledger.h>

#include <minima/distributed/backends/gloo_backend.h>
#include <minima/distributed/store/error.h>
#include <minima/ops/creation/creation.h>

#include "tests/distributed/processes.h"
#include "tests/support/temporary_folder.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include <unistd.h>
#include <cstring>
#include <thread>

namespace minima::distributed::authentication_test {
namespace {

using detail::Ledger;
using detail::MessageReader;
using detail::MessageWriter;
using detail::Peer;
using detail::StoreIdentity;

const std::string secret = "0123456789abcdef0123456789abcdef";
const std::string client_nonce(detail::digest_size, 'c');

/// The ledger's answer to a message; nothing if it would close the connection.
std::optional<std::string> answer(Ledger& ledger, Peer& peer, const std::string& message) {
  const auto size = static_cast<std::uint32_t>(message.size());
  peer.in.append(reinterpret_cast<const char*>(&size), sizeof size);
  peer.in += message;
  peer.out.clear();
  try {
    if (!ledger.step(peer)) return {};
  } catch (const Error&) {
    return {};
  }
  return peer.out.substr(sizeof size);
}

/// A member's handshake up to its claim.
std::string claim_of(Ledger& ledger, Peer& peer, const StoreIdentity& identity) {
  const auto challenge = answer(ledger, peer, detail::hello(client_nonce));
  return detail::claim(challenge.value_or(""), client_nonce, identity, true);
}

TEST(Authentication, AdmitsWhoHasTheSecret) {
  Ledger ledger({"job", 0, 2, secret});
  Peer peer;
  EXPECT_EQ(answer(ledger, peer, claim_of(ledger, peer, {"job", 1, 2, secret})), "");
  EXPECT_EQ(peer.rank, 1);
}

TEST(Authentication, AnswersNothingBefore) {
  Ledger ledger({"job", 0, 2, secret});
  for (int kind = 0; kind <= static_cast<int>(detail::Request::report); ++kind) {
    Peer first, second;
    const std::string request = MessageWriter().number(kind).text("key").text("value").number(0).message();
    EXPECT_NE(answer(ledger, first, request).value_or("no process of minima"), "");
    EXPECT_EQ(first.rank, -1);
    answer(ledger, second, detail::hello(client_nonce));
    EXPECT_EQ(answer(ledger, second, request).value_or("the secret differs"), "the secret differs");
    EXPECT_EQ(second.rank, -1);
  }
}

TEST(Authentication, AProofIsOfUseOnce) {
  Ledger ledger({"job", 0, 2, secret});
  Peer peer, again;
  const std::string claim = claim_of(ledger, peer, {"job", 1, 2, secret});
  ASSERT_EQ(answer(ledger, peer, claim), "");
  answer(ledger, again, detail::hello(client_nonce));  // a replay of the recorded messages
  EXPECT_EQ(answer(ledger, again, claim), "the secret differs");
  EXPECT_FALSE(answer(ledger, again, claim).has_value());
}

TEST(Authentication, TheServersProofIsNotTheClients) {
  Ledger ledger({"job", 0, 2, secret});
  Peer peer;
  const std::string challenge = *answer(ledger, peer, detail::hello(client_nonce));
  const std::string proof = challenge.substr(1 + detail::digest_size),
                    who = detail::identity_message({"job", 1, 2}, true);
  EXPECT_EQ(answer(ledger, peer, MessageWriter().text(proof).text(who).message()), "the secret differs");
}

TEST(Authentication, AProofHoldsForOneIdentityAndInFull) {
  for (const int change : {0, 1, 2, 3}) {
    Ledger ledger({"job", 0, 3, secret});
    Peer peer;
    const std::string claim = claim_of(ledger, peer, {"job", 1, 3, secret});
    MessageReader reader(claim);
    std::string proof = reader.text(), who = reader.text();
    if (change == 1) who = detail::identity_message({"job", 2, 3}, true);
    if (change == 2) proof.pop_back();
    if (change == 3) proof.clear();
    EXPECT_EQ(answer(ledger, peer, MessageWriter().text(proof).text(who).message()),
              change == 0 ? "" : "the secret differs")
        << change;
  }
}

TEST(Authentication, ARankGivesNothingAwayToAServerWithoutTheSecret) {
  const std::vector<detail::Socket> listener = detail::listen_on("127.0.0.1", 0);
  std::string heard;
  std::thread impostor([&] {
    detail::Socket client;
    while ((client = detail::Socket(::accept4(listener[0].descriptor(), nullptr, nullptr, 0))).descriptor() < 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    heard = detail::receive_message(client, detail::after(2));
    detail::send_message(client, std::string(1 + 2 * detail::digest_size, '\0'), detail::after(2));
    try {
      heard += detail::receive_message(client, detail::after(2));
    } catch (const detail::TransportError&) {  // the server closed it
    }
  });
  EXPECT_CONTAINS(test::message_of<DistributedError>([&] {
                    detail::Store("127.0.0.1", detail::port_of(listener[0]), {"job", 1, 2, secret}, true,
                                  detail::after(2));
                  }),
                  "it has another secret than this rank");
  impostor.join();
  EXPECT_EQ(heard.size(), detail::hello(client_nonce).size());
}

Environment rank_at(const std::string& address) { return {.rank = 0, .world_size = 2, .address = address}; }

TEST(Authentication, IsNeededWhereOthersCanReachTheStore) {
  for (const char* address : {"192.0.2.1", "2001:db8::1", "0.0.0.0"}) {
    const std::string message =
        test::message_of<DistributedError>([&] { init(rank_at(address), {.backend = "gloo", .timeout = 1}); });
    EXPECT_CONTAINS(message, "MINIMA_DISTRIBUTED_SECRET");
    EXPECT_CONTAINS(message, "openssl rand -hex 32");
    EXPECT_CONTAINS(message, "MINIMA_DISTRIBUTED_TRUSTED=1");
  }
  Environment open = rank_at("127.0.0.1");
  open.listen = "0.0.0.0";
  EXPECT_CONTAINS(test::message_of<DistributedError>([&] { init(open, {.backend = "gloo", .timeout = 1}); }),
                  "MINIMA_DISTRIBUTED_SECRET");
  // With one of the two the next step is reached.
  Environment with = rank_at("192.0.2.77"), trusted = with;
  with.secret = secret;
  trusted.is_trusted = true;
  for (const Environment& e : {with, trusted})
    EXPECT_CONTAINS(test::message_of<DistributedError>([&] { init(e, {.backend = "gloo", .timeout = 1}); }),
                    "cannot listen on 192.0.2.77");
}

void expect_ranks_to_meet(const Function<void(Environment&)>& change) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer does not follow threads of a forked child";
#endif
  if (!detail::has_gloo()) GTEST_SKIP() << "built without Gloo";
  test::Processes processes(2, [&](const test::Rank& rank) {
    Environment environment = rank.environment;
    change(environment);
    const ProcessGroup group = init(environment, {.backend = "gloo", .timeout = 20});
    const Tensor x = ones({3});
    group.all_reduce(x).wait();
    test::require(x.data<float>()[2] == 2, "1 + 1 = 2");
  });
  for (const test::Outcome& outcome : processes.wait(40)) EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
}

TEST(Authentication, RanksWithTheSameSecretMeet) {
  expect_ranks_to_meet([](Environment& e) { e.secret = secret; });
}

TEST(Authentication, RanksOfOneHostMeetAtLoopbackWithoutASecret) {
  expect_ranks_to_meet([](Environment& e) {
    e.address = "192.0.2.77";
    e.is_one_host = true;
  });
}

TEST(Authentication, RanksMeetOverIpv6) {
  try {
    detail::listen_on("::1", 0);
  } catch (const DistributedError&) {
    GTEST_SKIP() << "this machine has no ::1";
  }
  expect_ranks_to_meet([](Environment& e) { e.address = "::1"; });
}

TEST(Rendezvous, SaysThatOtherHostsCannotComeToLoopback) {
  Environment e{.rank = 0,
                .world_size = 2,
                .local_rank = 0,
                .local_world_size = 1,
                .address = "localhost",
                .port = test::free_port()};
  EXPECT_CONTAINS(test::message_of<DistributedError>([&] { init(e, {.backend = "gloo", .timeout = 0.3}); }),
                  "localhost is a loopback address");
}

TEST(Rendezvous, AConnectionThatBreaksNamesRank0) {
  const std::vector<detail::Socket> listener = detail::listen_on("127.0.0.1", 0);
  std::thread reset([&] {  // accepts and closes at once
    for (const detail::Deadline end = detail::after(0.6); detail::seconds_until(end) > 0;
         std::this_thread::sleep_for(std::chrono::milliseconds(1)))
      detail::Socket(::accept4(listener[0].descriptor(), nullptr, nullptr, 0));
  });
  Environment e{.rank = 1, .world_size = 2, .port = detail::port_of(listener[0])};
  try {
    init(e, {.backend = "gloo", .timeout = 0.3});
    ADD_FAILURE() << "no rank has joined";
  } catch (const DistributedError& error) {
    EXPECT_CONTAINS(error.what(), "rank 0 at 127.0.0.1:");
    EXPECT_EQ(error.missing(), std::vector<int>{0});
  }
  reset.join();
}

/// Rank 2 joins the store and dies while the others connect to it.
void expect_the_dead_to_be_named(const Function<void(detail::Store&)>& before) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer does not follow threads of a forked child";
#endif
  if (!detail::has_gloo()) GTEST_SKIP() << "built without Gloo";
  test::Processes processes(3, [&](const test::Rank& rank) {
    if (rank.environment.rank != 2) {
      init(rank.environment, {.backend = "gloo", .timeout = 2});
      return;
    }
    const StoreIdentity identity{rank.environment.token, 2, 3};
    detail::Store store("127.0.0.1", rank.environment.port, identity, false, detail::after(5));
    const detail::Store pulse("127.0.0.1", rank.environment.port, identity, true, detail::after(5));
    before(store);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::_exit(0);
  });
  const std::vector<test::Outcome> outcomes = processes.wait(20);
  for (const std::size_t survivor : {0u, 1u}) {
    EXPECT_EQ(outcomes[survivor].exit_code, 1);
    EXPECT_CONTAINS(outcomes[survivor].text, "rank 2 died");
    EXPECT_LT(outcomes[survivor].seconds, 2 + 5);
  }
}

TEST(Rendezvous, ARankThatDiesBeforeItTellsItsAddressIsNamed) {
  expect_the_dead_to_be_named([](detail::Store&) {});
}

TEST(Rendezvous, ARankThatDiesBeforeItConnectsIsNamed) {
  expect_the_dead_to_be_named([](detail::Store& store) {
    const auto address = store.wait("gloo/world/1", detail::after(5));  // one that rank 2 never connects to
    store.set("gloo/world/2", address.value_or(""));
  });
}

TEST(SecretFile, IsOpenToItsOwnerAlone) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("secret", " " + secret + "\r\n");
  const auto read_with = [&](mode_t mode) {
    ::chmod(path.c_str(), mode);
    return detail::read_secret_file(path);
  };
  EXPECT_EQ(read_with(0600), secret);
  EXPECT_EQ(read_with(0400), secret);
  for (const mode_t mode : {0644, 0604, 0602, 0620})
    EXPECT_CONTAINS(test::message_of<ValueError>([&] { read_with(mode); }), "is open to others") << mode;
  EXPECT_CONTAINS(test::message_of<ValueError>([&] { detail::read_secret_file(folder / "none"); }),
                  "cannot be read: No such file");
  EXPECT_CONTAINS(test::message_of<ValueError>([&] { detail::read_secret_file(folder.path()); }), "is no file");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_CONTAINS(test::message_of<ValueError>([&] { detail::read_secret_file(folder / "pipe"); }), "is no file");
  ::chmod(folder.file("long", std::string(4096, 'x')).c_str(), 0600);
  EXPECT_CONTAINS(test::message_of<ValueError>([&] { detail::read_secret_file(folder / "long"); }),
                  "longer than 4,095 bytes");
}

}  // namespace
}  // namespace minima::distributed::authentication_test
