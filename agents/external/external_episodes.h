#pragma once
/// \file
/// The external episodes that are open, each with a lease: who does not come back in time loses
/// nothing, the episode is closed with what it has.

#include "agents/external/external_episode.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::agents {

struct ExternalOptions {
  double lease_seconds = 1800;  ///< from the last call about an episode
  std::size_t most_open = 64;
  MemoryUse memory = {};
  /// Names of the techniques that the base is asked to rank.
  std::function<Result<std::vector<std::string>>()> techniques;
};

/// Does:      accept, find, lease, expire; take up what an earlier daemon left open.
/// Does not:  queue: each episode has the device from candidate to candidate, beside the lane.
/// Threads:   any; two calls about one episode wait for each other, others do not.
class ExternalEpisodes {
 public:
  /// The references must outlive it. Labs given by `labs` must bear several users.
  ExternalEpisodes(knowledge_base::KnowledgeStore& store, const config::DeviceTable& devices,
                   LabSource labs, const Clock& clock, ExternalOptions options);

  /// `told` hears of each job that ended here, after its end is stored, on the thread that ended
  /// it. Call it before start().
  void on_end(std::function<void(const JobId&)> told) { told_ = std::move(told); }

  /// Takes over the open episodes of an earlier run; they are taken up when somebody asks for them
  /// or when their lease, which starts anew, is over.
  [[nodiscard]] Result<void> start();

  /// Accepts a job with proposer "external" and judges its kernel. Errors: unavailable when too
  /// many are open, and for what the machine lacks; as KnowledgeStore::add_job().
  [[nodiscard]] Result<EpisodeBrief> open(const JobRequest& request);
  [[nodiscard]] Result<EpisodeBrief> brief(const JobId& id);
  [[nodiscard]] Result<Feedback> submit(const JobId& id, const Submission& submission);
  [[nodiscard]] Result<Episode> close(const JobId& id, const std::string& why);

  /// Closes the episodes whose lease is over; how many. May take as long as a measurement each.
  std::size_t expire();
  /// Stops what is being judged; open episodes stay open for the next run.
  void stop();

 private:
  struct Guest {
    std::mutex opening;  ///< held while the episode is made
    std::shared_ptr<profilers::KernelLab> lab;
    std::unique_ptr<Proposer> proposer;
    std::unique_ptr<ExternalEpisode> episode;
    std::chrono::steady_clock::time_point lease_end;
    std::stop_source stop;  ///< of what is being judged; asked for while others hold `opening`
    bool can_be_improved = true;
  };
  using GuestPointer = std::shared_ptr<Guest>;

  [[nodiscard]] Result<GuestPointer> find(const JobId& id);
  [[nodiscard]] Result<void> make(Guest& guest, const Job& job);
  [[nodiscard]] Result<void> give_up(const Job& job, const Error& error);
  void renew(Guest& guest);
  [[nodiscard]] Result<EpisodeBrief> leased_brief(Guest& guest) const;
  void forget(const JobId& id);
  void tell(const JobId& id) const;

  knowledge_base::KnowledgeStore& store_;
  const config::DeviceTable& devices_;
  LabSource labs_;
  const Clock& clock_;
  ExternalOptions options_;
  std::function<void(const JobId&)> told_;  ///< may be empty
  std::mutex mutex_;
  std::map<JobId, GuestPointer> guests_;
  bool is_stopping_ = false;
};

}  // namespace warpmind::agents
