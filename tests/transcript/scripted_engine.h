#pragma once
/// \file
/// A job engine without a lab: the budget of a job says what happens. Everything around it, the
/// base included, is the real thing.

#include "daemon/application.h"

namespace warpmind::tests {

/// evaluations = 0: reports one step, then works until stopped.
/// evaluations = n: reports n steps and commits an episode.
/// seconds = 13: the process dies in the middle, without notice.
/// seconds = 14: the runner fails.
[[nodiscard]] Result<std::unique_ptr<daemon::JobEngine>> make_scripted_engine(
    knowledge_base::KnowledgeBase& base, const config::Settings& settings, const Clock& clock);

/// An episode that only judged the given kernel.
[[nodiscard]] Episode scripted_episode(const Job& job, UnixMillis now);

}  // namespace warpmind::tests
