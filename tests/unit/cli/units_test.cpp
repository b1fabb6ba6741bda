#include "clients/cli/report/units.h"

#include <cmath>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

TEST(Units, TimeKeepsThreeDigitsAndNeverSkipsAUnit) {
  EXPECT_EQ(format_time(0), "0.00 ns");
  EXPECT_EQ(format_time(833), "833 ns");
  EXPECT_EQ(format_time(533'240), "533 µs");
  EXPECT_EQ(format_time(7'061), "7.06 µs");
  EXPECT_EQ(format_time(21'440), "21.4 µs");
  EXPECT_EQ(format_time(1'204'000), "1.20 ms");
  EXPECT_EQ(format_time(2.5e9), "2.50 s");
  EXPECT_EQ(format_time(999.6), "1.00 µs");
  EXPECT_EQ(format_time(999'600), "1.00 ms");
}

TEST(Units, RatioShowsHalfAPercentNearOne) {
  EXPECT_EQ(format_ratio(1.005), "1.005×");
  EXPECT_EQ(format_ratio(2.306), "2.31×");
  EXPECT_EQ(format_ratio(31.419), "31.4×");
  EXPECT_EQ(format_ratio(816.04), "816×");
  EXPECT_EQ(format_ratio(1315), "1315×");
  EXPECT_EQ(format_ratio(NAN), "?×");
}

TEST(Units, RoughRatiosHaveTwoDigits) {
  EXPECT_EQ(format_rough(31.42), "31×");
  EXPECT_EQ(format_rough(2.306), "2.3×");
  EXPECT_EQ(format_rough(2870.7), "2871×");
  EXPECT_EQ(format_rough(1.005), "1.005×");
  EXPECT_EQ(format_rough(NAN), "?×");
}

TEST(Units, PercentDropsAnEmptyDecimal) {
  EXPECT_EQ(format_percent_of(0.99), "99 %");
  EXPECT_EQ(format_percent_of(0.995), "99.5 %");
}

TEST(Units, BytesAreIec) {
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(12 * 1024), "12.0 KiB");
  EXPECT_EQ(format_bytes(3.5 * 1024 * 1024), "3.50 MiB");
  EXPECT_EQ(format_bytes(1024.0 * 1024 * 1024), "1.00 GiB");
}

TEST(Units, CountsAreGrouped) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1 000");
  EXPECT_EQ(format_count(-1'234'567), "-1 234 567");
}

TEST(Units, ShortNumbersDropEmptyDecimals) {
  EXPECT_EQ(format_short(32), "32");
  EXPECT_EQ(format_short(4.256), "4.26");
  EXPECT_EQ(format_short(31.44), "31.4");
  EXPECT_EQ(format_short(12'345.6), "12 346");
}

TEST(Units, DurationReadsLikeAClock) {
  EXPECT_EQ(format_duration(0.42), "0.42 s");
  EXPECT_EQ(format_duration(12), "12.0 s");
  EXPECT_EQ(format_duration(200), "3 min 20 s");
  EXPECT_EQ(format_duration(7500), "2 h 5 min");
  EXPECT_EQ(format_duration(-1), "unknown time");
}

TEST(Units, EveryMetricCarriesItsUnit) {
  EXPECT_EQ(format_metric(533'000, "ns"), "533 µs");
  EXPECT_EQ(format_metric(67'108'864, "bytes"), "64.0 MiB");
  EXPECT_EQ(format_metric(12.5, "percent"), "12.50 %");
  EXPECT_EQ(format_metric(40, "registers"), "40 registers");
  EXPECT_EQ(format_metric(4.25, "sectors/request"), "4.250 sectors/request");
  EXPECT_EQ(format_metric(1'234'567, "count"), "1 234 567 count");
  EXPECT_EQ(format_metric(25'165'824.5, "count"), "25 165 825 count");
  EXPECT_EQ(format_metric(INFINITY, "ratio"), "not finite ratio");
  EXPECT_EQ(format_metric(3, ""), "3 (no unit)");
}

TEST(Units, MomentIsUtc) {
  EXPECT_EQ(format_moment(0), "never");
  EXPECT_EQ(format_moment(1'000'000'000'000), "2001-09-09 01:46:40 UTC");
}

}  // namespace
}  // namespace warpmind::clients
