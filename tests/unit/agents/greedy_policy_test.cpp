#include "agents/search/greedy_policy.h"

#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

const std::vector<Move> kMoves{{"a", "1", 1.2}, {"a", "2", 1.2}, {"b", "", 1.1}};

TEST(GreedyPolicy, TakesTheBestGuessFirstAndNothingTwice) {
  GreedyPolicy policy;
  std::vector<std::string> order;
  while (const auto move = policy.next(kMoves, {})) {
    order.push_back(move->technique + move->parameters);
    policy.tried(*move);
  }

  EXPECT_EQ(order, (std::vector<std::string>{"a1", "a2", "b"}));
}

TEST(GreedyPolicy, EvidenceOutweighsTheGuess) {
  Advice advice;
  advice.techniques = {{"b", 2.0, 1.5, 2.5, 0.9, 5, "device", ""}};

  EXPECT_EQ(GreedyPolicy().next(kMoves, advice)->technique, "b");
}

TEST(GreedyPolicy, WhatNeverBuildsComesLast) {
  Advice advice;
  advice.techniques = {{"a", 1.2, 1.0, 1.4, 0.1, 0, "prior", ""}};

  EXPECT_EQ(GreedyPolicy().next(kMoves, advice)->technique, "b");
}

TEST(GreedyPolicy, MissesLetOtherTechniquesHaveTheirTurn) {
  GreedyPolicy policy;
  policy.tried(kMoves[0]);
  policy.learned(kMoves[0], false);

  EXPECT_EQ(policy.next(kMoves, {})->technique, "b");
}

TEST(GreedyPolicy, AMoveThatMissedComesAfterOthersOnTheNextIncumbent) {
  const std::vector<Move> moves{{"a", "1", 1.3}, {"a", "2", 1.2}};
  GreedyPolicy policy;
  policy.tried(moves[0]);
  policy.learned(moves[0], false);

  policy.incumbent_changed();

  EXPECT_EQ(policy.next(moves, {})->parameters, "2");
}

TEST(GreedyPolicy, ANewIncumbentOpensEveryMoveAgain) {
  GreedyPolicy policy;
  for (const auto& move : kMoves) policy.tried(move);
  EXPECT_FALSE(policy.next(kMoves, {}).has_value());

  policy.incumbent_changed();

  EXPECT_TRUE(policy.next(kMoves, {}).has_value());
}

}  // namespace
}  // namespace warpmind::agents
