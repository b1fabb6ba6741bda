#include "profilers/health/sanity_probe.h"

#include "lab_places.h"

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::HasSubstr;

/// fake_runner plays a device that is well, wrong, dead or slow to answer.
class SanityProbeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto sandbox = Sandbox::create(config::LabSettings{});
    ASSERT_TRUE(sandbox) << sandbox.error().message;
    sandbox_.emplace(std::move(*sandbox));
  }

  Result<ProbeReport> probe(const std::string& behaviour, const std::string& kind,
                            double run_s = 60) {
    RunnerPlace place{places_.runner(behaviour), places_.path() / "scratch", {}, 0};
    place.on_bad_end = [this](const AbnormalEnd&) {
      ++heard_;
      return std::string();
    };
    ProbeSettings settings;
    settings.bytes = 3'000'000;  // more than one chunk of the comparison, and no round number
    settings.run_s = run_s;
    const auto binary = places_.write("binary", kind);
    const SanityProbe made(
        *sandbox_, std::move(place),
        [this, binary](const std::string& source, const std::string& architecture,
                       const std::stop_token&) -> Result<std::filesystem::path> {
          asked_ = architecture + " " + source;
          return binary;
        },
        settings);
    auto report = made.probe_device({});
    EXPECT_THAT(places_.processes(), ::testing::IsEmpty());
    return report;
  }

  std::string trouble(const std::string& behaviour, const std::string& kind, double run_s = 60) {
    const auto report = probe(behaviour, kind, run_s);
    EXPECT_TRUE(report) << report.error().message;
    return report ? report->trouble : "";
  }

  LabPlaces places_;
  std::optional<Sandbox> sandbox_;
  std::string asked_;
  int heard_ = 0;
};

TEST_F(SanityProbeTest, AHealthyDeviceIsRightAndTimed) {
  const auto report = probe("stand_in", "kind_right");

  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->trouble, "");
  EXPECT_NEAR(report->time_ns, 100'000, 1000);
  EXPECT_EQ(report->stuck, nullptr);
  EXPECT_THAT(asked_, HasSubstr("sm_90 extern \"C\" __global__ void warpmind_sanity"));
}

TEST_F(SanityProbeTest, OneWrongElementIsFound) {
  EXPECT_EQ(trouble("stand_in", "kind_wrong"), "element 749999 of a known answer is wrong");
}

TEST_F(SanityProbeTest, EveryBadEndIsTrouble) {
  EXPECT_THAT(trouble("stand_in", "kind_crash"), HasSubstr("signal 11"));
  EXPECT_THAT(trouble("stand_in", "kind_hang", 0.3), HasSubstr("did not finish within its time"));
  EXPECT_THAT(trouble("stand_in", "kind_launch"), HasSubstr("cudaErrorInvalidValue"));
  EXPECT_THAT(trouble("no_device", "kind_right"), HasSubstr("no CUDA device"));
  EXPECT_THAT(trouble("garbage", "kind_right"), HasSubstr("cannot be read"));
  EXPECT_EQ(heard_, 0) << "the ladder must not climb because of its own probe";
}

}  // namespace
}  // namespace warpmind::profilers
