#include <minima/profiler/chrome_trace.h>

#include <minima/io/text/json.h>
#include <minima/minima.h>
#include <minima/profiler/profile.h>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace minima::profiler::chrome_trace_test {
namespace {

TEST(ChromeTrace, ConnectsOperatorsWithTheirGradients) {
  const Tensor x = ones({4, 4}).requires_grad(true);
  Profile profile;
  {
    Range range("quoted \"name\"");
    sum(tanh(x)).backward();
  }
  const Json trace = Json::parse(profile.chrome_trace());
  std::map<std::string, int> slices;
  std::map<std::uint64_t, std::vector<std::string>> arrows;
  for (const Json& event : trace.at("traceEvents").items()) {
    const std::string& phase = event.at("ph").string();
    if (phase == "X") {
      EXPECT_GE(event.at("dur").number(), 0);
      ++slices[event.at("cat").string() + " " + event.at("name").string()];
    }
    if (phase == "s" || phase == "f") arrows[event.at("id").unsigned_integer()].push_back(phase);
  }
  EXPECT_EQ(slices["range quoted \"name\""], 1);
  EXPECT_EQ(slices["op tanh"], 1);
  EXPECT_EQ(slices["op sum"], 1);
  EXPECT_EQ(slices["gradient tanh"], 1);
  EXPECT_EQ(slices["gradient sum"], 1);
  EXPECT_EQ(arrows.size(), 2u);
  for (const auto& [id, phases] : arrows) EXPECT_EQ(phases, (std::vector<std::string>{"s", "f"}));
}

TEST(ChromeTrace, NamesMayHaveAnyBytes) {
  Profile profile;
  {
    Range range("caf\xe9 \xff");
    sum(ones({2}));
  }
  const Json trace = Json::parse(profile.chrome_trace());
  int found = 0;
  for (const Json& event : trace.at("traceEvents").items())
    if (const Json* name = event.find("name")) found += name->string() == "caf\uFFFD \uFFFD";
  EXPECT_EQ(found, 1);
  EXPECT_NO_THROW(profile.report().json().text());
}

}  // namespace
}  // namespace minima::profiler::chrome_trace_test
