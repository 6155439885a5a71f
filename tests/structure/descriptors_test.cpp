#include "tests/structure/sample_tree.h"
#include "tests/structure/source_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

// A program that another thread starts inherits every descriptor that isn't close-on-exec: it keeps a port taken, a
// lock held and a removed file on disk. Setting FD_CLOEXEC afterwards comes too late, so the call that creates a
// descriptor asks for it. opendir, std::filesystem's iterators, shm_open and dlopen always do.

namespace structure::descriptors_test {
namespace {

namespace fs = std::filesystem;

struct Rule {
  const char* calls;   ///< the functions or types
  const char* unless;  ///< their statement has this; null: nothing helps
  const char* complaint;
  const char* only_if = "";  ///< tells calls of the system from members of the same name
};

constexpr Rule rules[] = {
    {R"((open|open64|openat)\s*\()", "CLOEXEC", "lacks O_CLOEXEC", R"(\bO_[A-Z]|(^|\W)::open)"},
    {R"(socket\s*\()", "CLOEXEC", "lacks SOCK_CLOEXEC", R"(\b[AP]F_|(^|\W)::socket\s*\()"},
    {R"((openat2|socketpair|accept4|pipe2|dup3|memfd_create|eventfd|epoll_create1|timerfd_create|signalfd|)"
     R"(inotify_init1|fanotify_init|userfaultfd|mkostemps?|recvm?msg)\s*\()",
     "CLOEXEC", "lacks the flag for close-on-exec"},
    {R"(syscall\s*\(\s*SYS_(perf_event_open|open|memfd_create|userfaultfd|fanotify|pidfd|bpf))", "CLOEXEC",
     "lacks the flag for close-on-exec"},
    {R"((fopen|fopen64|freopen|popen)\s*\()", R"("[rwa][b+xmc]*e[b+xmc]*")", "lacks the mode's e"},
    {R"(accept\s*\()", nullptr, "should be accept4", R"((^|\W)::accept\s*\(|nullptr, nullptr|sockaddr)"},
    {R"((pipe|dup|dup2|creat|mkstemps?|tmpfile|epoll_create|inotify_init|openpty)\s*\()", nullptr,
     "cannot ask for close-on-exec"},
    {R"(([io]?fstream|filebuf)\b)", nullptr, "cannot ask for close-on-exec, use read_to_end or AtomicFile"},
};

/// Whether a line may hold any of them: regular expressions take seconds for all sources.
bool may_create(const std::string& line) {
  static constexpr const char* parts[] = {"open", "socket", "accept", "pipe",   "dup",     "creat",   "fd",
                                          "temp", "tify",   "recv",   "stream", "syscall", "filebuf", "tmpfile"};
  return line.find("#include") == std::string::npos &&
         std::any_of(std::begin(parts), std::end(parts),
                     [&](const char* part) { return line.find(part) != std::string::npos; });
}

/// The code from a line to the end of its statement.
std::string statement_at(const std::vector<std::string>& lines, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < lines.size() && i < first + 6; ++i) {
    const std::string code = lines[i].substr(0, lines[i].find("//"));
    text += code + ' ';
    if (code.find_first_of(";{") != std::string::npos) break;
  }
  return text;
}

Complaints inheritable_descriptors(const std::vector<SourceFile>& files) {
  Complaints complaints;
  for (const Rule& rule : rules) {
    const std::regex call(std::string(R"((^|[^\w.>"]))") + rule.calls), unless(rule.unless ? rule.unless : "(?!)"),
        only_if(rule.only_if);
    for (const SourceFile& file : files)
      for (std::size_t i = 0; i < file.lines.size(); ++i) {
        const std::string line = file.lines[i].substr(0, file.lines[i].find("//"));
        if (!may_create(line) || !std::regex_search(line, call)) continue;
        const std::string statement = statement_at(file.lines, i);
        if (std::regex_search(statement, only_if) && !std::regex_search(statement, unless))
          complaints.push_back(file.path + ":" + std::to_string(i + 1) + " " + rule.complaint);
      }
  }
  return complaints;
}

TEST(Descriptors, AreCloseOnExecFromTheStart) {
  std::vector<std::string> folders = layers();
  folders.insert(folders.end(), {"tools", "simulated", "torch_api"});
  std::vector<SourceFile> files = sources_in(repository(), folders);
  std::erase_if(files, [](const SourceFile& file) { return file.path.starts_with("simulated/tests/"); });
  const Complaints complaints = inheritable_descriptors(files);
  EXPECT_TRUE(complaints.empty()) << to_text(complaints);
}

TEST(DescriptorsCheck, NamesFileAndLineOfCallsThatDoNotAsk) {
  const SampleTree tree;
  tree.write("io/a.cpp",
             "int a = open(path, O_RDONLY);\n"
             "int b = ::openat(folder, name,\n"
             "                 O_RDWR);\n"
             "int c = socket(AF_INET, SOCK_STREAM, 0);\n"
             "int d = ::accept(c, nullptr, nullptr);\n"
             "auto e = std::fopen(path, \"rb\");\n"
             "std::ifstream f(path);\n"
             "if (pipe(ends) != 0) return;\n"
             "auto g = memfd_create(\"g\", 0);\n");
  Complaints complaints = inheritable_descriptors(sources_in(tree.root(), {"io"}));
  std::sort(complaints.begin(), complaints.end());
  std::string lines;
  for (const std::string& complaint : complaints) lines += complaint.substr(0, complaint.find(' ')) + " ";
  EXPECT_EQ(lines, "io/a.cpp:1 io/a.cpp:2 io/a.cpp:4 io/a.cpp:5 io/a.cpp:6 io/a.cpp:7 io/a.cpp:8 io/a.cpp:9 ");
}

TEST(DescriptorsCheck, AcceptsCallsThatAskAndMembersOfTheSameNames) {
  const SampleTree tree;
  tree.write("io/a.cpp",
             "int a = open(path, O_RDONLY | O_CLOEXEC);\n"
             "int b = ::openat(folder, name,\n"
             "                 O_RDWR | O_CLOEXEC);\n"
             "auto c = std::fopen(path, \"rbe\");\n"
             "Stream open(const Context& context) const;\n"
             "if (accept('}')) stream = dataset.open(context);\n"
             "// std::ifstream's descriptor is inherited\n"
             "#include <fstream>\n");
  const Complaints complaints = inheritable_descriptors(sources_in(tree.root(), {"io"}));
  EXPECT_TRUE(complaints.empty()) << to_text(complaints);
}

}  // namespace
}  // namespace structure::descriptors_test
