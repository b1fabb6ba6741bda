#include "clients/cli/report/doctor_report.h"

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

constexpr const char* kDocument = R"({"findings":[
  {"name":"nvcc","state":"ok","needed":true,"detail":"13.0 at /usr/local/cuda/bin/nvcc"},
  {"name":"counters","state":"warning","needed":false,"detail":"tier T1","remedy":"allow them"},
  {"name":"gpu","state":"missing","needed":true,"detail":"none","remedy":"use a GPU machine"}]})";

TEST(DoctorReport, ShowsRemediesOfWhatDoesNotWork) {
  const auto findings = parse_findings(kDocument);
  ASSERT_TRUE(findings) << findings.error().message;

  EXPECT_FALSE(findings->usable());
  EXPECT_EQ(render_findings(*findings, {}, 100),
            "ok        nvcc      13.0 at /usr/local/cuda/bin/nvcc\n"
            "warning   counters  tier T1\n"
            "          -> allow them\n"
            "missing   gpu       none (needed)\n"
            "          -> use a GPU machine\n"
            "\nSomething that is needed is missing: no kernel can be judged here until it is "
            "fixed.\n");
}

TEST(DoctorReport, IsUsableWhenOnlyOptionalThingsAreMissing) {
  const auto findings =
      parse_findings(R"({"findings":[{"name":"counters","state":"missing","needed":false}]})");

  ASSERT_TRUE(findings);
  EXPECT_TRUE(findings->usable());
}

TEST(DoctorReport, RefusesOtherFormatsWithASentence) {
  for (const char* text :
       {"", "no json", "[]", R"({"findings":3})", R"({"findings":[{"state":"ok"}]})",
        R"({"findings":[{"name":"a","state":"splendid"}]})"}) {
    const auto findings = parse_findings(text);
    ASSERT_FALSE(findings) << text;
    EXPECT_EQ(findings.error().code, Errc::corrupt_data);
    EXPECT_NE(findings.error().message.find("warpmindd --doctor"), std::string::npos);
  }
}

}  // namespace
}  // namespace warpmind::clients
