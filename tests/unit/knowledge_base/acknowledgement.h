#pragma once
/// \file
/// What the child of a kill test tells its parent, and the episodes that both can make.

#include "base/hash.h"
#include "tests/fakes/sample_episodes.h"

#include <cstdint>
#include <cstring>
#include <string>

namespace warpmind::knowledge_base {

/// One acknowledged episode. The checksum tells a torn or foreign frame from a true one: a crash
/// test that goes red must first be suspected itself.
struct Acknowledgement {
  std::int64_t number = 0;
  std::int64_t sequence = 0;
  std::uint64_t checksum = 0;
};

[[nodiscard]] inline Acknowledgement acknowledge(std::int64_t number, std::int64_t sequence) {
  const Digest digest = sha256(std::to_string(number) + "/" + std::to_string(sequence));
  Acknowledgement frame{number, sequence, 0};
  std::memcpy(&frame.checksum, digest.data(), sizeof frame.checksum);
  return frame;
}

[[nodiscard]] inline bool is_genuine(const Acknowledgement& frame) {
  return acknowledge(frame.number, frame.sequence).checksum == frame.checksum;
}

/// A function of its number: the parent makes the episode again to compare.
[[nodiscard]] inline Episode episode_for(std::int64_t number, const Task& task) {
  return fakes::sample_episode(number, task, 1 + static_cast<int>(number % 4));
}

}  // namespace warpmind::knowledge_base
