#include "tests/distributed/processes.h"

#include <minima/distributed/in_process.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace minima::test {

namespace {

/// All distributed tests run with the checker of placements, unless the environment says otherwise.
[[maybe_unused]] const bool asks_for_checks = setenv("MINIMA_DISTRIBUTED_CHECK", "1", 0) == 0;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

int free_port() {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) != 0) throw std::runtime_error("no free port");
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(descriptor);
  return ntohs(address.sin_port);
}

void Rank::say(const std::string& text) const {
  if (::write(pipe, text.data(), text.size()) < 0) ::_exit(3);
}

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("not so: " + what);
}

Processes::Processes(int count, const Function<void(const Rank&)>& main) : start_(now()) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // adopt orphans of our children
  const int port = free_port();
  for (int r = 0; r < count; ++r) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    const pid_t parent = ::getpid(), child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(3);
      ::close(ends[0]);
      Rank rank{
          {.rank = r, .world_size = count, .local_rank = r, .local_world_size = count, .port = port, .token = "test"},
          ends[1]};
      try {
        main(rank);
      } catch (const std::exception& error) {
        rank.say(error.what());
        ::_exit(1);
      }
      ::_exit(0);
    }
    ::close(ends[1]);
    children_.push_back({.id = child, .pipe = ends[0], .outcome = {}});
  }
}

Processes::~Processes() {
  for (Child& child : children_) {
    if (!child.has_ended) {
      ::kill(child.id, SIGKILL);
      ::waitpid(child.id, nullptr, 0);
    }
    ::close(child.pipe);
  }
}

int Processes::orphans() const {
  int count = 0;
  while (::waitpid(-1, nullptr, WNOHANG) > 0) ++count;  // adopted by us, see the constructor
  return count + (::waitpid(-1, nullptr, WNOHANG) == 0 ? 1 : 0);
}

void Processes::collect(Child& child) {
  int status = 0;
  if (::waitpid(child.id, &status, WNOHANG) != child.id) return;
  child.has_ended = true;
  child.outcome.seconds = now() - start_;
  child.outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  char buffer[4096];
  for (ssize_t n; (n = ::read(child.pipe, buffer, sizeof buffer)) > 0;)
    child.outcome.text.append(buffer, static_cast<std::size_t>(n));
}

void Processes::wait_for_line(int rank, double limit) {
  pollfd entry{children_.at(static_cast<std::size_t>(rank)).pipe, POLLIN, 0};
  ::poll(&entry, 1, static_cast<int>(limit * 1000));
}

std::vector<Outcome> Processes::wait(double limit, const std::vector<int>& ranks) {
  for (bool all = false; !all && now() - start_ < limit;) {
    all = true;
    for (std::size_t r = 0; r < children_.size(); ++r) {
      if (!children_[r].has_ended) collect(children_[r]);
      const bool counts = ranks.empty() || std::find(ranks.begin(), ranks.end(), static_cast<int>(r)) != ranks.end();
      all &= children_[r].has_ended || !counts;
    }
    if (!all) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  std::vector<Outcome> outcomes;
  for (Child& child : children_) {
    if (!child.has_ended) {
      child.outcome.hung = true;
      ::kill(child.id, SIGKILL);
      ::waitpid(child.id, nullptr, 0);
      child.has_ended = true;
    }
    outcomes.push_back(child.outcome);
  }
  return outcomes;
}

void run_processes(int count, const Function<void(ProcessGroup&)>& body, InitOptions options) {
  options.backend = "gloo";
  Processes processes(count, [&](const Rank& rank) {
    ProcessGroup group = distributed::init(rank.environment, options);
    body(group);
  });
  const std::vector<Outcome> outcomes = processes.wait(60);
  for (std::size_t r = 0; r < outcomes.size(); ++r) {
    EXPECT_EQ(outcomes[r].exit_code, 0) << "rank " << r << " of " << count << " said: " << outcomes[r].text;
    EXPECT_FALSE(outcomes[r].hung) << "rank " << r;
  }
}

void run_threads(int count, const Function<void(ProcessGroup&)>& body) {
  std::vector<ProcessGroup> groups = distributed::in_process_groups(count, 20);
  std::vector<std::string> said(groups.size());
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < groups.size(); ++r)
    threads.emplace_back([&, r] {
      try {
        body(groups[r]);
      } catch (const std::exception& error) {
        said[r] = error.what();
        groups[r] = {};  // the others need not wait for us
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t r = 0; r < said.size(); ++r) EXPECT_EQ(said[r], "") << "rank " << r << " of " << count;
}

}  // namespace minima::test
