#include "tests/distributed/faults.h"

#include "tests/distributed/processes.h"

#include <minima/distributed/store/error.h>
#include <minima/distributed/store/socket.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/format.h>

#include <unistd.h>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <vector>

namespace minima::test {

namespace {

using distributed::ProcessGroup;
using distributed::Reduce;
namespace store = distributed::detail;

constexpr const char* names[] = {"kill",       "stop", "exception",  "quit",        "wrong_shape",
                                 "wrong_call", "slow", "late_start", "wrong_token", "port_taken"};
constexpr int last_step = 1'000'000;

void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// The operation of each step, large enough that faults also hit transfers in progress.
void step(const ProcessGroup& group, std::int64_t size, int number) {
  group.all_reduce(ones({size}), Reduce::mean, {.label = str("bucket ", number % 3)}).wait();
  if (number % 5 == 4) group.barrier();
}

void go_wrong(const Injection& in, const ProcessGroup& group, const Rank& rank) {
  switch (in.fault) {
    case Fault::exception: throw std::runtime_error("the victim's own exception");
    case Fault::quit: ::_exit(0);
    case Fault::wrong_shape: return step(group, 77, in.step);
    case Fault::wrong_call: return group.broadcast(ones({3}), 1).wait();
    case Fault::slow: return pause(in.timeout + 8);
    default:
      rank.say("here");
      if (in.delay == 0) pause(60);
  }
}

bool is_before_start(Fault fault) {
  return fault == Fault::late_start || fault == Fault::wrong_token || fault == Fault::port_taken;
}

void run_rank(const Injection& in, Rank rank, const std::string& folder) {
  const bool is_victim = rank.environment.rank == in.victim;
  std::vector<store::Socket> intruder;
  if (is_victim && in.fault == Fault::late_start) pause(in.timeout + 3);
  if (is_victim && in.fault == Fault::wrong_token) rank.environment.token = "another job's";
  if (rank.environment.rank == 0 && in.fault == Fault::port_taken)
    intruder = store::listen_on("127.0.0.1", rank.environment.port);
  const ProcessGroup group =
      distributed::init(rank.environment, {.backend = "gloo", .timeout = in.timeout, .flight_folder = folder});
  for (int i = 0; i < last_step; ++i) {
    if (is_victim && i == in.step) go_wrong(in, group, rank);
    step(group, 100'000, i);
  }
}

/// What a survivor's message must contain.
std::string judge(const Injection& in, int rank, const Outcome& outcome) {
  const std::string who = str("rank ", rank, " ");
  if (outcome.hung) return who + "hung";
  if (outcome.exit_code != 1) return str(who, "ended with ", outcome.exit_code, ": ", outcome.text);
  const auto says = [&](const std::string& text) { return outcome.text.find(text) != std::string::npos; };
  if (in.fault == Fault::port_taken)
    return rank == 0 ? (says("is taken") ? "" : who + "does not name the port: " + outcome.text) : "";
  const bool names = says(str("rank ", in.victim, " ")) || says(str("rank ", in.victim, ",")) ||
                     says(str("ranks ", in.victim)) ||
                     // before all have joined, another process at rank 0's port looks like rank 0
                     (in.victim == 0 && is_before_start(in.fault) && (says("rank 0") || says("token"))) ||
                     // what differs is what one of them does: the victim sees the others do something else
                     ((in.fault == Fault::wrong_shape || in.fault == Fault::wrong_call) && says("(desync)"));
  if (!names) return who + "does not name the victim: " + outcome.text;
  // A rank that ends at the first step may do so while others are still connecting.
  const bool has_begun = !is_before_start(in.fault) && !(in.step == 0 && says("could not connect to the others"));
  if (has_begun && !(says("all_reduce mean float32 [100000] 'bucket ") || says("barrier")))
    return who + "does not name the operation: " + outcome.text;
  if (has_begun && !says("last operations: ")) return who + "has no flight record: " + outcome.text;
  return "";
}

}  // namespace

const char* name(Fault fault) { return names[static_cast<int>(fault)]; }

Report inject(const Injection& in, const std::string& folder) {
  Processes processes(in.ranks, [&](const Rank& rank) { run_rank(in, rank, folder); });
  const auto start = store::Clock::now();
  double at = 0;
  if (in.fault == Fault::kill || in.fault == Fault::stop) {
    processes.wait_for_line(in.victim, in.timeout + 10);
    pause(in.delay);
    at = store::seconds_since(start);
    ::kill(processes.id(in.victim), in.fault == Fault::kill ? SIGKILL : SIGSTOP);
  }
  Report report;
  const double limit = at + in.timeout + 15;
  std::vector<int> survivors;
  for (int r = 0; r < in.ranks; ++r)
    if (r != in.victim) survivors.push_back(r);
  const bool stays = in.fault == Fault::stop || in.fault == Fault::late_start || in.fault == Fault::slow;
  const std::vector<Outcome> outcomes = processes.wait(limit, stays ? survivors : std::vector<int>{});
  for (const int r : survivors) {
    const Outcome& outcome = outcomes[static_cast<std::size_t>(r)];
    report.seconds = std::max(report.seconds, outcome.seconds - at);
    report.hung |= outcome.hung;
    if (const std::string complaint = judge(in, r, outcome); !complaint.empty()) report.complaint += complaint + "\n";
    if (report.said.empty()) report.said = outcome.text;
  }
  // Everything a rank started must have ended with it, so its port must be free.
  report.orphans = processes.orphans();
  if (report.orphans > 0) report.complaint += str(report.orphans, " processes are left\n");
  if (!stays && outcomes[static_cast<std::size_t>(in.victim)].hung) report.complaint += "the victim did not end\n";
  return report;
}

}  // namespace minima::test
