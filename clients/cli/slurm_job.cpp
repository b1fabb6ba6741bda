#include "clients/cli/slurm_job.h"

#include <algorithm>
#include <cctype>

namespace warpmind::clients {
namespace {

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string slurm_script(const SlurmJob& job) {
  std::string script = "#!/bin/sh\nexec";
  for (const auto& word : job.worker) script += " " + quoted(word);
  return script + "\n";
}

std::vector<std::string> slurm_words(const SlurmJob& job, const std::string& script) {
  std::vector<std::string> words{"--parsable", "--job-name=warpmind-worker",
                                 "--array=1-" + std::to_string(job.workers), "--requeue",
                                 "--ntasks=1"};
  if (job.wants_gpu) words.emplace_back("--gres=gpu:1");
  words.insert(words.end(), job.options.begin(), job.options.end());
  words.push_back(script);
  return words;
}

Result<std::string> slurm_job_id(const std::string& output) {
  const std::string id = output.substr(0, output.find_first_of(";\n"));
  const bool is_number = !id.empty() && std::all_of(id.begin(), id.end(), [](unsigned char c) {
    return std::isdigit(c) != 0;
  });
  if (is_number) return id;
  return fail(Errc::corrupt_data, "sbatch did not print the number of a job");
}

}  // namespace warpmind::clients
