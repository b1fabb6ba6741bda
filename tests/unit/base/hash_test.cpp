#include "base/hash.h"

#include <gtest/gtest.h>

namespace warpmind {
namespace {

TEST(Hash, MatchesThePublishedVector) {
  // FIPS 180-2, appendix B.1: SHA-256 of "abc".
  EXPECT_EQ(to_hex(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(short_hash("abc"), "ba7816bf8f01cfea");
}

TEST(Hash, JoinedPartsCannotBeConfused) {
  EXPECT_NE(hash_input({"ab", "c"}), hash_input({"a", "bc"}));
  EXPECT_NE(hash_input({"", "a"}), hash_input({"a", ""}));
}

}  // namespace
}  // namespace warpmind
