/// \file
/// Sources in unusual shape (line ends, tabs, UTF-8 names, names of ours): whatever a technique
/// offers for them builds and computes the same.

#include "tests/unit/builtin/strange_sources.h"

#include "tests/integration/builtin/rewrite_check.h"

#include <algorithm>

namespace warpmind::rewrites {
namespace {

class StrangeSources : public RewriteTest, public testing::WithParamInterface<const char*> {};

TEST_P(StrangeSources, EveryTechniqueKeepsTheResult) {
  const auto all = agents::builtin::strange_sources();
  const auto strange =
      std::find_if(all.begin(), all.end(), [](const auto& s) { return s.name == GetParam(); });
  ASSERT_NE(strange, all.end());
  Task task = agents::builtin::strange_task(*strange);
  task.arguments[0].distributions = {Distribution::exact};
  int checked = 0;
  for (const auto& technique : agents::builtin::techniques()) {
    const auto offer = offer_of(task, std::string(technique.name), situation);
    ASSERT_TRUE(offer.has_value()) << offer.error().message;
    if (offer->moves.empty()) continue;
    expect_same(task, std::string(technique.name), offer->moves.front().parameters);
    ++checked;
  }
  EXPECT_GE(checked, 4);
}

INSTANTIATE_TEST_SUITE_P(All, StrangeSources,
                         testing::Values("crlf", "tabs", "utf-8 names", "names of ours",
                                         "kernel in a namespace"));

}  // namespace
}  // namespace warpmind::rewrites
