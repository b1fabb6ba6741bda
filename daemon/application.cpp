#include "daemon/application.h"

#include "base/file.h"
#include "base/log.h"
#include "daemon/process_setup.h"
#include "daemon/server.h"
#include "daemon/transport/instance_lock.h"
#include "daemon/transport/listening_socket.h"
#include "knowledge_base/knowledge_base.h"

#include <chrono>

namespace warpmind::daemon {
namespace {

Result<ListeningSocket> open_socket(const config::Settings& settings) {
  WARPMIND_TRY(auto passed, ListeningSocket::from_systemd());
  if (passed) return std::move(*passed);
  return ListeningSocket::bind(settings.daemon.socket);
}

Result<std::unique_ptr<knowledge_base::KnowledgeBase>> open_base(const config::Settings& settings,
                                                                 const Clock& clock) {
  const auto& knowledge = settings.knowledge;
  knowledge_base::EmbeddingOptions embedding;
  embedding.url = knowledge.embeddings_url;
  embedding.model = knowledge.embeddings_model;
  embedding.key_file = knowledge.embeddings_key_file;
  embedding.query_timeout = std::chrono::milliseconds(knowledge.embeddings_timeout_ms);
  embedding.near = knowledge.embeddings_near;
  auto base =
      knowledge_base::KnowledgeBase::open({.directory = knowledge.directory,
                                           .reserve_bytes = knowledge.reserve_mib * 1024 * 1024,
                                           .clock = clock,
                                           .cache_mib = knowledge.cache_mib},
                                          embedding);
  if (base || base.error().code != Errc::conflict) return base;
  // A base of a newer build is not "another daemon runs".
  return fail(Errc::unavailable, std::move(base).error().message);
}

}  // namespace

Result<void> serve(const config::LoadedSettings& loaded, const EngineFactory& make_engine,
                   const std::string& version) {
  const config::Settings& settings = loaded.settings;
  WARPMIND_CHECK(check_user(settings.daemon.allow_root));
  harden_process();
  raise_file_limit(settings.daemon.connections);
  const auto& state = settings.daemon.state_directory;
  WARPMIND_CHECK(make_private_directory(state));
  WARPMIND_TRY(const auto lock, InstanceLock::acquire(state / "warpmindd.lock"));
  WARPMIND_CHECK(log::open(
      {state / "warpmindd.log", log::level_named(settings.log.level).value_or(log::Level::info),
       settings.log.to_stderr,
       settings.log.format == "text" ? log::Format::text : log::Format::json}));
  log::info("daemon", "starting", {{"version", version}, {"state", state.string()}});

  const SystemClock clock;
  WARPMIND_TRY(const auto base, open_base(settings, clock));
  WARPMIND_TRY(const auto engine, make_engine(*base, settings, clock));
  auto device = [&engine] { return engine->device(); };
  // Bound last: who can connect is served at once.
  WARPMIND_TRY(auto socket, open_socket(settings));
  WARPMIND_TRY(const auto server,
               Server::create({settings, *base, engine->runner(), clock, device, version,
                               engine->guests(), engine->analyst(), engine->programs(),
                               engine->lanes(), [&engine] { return engine->machine(); }},
                              std::move(socket)));
  server->serve();
  return {};
}

int exit_code_of(Errc code) {
  switch (code) {
    case Errc::invalid_argument:
    case Errc::not_found: return 2;
    case Errc::conflict: return 3;
    default: return 4;
  }
}

}  // namespace warpmind::daemon
