#pragma once
/// \file
/// `episode.open`, `episode.brief`, `episode.submit`, `episode.close`.

#include "agents/external/external_episodes.h"
#include "config/settings.h"
#include "daemon/handlers/job_admission.h"
#include "daemon/rpc/dispatcher.h"

namespace warpmind::daemon {

/// `guests` may be null: then every method answers that this daemon serves no such episodes. What
/// is given must outlive the dispatcher.
struct GuestAccess {
  agents::ExternalEpisodes* guests = nullptr;
  const config::Settings& settings;
  MachineView machine;
};

void add_guest_methods(Dispatcher& dispatcher, const GuestAccess& access);

}  // namespace warpmind::daemon
