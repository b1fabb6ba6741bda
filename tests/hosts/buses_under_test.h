#pragma once
/// \file
/// Both engines of the buses, for suites that hold for both.

#include "daemon/hosts/buses.h"
#include "tests/fakes/memory_buses.h"
#include "tests/hosts/nats_server.h"

#include <chrono>
#include <memory>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

namespace warpmind::tests {

inline constexpr std::chrono::milliseconds kTestLease{1000};

struct BusesUnderTest {
  std::unique_ptr<NatsServer> server = nullptr;  ///< engine nats only
  daemon::hosts::Buses buses = {};
  std::string skip = {};
};

inline BusesUnderTest memory_buses() {
  BusesUnderTest made;
  made.buses = {std::make_shared<fakes::MemoryEvaluationBus>(kTestLease),
                std::make_shared<fakes::MemoryClaimBus>()};
  return made;
}

inline BusesUnderTest nats_buses() {
  BusesUnderTest made;
  auto server = NatsServer::start();
  if (!server) {
    made.skip = server.error().message;
    return made;
  }
  made.server = std::move(*server);
  auto buses = daemon::hosts::open_nats({made.server->url(), "", {}, "test", kTestLease});
  if (!buses) {
    made.skip = buses.error().message;
    return made;
  }
  made.buses = std::move(*buses);
  return made;
}

struct Engine {
  const char* name;
  BusesUnderTest (*make)();
};
inline std::ostream& operator<<(std::ostream& out, const Engine& engine) {
  return out << engine.name;
}
inline std::string name_of_engine(const ::testing::TestParamInfo<Engine>& info) {
  return info.param.name;
}

/// SetUp skips with the reason where an engine cannot be had here.
class BothEngines : public ::testing::TestWithParam<Engine> {
 protected:
  void SetUp() override {
    under_test_ = GetParam().make();
    if (!under_test_.skip.empty()) GTEST_SKIP() << under_test_.skip;
  }
  daemon::hosts::EvaluationBus& evaluations() { return *under_test_.buses.evaluations; }
  daemon::hosts::ClaimBus& claims() { return *under_test_.buses.claims; }

  BusesUnderTest under_test_;
};

inline const auto kEngines =
    ::testing::Values(Engine{"local", memory_buses}, Engine{"nats", nats_buses});

}  // namespace warpmind::tests
