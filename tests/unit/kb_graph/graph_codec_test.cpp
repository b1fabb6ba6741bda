#include "knowledge_base/graph/graph_codec.h"

#include "base/file.h"
#include "knowledge_base/key_codec.h"

#include <cstdlib>
#include <limits>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

using testing::HasSubstr;

// The values in the golden files. Never change them, nor the files: add files for a new version.

EdgeStatistics golden_edge() {
  EdgeStatistics edge;
  edge.from = "tiling";
  edge.to = "unroll";
  edge.cluster = "memory_latency/2";
  edge.device = "NVIDIA H200";
  edge.provider = Provider::sim;
  edge.counts = {{3, 0.25, 0.5}, {0.5, -0.125, 0}, 4, 1, {}, {}, {"13.0", "580.1"}};
  edge.better = 2;
  edge.examples = {{EpisodeId("e-0000000007"), 4, TaskId("t-0123456789abcdef"), "elementwise",
                    KernelId("k-1"), KernelId("k-2"), 0.75, "factor=4"}};
  edge.failures = {{"build_failed", 1}};
  return edge;
}

StateCluster golden_cluster() {
  return {"memory_latency/2",
          "memory_latency, state 2 found in the data",
          BottleneckClass::memory_latency,
          {{"dram_share", 0.125}, {"lanes", 1}},
          17,
          "memory_latency/1",
          "data"};
}

/// Bytes of a golden file. With WARPMIND_WRITE_GOLDEN set, a file that does not exist is written
/// first; one that exists is never changed.
std::string golden(const std::string& name, const Result<std::string>& now) {
  const std::filesystem::path path =
      std::filesystem::path(WARPMIND_TEST_DATA) / "records" / "v1" / (name + ".bin");
  if (std::getenv("WARPMIND_WRITE_GOLDEN") != nullptr && !std::filesystem::exists(path)) {
    EXPECT_TRUE(write_file_atomic(path, now.value()).has_value());
  }
  return read_file(path, 1U << 20U).value();
}

TEST(GraphCodec, GoldenRecordsOfVersion1AreReadByEveryBuild) {
  EXPECT_EQ(decode_edge(golden("edge", encode_edge(golden_edge()))).value(), golden_edge());
  EXPECT_EQ(decode_cluster(golden("cluster", encode_cluster(golden_cluster()))).value(),
            golden_cluster());
  EXPECT_EQ(
      decode_step_cluster(golden("step_cluster", encode_step_cluster("memory_latency/2"))).value(),
      "memory_latency/2");
}

TEST(GraphCodec, WhatCannotBeReadAgainIsNotWritten) {
  EdgeStatistics edge = golden_edge();
  edge.counts.confirmed.mean = std::numeric_limits<double>::infinity();
  EXPECT_THAT(encode_edge(edge).error().message, HasSubstr("not finite"));
}

TEST(GraphCodec, DamagedBytesAreCorruptDataNeverMore) {
  const std::string edge = encode_edge(golden_edge()).value();
  const std::string cluster = encode_cluster(golden_cluster()).value();
  for (std::size_t length = 0; length < edge.size(); ++length) {
    const auto decoded = decode_edge(std::string_view(edge).substr(0, length));
    ASSERT_FALSE(decoded.has_value()) << length;
    EXPECT_EQ(decoded.error().code, Errc::corrupt_data);
  }
  for (std::size_t length = 0; length < cluster.size(); ++length) {
    ASSERT_FALSE(decode_cluster(std::string_view(cluster).substr(0, length)).has_value());
  }
  std::string newer = edge;
  newer[0] = 2;
  EXPECT_THAT(decode_edge(newer).error().message, HasSubstr("newer build"));
  EXPECT_FALSE(decode_edge("\1{\"examples\":[3]}").has_value());
  EXPECT_FALSE(decode_edge("\1{\"counts\":7}").has_value());
}

TEST(GraphKeys, AreApartAndUnderTheirPrefixes) {
  const EdgeKey key{{Provider::gpu, "a", "b", "memory_latency/2", "", "NVIDIA H200"},
                    EdgeLevel::device};
  std::set<std::string> keys;
  for (const auto level :
       {EdgeLevel::edge, EdgeLevel::cluster, EdgeLevel::family, EdgeLevel::device}) {
    for (const auto provider : {Provider::gpu, Provider::sim}) {
      // A separator inside a name makes no other name.
      for (const std::string& from : {std::string(), std::string("a"), std::string("a\0b", 3)}) {
        EdgeKey other = key;
        other.level = level;
        other.provider = provider;
        other.from = from;
        EXPECT_TRUE(edge_key(other).starts_with(edge_prefix(level, provider)));
        EXPECT_TRUE(is_record_key(edge_key(other)));
        keys.insert(edge_key(other));
      }
    }
  }
  EXPECT_EQ(keys.size(), 24U);
  EdgeKey shifted = key;
  shifted.from = "ab";
  shifted.to = "";
  EXPECT_NE(edge_key(shifted), edge_key(key));
  const auto cluster = cluster_key(BottleneckClass::memory_latency, "memory_latency/2");
  EXPECT_TRUE(cluster.starts_with(cluster_prefix(BottleneckClass::memory_latency)));
  EXPECT_FALSE(is_record_key(cluster)) << "not counted";
  EXPECT_FALSE(is_record_key(step_cluster_key(7, 4)));
  EXPECT_LT(step_cluster_key(7, 4), step_cluster_key(7, 5));
  EXPECT_LT(step_cluster_key(7, 5), step_cluster_key(8, 0));
}

}  // namespace
}  // namespace warpmind::knowledge_base
