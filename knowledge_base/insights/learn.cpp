#include "base/log.h"
#include "knowledge_base/insights/claim_scope.h"
#include "knowledge_base/insights/insight_writer.h"
#include "knowledge_base/insights/near_duplicates.h"
#include "knowledge_base/insights/reflection.h"
#include "knowledge_base/insights/wording.h"

#include <algorithm>
#include <set>

namespace warpmind::knowledge_base {
namespace {

/// Claims of other people about the same thing that get a measurement.
constexpr std::size_t kMostCovering = 16;
/// Sets of parameters of one technique that are looked up when they did not help.
constexpr std::size_t kMostParameters = 256;
constexpr std::size_t kLeastFailures = 2;

/// Writes what one episode teaches. One an episode.
class Lesson {
 public:
  Lesson(InsightWriter& writer, const Episode& episode, std::vector<Dtype> dtypes)
      : writer_(writer), episode_(episode), dtypes_(std::move(dtypes)) {}

  Result<void> learn(const TechniqueTries& group) {
    std::set<std::string> seen;
    for (const auto& made : group.tries) {
      if (made.gained) {
        WARPMIND_CHECK(add(positive(group, made), evidence(made.step, true)));
      }
      if (!made.gained && seen.size() >= kMostParameters) continue;
      seen.insert(made.parameters);
      if (!made.parameters.empty()) {
        WARPMIND_CHECK(tell(claim(group, InsightKind::positive, made.parameters),
                            evidence(made.step, made.gained)));
      }
    }
    return learn_as_whole(group);
  }

  Result<void> learn_sequence(const std::vector<std::string>& sequence,
                              const std::vector<TechniqueTries>& groups) {
    const auto way = way_to(episode_, static_cast<std::size_t>(episode_.best_step));
    const std::size_t position = way.front();
    const BottleneckClass begin = episode_.steps[position].before.primary;
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const TechniqueTries& g) {
      return g.technique == sequence.front() && g.bottleneck == begin;
    });
    if (group == groups.end()) return {};
    Insight insight = claim(*group, InsightKind::composite, "");
    insight.action.techniques = sequence;
    describe(insight, *group, position);
    insight.mechanism = parameters_on(way);
    const auto cited = evidence(static_cast<std::size_t>(episode_.best_step), true);
    WARPMIND_CHECK(add(insight, cited));
    return tell(insight, cited);
  }

 private:
  /// What is said of the technique without parameters gets one measurement an episode: its best
  /// try, for a sweep that found something is a success however many of its points lost.
  Result<void> learn_as_whole(const TechniqueTries& group) {
    const TechniqueTry& best = group.best();
    const auto cited = evidence(best.step, best.gained);
    WARPMIND_CHECK(tell(claim(group, InsightKind::positive, ""), cited));
    Insight negative = claim(group, InsightKind::negative, "");
    auto turned_round = turned(cited);
    if (!best.gained && group.tries.size() >= kLeastFailures) {
      describe(negative, group, best.step);
      WARPMIND_CHECK(add(negative, turned_round));
    }
    return tell(negative, turned_round);
  }

  [[nodiscard]] Insight claim(const TechniqueTries& group, InsightKind kind,
                              const std::string& parameters) const {
    return claim_about(
        episode_, dtypes_, kind,
        {group.technique, parameters, group.bottleneck, group.device, group.toolkit});
  }

  [[nodiscard]] Insight positive(const TechniqueTries& group, const TechniqueTry& made) const {
    Insight insight = claim(group, InsightKind::positive, made.parameters);
    describe(insight, group, made.step);
    return insight;
  }

  /// Wording and signatures, which its id does not depend on.
  void describe(Insight& insight, const TechniqueTries& group, std::size_t position) const {
    insight.claim = claim_text(insight);
    insight.provenance.author = episode_.steps[position].candidate.proposer;
    sign(insight, episode_, position, group.device);
  }

  [[nodiscard]] std::string parameters_on(const std::vector<std::size_t>& way) const {
    std::string text;
    for (const std::size_t i : way) {
      const Step& step = episode_.steps[i];
      if (step.candidate.parameters.empty()) continue;
      text += (text.empty() ? "measured with " : "; ") + step.candidate.technique + " " +
              step.candidate.parameters;
    }
    return shortened(text, 400);
  }

  /// The rest is read from the step when it is checked.
  [[nodiscard]] EvidenceRef evidence(std::size_t step, bool supports) const {
    EvidenceRef cited;
    cited.episode = episode_.id;
    cited.step = static_cast<std::int64_t>(step);
    cited.provider = episode_.provider;
    cited.supports = supports;
    return cited;
  }

  [[nodiscard]] InsightEvent saying(Insight content, const EvidenceRef& cited) const {
    InsightEvent event;
    event.op = InsightOp::add;
    event.actor = {"episode " + episode_.id.str(), ""};
    event.at = episode_.finished;
    content.evidence = {cited};
    event.content = std::move(content);
    return event;
  }

  /// A proposer's odd names and parameters teach nothing; they must not cost the episode.
  static Result<void> unless_refused(const Result<Insight>& done) {
    if (done) return {};
    if (done.error().code != Errc::invalid_argument) return fail(done.error());
    log::warn("knowledge_base", "a step taught nothing", {{"why", done.error().message}});
    return {};
  }

  Result<void> add(const Insight& insight, const EvidenceRef& cited) {
    return unless_refused(writer_.add_or_confirm(saying(insight, cited)));
  }

  /// Gives the measurement to every claim that covers the situation and has it not yet.
  Result<void> tell(const Insight& like, const EvidenceRef& cited) {
    WARPMIND_TRY(const auto ids, find_covering(writer_.reader(), like, kMostCovering));
    for (const auto& id : ids) {
      WARPMIND_CHECK(unless_refused(writer_.confirm(id, saying(like, cited))));
    }
    return {};
  }

  InsightWriter& writer_;
  const Episode& episode_;
  const std::vector<Dtype> dtypes_;
};

}  // namespace

Result<std::vector<std::string>> learn_insights(InsightWriter& writer, const Episode& episode) {
  const auto groups = tries_of(episode);
  std::vector<std::string> lines;
  if (groups.empty()) return lines;
  const std::size_t before = writer.touched().size();
  WARPMIND_TRY(auto dtypes, dtypes_of(writer.reader(), episode.task));
  Lesson lesson(writer, episode, std::move(dtypes));
  for (const auto& group : groups) WARPMIND_CHECK(lesson.learn(group));
  if (const auto sequence = sequence_of(episode); !sequence.empty()) {
    WARPMIND_CHECK(lesson.learn_sequence(sequence, groups));
  }
  for (std::size_t i = before; i < writer.touched().size(); ++i) {
    WARPMIND_TRY(const auto stored, require_insight(writer.reader(), writer.touched()[i]));
    lines.push_back(lesson_text(stored));
  }
  return lines;
}

}  // namespace warpmind::knowledge_base
