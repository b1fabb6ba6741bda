#include "profilers/simulator/cudart/streams.h"

#include <atomic>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

Work lasting(double ns) {
  return [ns](double start_ns) { return start_ns + ns; };
}

/// A host function that waits until it is opened.
struct Gate {
  std::atomic<int> opened = 0;
  Work work() {
    return [this](double start_ns) {
      opened.wait(0);
      return start_ns;
    };
  }
  void open() {
    opened = 1;
    opened.notify_all();
  }
};

TEST(Streams, RunsAtOnceWhenNothingIsBefore) {
  StreamScheduler streams;
  bool ran = false;
  const auto stamp = streams.submit(streams.legacy(), [&](double start_ns) {
    ran = true;
    return start_ns + 5;
  });
  EXPECT_TRUE(ran);
  EXPECT_TRUE(streams.done(*stamp));
  EXPECT_EQ(stamp->ns, 5);
}

TEST(Streams, ClockAddsUpWithinAStream) {
  StreamScheduler streams;
  const auto stream = streams.create(StreamKind::non_blocking, 0);
  const auto other = streams.create(StreamKind::non_blocking, 0);
  streams.submit(stream, lasting(10));
  const auto second = streams.submit(stream, lasting(20));
  const auto beside = streams.submit(other, lasting(7));
  EXPECT_EQ(second->ns, 30);
  EXPECT_EQ(beside->ns, 7);
  streams.add_wait(other, second);
  EXPECT_EQ(streams.submit(other, lasting(1))->ns, 31);
}

TEST(Streams, WhatFollowsAWaitOfTheHostStartsAfterIt) {
  StreamScheduler streams;
  const auto stream = streams.create(StreamKind::non_blocking, 0);
  const auto other = streams.create(StreamKind::non_blocking, 0);
  streams.submit(stream, lasting(10));
  streams.wait(stream);
  EXPECT_EQ(streams.submit(other, lasting(1))->ns, 11);
}

TEST(Streams, DefaultStreamIsOrderedWithBlockingOnes) {
  StreamScheduler streams;
  const auto blocking = streams.create(StreamKind::blocking, 0);
  const auto free = streams.create(StreamKind::non_blocking, 0);
  streams.submit(blocking, lasting(10));
  EXPECT_EQ(streams.submit(streams.legacy(), lasting(1))->ns, 11);
  EXPECT_EQ(streams.submit(blocking, lasting(1))->ns, 12);
  EXPECT_EQ(streams.submit(free, lasting(1))->ns, 1);
}

TEST(Streams, GateHoldsItsStreamOnly) {
  StreamScheduler streams;
  const auto gated = streams.create(StreamKind::non_blocking, 0);
  const auto other = streams.create(StreamKind::non_blocking, 0);
  Gate gate;
  std::string order;
  streams.submit(gated, gate.work(), true);
  const auto behind = streams.submit(gated, [&](double start_ns) {
    order += 'b';
    return start_ns + 3;
  });
  EXPECT_FALSE(streams.is_free(*gated));
  EXPECT_TRUE(streams.is_free(*other));
  streams.submit(other, [&](double start_ns) {
    order += 'a';
    return start_ns;
  });
  EXPECT_FALSE(streams.done(*behind));
  gate.open();
  streams.wait(*behind);
  EXPECT_EQ(order, "ab");
  EXPECT_EQ(behind->ns, 3);
  streams.wait_all();
}

TEST(Streams, WaitsReachThroughGates) {
  StreamScheduler streams;
  const auto gated = streams.create(StreamKind::blocking, 0);
  const auto after = streams.create(StreamKind::non_blocking, 0);
  Gate gate;
  streams.submit(gated, gate.work(), true);
  const auto last = streams.submit(gated, lasting(5));
  streams.add_wait(after, last);
  const auto waiting = streams.submit(after, lasting(2));
  // The default stream waits for blocking streams, so it queues, too.
  const auto legacy = streams.submit(streams.legacy(), lasting(1));
  EXPECT_FALSE(streams.done(*waiting));
  EXPECT_FALSE(streams.done(*legacy));
  gate.open();
  streams.wait_all();
  EXPECT_EQ(waiting->ns, 7);
  EXPECT_EQ(legacy->ns, 6);
}

TEST(Streams, ForgottenStreamsFinish) {
  StreamScheduler streams;
  auto stream = streams.create(StreamKind::non_blocking, 0);
  Gate gate;
  std::atomic<bool> ran = false;
  streams.submit(stream, gate.work(), true);
  streams.submit(stream, [&](double start_ns) {
    ran = true;
    return start_ns;
  });
  streams.forget(stream);
  stream.reset();
  gate.open();
  streams.wait_all();
  EXPECT_TRUE(ran);
}

TEST(Streams, ManyOperationsBehindAGateKeepTheirOrder) {
  StreamScheduler streams;
  const auto stream = streams.create(StreamKind::non_blocking, 0);
  Gate gate;
  streams.submit(stream, gate.work(), true);
  std::vector<int> order;
  for (int i = 0; i < 1000; ++i) {
    streams.submit(stream, [&order, i](double start_ns) {
      order.push_back(i);
      return start_ns;
    });
  }
  gate.open();
  streams.wait(stream);
  ASSERT_EQ(order.size(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

}  // namespace
}  // namespace warpmind::simulator
