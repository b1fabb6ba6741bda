#include "profilers/lab/library_trials.h"

#include "base/text.h"

namespace warpmind::profilers {
namespace {

std::string words_of(const LibraryCall& call, const std::string& choice) {
  return choice.empty() ? call.call : call.call + ", " + choice;
}

}  // namespace

bool LibraryTrials::worth_a_try(const LibraryCall& call) const {
  return meaning.empty() ? !wrong.contains(call.meaning) : call.meaning == meaning;
}

void LibraryTrials::add(const LibraryTrial& trial, const LibraryTime& time) {
  const LibraryCall& call = *trial.call;
  if (!detail.empty()) detail += "; ";
  if (time.outcome != Outcome::same) {
    if (time.outcome == Outcome::wrong) wrong.insert(call.meaning);
    if (time.outcome == Outcome::blocked) was_blocked = true;
    detail += call.call + ": " + time.reason;
    return;
  }
  meaning = call.meaning;
  detail += trial.library.name + " " + words_of(call, time.choice) + " " + time_text(time.ns);
  if (best.ns > 0 && best.ns <= time.ns) return;
  best = {trial.library.name, words_of(call, time.choice), time.ns, ""};
}

}  // namespace warpmind::profilers
