#include "base/text.h"
#include "daemon/handlers/kb_arguments.h"
#include "daemon/handlers/kb_handlers.h"
#include "daemon/protocol/knowledge_messages.h"
#include "knowledge_base/packs/pack_exchange.h"

namespace warpmind::daemon {
namespace {

using knowledge_base::PackExchange;
using knowledge_base::PackExportOptions;
using knowledge_base::PackImportOptions;
using knowledge_base::PackReport;
using namespace protocol;  // NOLINT(google-build-using-namespace): the messages of one group

Result<KbPackResult> reported(Result<PackReport> report) {
  if (!report) return fail(std::move(report).error());
  PackReport& r = *report;
  return KbPackResult{std::move(r.pack), std::move(r.origin), r.insights,        r.techniques,
                      r.added,           r.confirmed,         r.unchanged,       r.refused,
                      r.is_signed,       std::move(r.signer), std::move(r.notes)};
}

tl::unexpected<Error> unknown_format(const std::string& format,
                                     const std::vector<std::string_view>& known) {
  return fail(Errc::invalid_argument,
              "'format' does not know " + quoted_name(format) +
                  config::suggestion(std::string_view(format).substr(0, 64), known));
}

/// Said once, before every line of a pack is refused for it.
Result<void> check_space(std::string_view space) {
  if (space == "user") return {};
  for (const std::string_view kind : {"project:", "team:"}) {
    if (space.starts_with(kind) && space.size() > kind.size()) return {};
  }
  return fail(Errc::invalid_argument,
              "'space' must be user, project:<name> or team:<name>, not " + quoted_name(space));
}

Result<KbPackResult> export_knowledge(const PackExchange& packs, const KbExportParams& params,
                                      const std::stop_token& stop) {
  PackExportOptions options;
  options.stop = stop;
  options.spaces = params.spaces;
  options.licences = params.licences;
  options.offered_only = !params.all;
  if (!params.key.empty()) {
    WARPMIND_TRY(options.private_key, readable_path("key", params.key));
  }
  if (params.format == "pack") {
    WARPMIND_TRY(const auto file, new_file("file", params.file));
    return reported(packs.export_pack(file, options));
  }
  if (params.format != "markdown") return unknown_format(params.format, {"pack", "markdown"});
  if (!params.key.empty()) {
    return fail(Errc::invalid_argument, "only packs are signed: leave 'key' out for markdown");
  }
  WARPMIND_TRY(const auto folder, writable_path("file", params.file));
  return reported(packs.export_markdown(folder, options));
}

Result<PackImportOptions> options_of(const std::vector<std::string>& trusted_keys,
                                     bool require_signature, const std::string& space) {
  PackImportOptions options;
  WARPMIND_CHECK(check_space(space));
  WARPMIND_TRY(options.trusted_keys, readable_paths("trusted_keys", trusted_keys));
  options.require_signature = require_signature;
  options.space = space;
  return options;
}

Result<void> check_format(const KbImportParams& params) {
  if (params.format == "pack") return {};
  if (params.format != "kernelblaster" && params.format != "kernel-tuner") {
    return unknown_format(params.format, {"pack", "kernelblaster", "kernel-tuner"});
  }
  if (!params.require_signature && params.trusted_keys.empty()) return {};
  return fail(Errc::invalid_argument,
              "only packs are signed: leave 'require_signature' and 'trusted_keys' out for " +
                  params.format);
}

Result<KbPackResult> import_knowledge(PackExchange& packs, const KbImportParams& params,
                                      const std::stop_token& stop) {
  WARPMIND_CHECK(check_format(params));
  WARPMIND_TRY(const auto file, readable_path("file", params.file));
  WARPMIND_TRY(auto options,
               options_of(params.trusted_keys, params.require_signature, params.space));
  options.stop = stop;
  if (params.format == "pack") return reported(packs.import_pack(file, options));
  if (params.format == "kernelblaster") return reported(packs.import_kernelblaster(file, options));
  return reported(packs.import_kernel_tuner(file, options));
}

Result<KbPackResult> merge(PackExchange& packs, const KbMergeParams& params,
                           const std::stop_token& stop) {
  WARPMIND_TRY(const auto path, readable_path("path", params.path));
  WARPMIND_TRY(auto options,
               options_of(params.trusted_keys, params.require_signature, params.space));
  options.stop = stop;
  return reported(packs.merge(path, options));
}

}  // namespace

void add_exchange_methods(Dispatcher& dispatcher, const KnowledgeAccess& access) {
  auto& packs = access.base.packs();
  dispatcher.add(protocol::kKbExport, Execution::slow,
                 [&packs](const KbExportParams& params, RequestContext& context) {
                   return export_knowledge(packs, params, context.stop);
                 });
  dispatcher.add(protocol::kKbImport, Execution::slow,
                 [&packs](const KbImportParams& params, RequestContext& context) {
                   return import_knowledge(packs, params, context.stop);
                 });
  dispatcher.add(protocol::kKbMerge, Execution::slow,
                 [&packs](const KbMergeParams& params, RequestContext& context) {
                   return merge(packs, params, context.stop);
                 });
}

void add_knowledge_methods(Dispatcher& dispatcher, const KnowledgeAccess& access) {
  add_search_methods(dispatcher, access);
  add_insight_methods(dispatcher, access);
  add_claim_methods(dispatcher, access);
  add_catalogue_methods(dispatcher, access);
  add_graph_methods(dispatcher, access);
  add_upkeep_methods(dispatcher, access);
  add_exchange_methods(dispatcher, access);
  add_explain_methods(dispatcher, access);
  add_export_methods(dispatcher, access);
}

}  // namespace warpmind::daemon
