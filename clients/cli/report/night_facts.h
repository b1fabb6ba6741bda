#pragma once
/// \file
/// What a night's report says, before it is Markdown or a page: both have the same content. All of
/// it is plain text; what came from elsewhere is clean, but not escaped.

#include "daemon/protocol/queue_messages.h"

#include <string>
#include <vector>

namespace warpmind::clients {

struct NightSection {
  std::string title;
  std::string remark = {};              ///< a sentence below the title
  std::vector<std::string> lines = {};  ///< a list
};

/// One row of the table of jobs.
struct NightRow {
  std::string number;  ///< from 1: the pictures name jobs by it
  std::string job;
  std::string task;
  std::string user;
  std::string outcome;
  std::string speedup;
  std::string time;  ///< given → best
  std::string how;
  std::string bottleneck;
  std::string candidates;
  std::string device_seconds;
};

struct NightFacts {
  std::string title;
  std::vector<std::string> sentences;  ///< the summary
  std::vector<NightRow> rows;
  std::vector<NightSection> sections;  ///< only those that have something to say
  double best = 1;                     ///< largest ratio of any curve
};

[[nodiscard]] NightFacts night_facts(const daemon::protocol::QueueReportResult& report);

}  // namespace warpmind::clients
