/// \file
/// warpmind-judge: draws inputs, computes the double-precision reference, compares every element.

#include "profilers/job/job_codec.h"
#include "profilers/judge/judge_desk.h"
#include "profilers/judge/relation_desk.h"

#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <unistd.h>

namespace {

constexpr const char* kUsage =
    "usage: warpmind-judge\n"
    "\n"
    "Judges one candidate for warpmindd: reads jobs on standard input and answers on standard\n"
    "output, one JSON object a line, until end of file. Needs no GPU and never loads candidate\n"
    "code. Started by the daemon, not by hand.\n";

int serve() {
  using warpmind::profilers::RelationDesk;
  warpmind::profilers::JudgeDesk desk;
  RelationDesk relations;
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.empty()) continue;
    warpmind::profilers::JudgeReply reply;
    const auto job = warpmind::profilers::decode_judge_job(line);
    if (job) {
      reply = RelationDesk::serves(job->command) ? relations.handle(*job) : desk.handle(*job);
    } else {
      reply.error = job.error().message;
    }
    std::cout << warpmind::profilers::encode(reply) << std::endl;
    if (!std::cout) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    const bool asked = std::string_view(argv[1]) == "--help";
    std::fputs(kUsage, asked ? stdout : stderr);
    return asked ? 0 : 2;
  }
  if (::isatty(STDIN_FILENO) != 0) {
    std::fputs("warpmind-judge reads jobs on standard input; `warpmind-judge --help` says more\n",
               stderr);
  }
  try {
    return serve();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "warpmind-judge: %s\n", e.what());
    return 1;
  }
}
