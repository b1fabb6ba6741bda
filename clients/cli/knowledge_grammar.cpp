#include "clients/cli/knowledge_grammar.h"

#include "base/model/bottleneck.h"
#include "base/model/dtype.h"
#include "clients/cli/grammar_parts.h"
#include "clients/cli/option_flags.h"

#include <algorithm>
#include <iterator>

#include <CLI/CLI.hpp>

namespace warpmind::clients {
namespace {

constexpr const char* kId = "i-3fa85b1c, or as much of it as is unambiguous";

template <class Enum>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  names.reserve(std::size(EnumNames<Enum>::table));
  for (const auto& [value, name] : EnumNames<Enum>::table) names.emplace_back(name);
  return names;
}

/// A flag that may be given several times, or once with commas.
CLI::Option* add_list(CLI::App& app, const char* name, std::vector<std::string>& into,
                      const char* what) {
  return app.add_option(name, into, what)->delimiter(',')->allow_extra_args(false);
}

/// CLI11 takes a flag that follows for the text that was forgotten.
std::string forgotten(const std::string& text) {
  return text.starts_with("--") ? "a text is missing before " + text : std::string();
}

void add_reason(CLI::App& app, std::string& reason) {
  app.add_option("--reason", reason, "One sentence for the history")
      ->type_name("TEXT")
      ->check(forgotten);
}

void add_provider(CLI::App& app, std::string& provider) {
  one_of(app.add_option("--provider", provider, "Only what this provider measured or predicted")
             ->type_name("NAME"),
         {"gpu", "sim", "fixture"});
}

void add_claim_flags(CLI::App& app, ClaimFlags& flags) {
  app.add_option("--claim", flags.claim, "The claim, one or two sentences")
      ->type_name("TEXT")
      ->check(forgotten);
  app.add_option("--mechanism", flags.mechanism, "Why it is so")
      ->type_name("TEXT")
      ->check(forgotten);
  app.add_option("--parameters", flags.parameters,
                 "Parameters of the technique, such as block=256x1x1")
      ->type_name("TEXT");
  add_list(app, "--operator", flags.operator_families,
           "Operator families it holds for, such as softmax")
      ->type_name("NAME");
  suggest(add_list(app, "--dtype", flags.dtypes, "Element types it holds for, such as f16")
              ->type_name("TYPE"),
          names_of<Dtype>());
  suggest(add_list(app, "--bottleneck", flags.bottlenecks, "Bottlenecks it holds at")
              ->type_name("CLASS"),
          names_of<BottleneckClass>());
  add_list(app, "--contract", flags.contracts, "What a task must allow for it, such as tf32")
      ->type_name("NAME");
  app.add_option("--device", flags.device,
                 "Device model it holds on, such as \"NVIDIA H200\" or h200")
      ->type_name("DEVICE");
  app.add_option("--capability", flags.capability,
                 "Compute capabilities it holds for: 90, 80-90 or 80+")
      ->type_name("CC");
  app.add_option("--space", flags.space, "Namespace: user, project:NAME or team:NAME")
      ->type_name("NAME");
  add_reason(app, flags.reason);
}

void add_pack_flags(CLI::App& app, PackFlags& flags) {
  app.add_option("--space", flags.space, "Namespace it goes into")
      ->type_name("NAME")
      ->default_str("user");
  app.add_option("--trusted-key", flags.trusted_keys,
                 "File with a trusted Ed25519 public key; repeatable")
      ->type_name("PEM")
      ->allow_extra_args(false);
  app.add_flag("--require-signature", flags.require_signature,
               "Refuse packs that no trusted key has signed");
}

bool names_nothing(const KbSearchOptions& o) {
  return o.words.empty() && o.bottlenecks.empty() && o.operator_family.empty() &&
         o.dtypes.empty() && o.device.empty() && o.compute_capability.empty() &&
         o.kernel_file.empty() && o.techniques.empty() && o.spaces.empty() && !o.all && !o.limit;
}

/// Overloads: what CLI11 cannot check of a command.
template <class Options>
Result<void> check_one(const Options& /*options*/) {
  return {};
}

Result<void> check_one(const KbSearchOptions& options) {
  if (!names_nothing(options)) return {};
  return fail(Errc::invalid_argument,
              "say what to look for: words, or a flag such as --bottleneck; see `warpmind kb "
              "search --help`");
}

Result<void> check_one(const KbAddOptions& options) {
  if (options.flags.claim || !options.file.empty()) return {};
  return fail(Errc::invalid_argument, "kb add needs --claim TEXT, or --file JSON");
}

Result<void> check_one(const KbEditOptions& options) {
  const ClaimFlags& f = options.flags;
  if (f.claim || f.mechanism || f.parameters || !f.operator_families.empty() || !f.dtypes.empty() ||
      !f.bottlenecks.empty() || !f.contracts.empty() || !f.device.empty() ||
      !f.capability.empty() || !f.space.empty()) {
    return {};
  }
  return fail(Errc::invalid_argument, "kb edit needs what to change, such as --claim TEXT");
}

Result<void> check_one(const KbSourcesOptions& options) {
  if (options.quarantine.empty() || options.release.empty()) return {};
  return fail(Errc::invalid_argument, "--quarantine and --release exclude each other");
}

Result<void> check_one(const KbTechniquesOptions& options) {
  if (options.name.empty() || options.file.empty()) return {};
  return fail(Errc::invalid_argument, "--put FILE names the technique itself; leave NAME out");
}

Result<void> check_one(const KbGraphOptions& options) {
  if (options.export_file.empty() || options.import_file.empty()) return {};
  return fail(Errc::invalid_argument, "--export and --import exclude each other");
}

Result<void> check_one(const KbRestoreOptions& options) {
  if (options.into.empty() == options.replace) return {};
  return fail(Errc::invalid_argument,
              "kb restore needs one of --into DIR (a new folder) and --replace (in place of the "
              "base that is open, which is kept aside)");
}

Result<void> check_one(const KbImportOptions& options) {
  const auto& words = options.words;
  if (words.size() == 1) return {};
  if (words.size() == 2 && (words[0] == "kernelblaster" || words[0] == "kernel-tuner")) return {};
  return fail(Errc::invalid_argument,
              "kb import takes FILE, kernelblaster FILE or kernel-tuner FILE; see `warpmind kb "
              "import --help`");
}

}  // namespace

template <class Options>
CLI::App* KnowledgeGrammar::command(CLI::App& kb, const char* name, const char* what,
                                    Options& options,
                                    std::initializer_list<std::string_view> lines) {
  CLI::App* app = add_command(kb, name, what, lines);
  app->callback([this, &options] { select_([&options] { return KnowledgeOptions(options); }); });
  return app;
}

KnowledgeGrammar::KnowledgeGrammar(CLI::App& app, Select select) : select_(std::move(select)) {
  CLI::App& kb = *add_group(app, "kb", "Search and maintain the knowledge base");
  kb.require_subcommand(1);
  add_looking(kb);
  add_claims(kb);
  add_changes(kb);
  add_catalogue(kb);
  add_graph(kb);
  add_upkeep(kb);
  add_backups(kb);
  add_exchange(kb);
}

void KnowledgeGrammar::add_looking(CLI::App& kb) {
  CLI::App* search = command(
      kb, "search", "Insights that apply to a situation", search_,
      {"kb search uncoalesced loads of half", "kb search --bottleneck memory_bandwidth --dtype f16",
       "kb search softmax --device h200 --limit 20", "kb search --kernel my_kernel/kernel.cu"});
  search->add_option("TEXT", search_.words, "Words, identifiers, names of techniques");
  suggest(add_list(*search, "--bottleneck", search_.bottlenecks,
                   "Bottleneck classes, the primary one first")
              ->type_name("CLASS"),
          names_of<BottleneckClass>());
  search->add_option("--operator", search_.operator_family, "Operator family, such as softmax")
      ->type_name("NAME");
  suggest(
      add_list(*search, "--dtype", search_.dtypes, "Element types, such as f16")->type_name("TYPE"),
      names_of<Dtype>());
  search->add_option("--device", search_.device, "Device model, \"NVIDIA H200\" or h200")
      ->type_name("DEVICE");
  search->add_option("--capability", search_.compute_capability, "Compute capability: 90 or 9.0")
      ->type_name("CC");
  search->add_option("--kernel", search_.kernel_file, "CUDA source to compare structure with")
      ->type_name("FILE");
  add_list(*search, "--technique", search_.techniques, "Only insights about these techniques")
      ->type_name("TECHNIQUE");
  add_list(*search, "--space", search_.spaces, "Only these namespaces")->type_name("NAME");
  add_list(*search, "--contract", search_.allowed, "What the task allows, such as tf32")
      ->type_name("NAME");
  search->add_option("--limit", search_.limit, "Most insights to list, 1 to 200")
      ->type_name("N")
      ->default_str("10");
  search->add_flag("--all", search_.all,
                   "Also list quarantined, deprecated and retracted insights");

  CLI::App* show = command(kb, "show", "One insight or one technique", show_,
                           {"kb show i-3fa8", "kb show vectorized_loads --json"});
  show->add_option("ID", show_.id, "An insight's id, or a technique's name")
      ->required()
      ->type_name("TECHNIQUE");
  CLI::App* why = command(kb, "why", "The evidence for an insight, and what it is worth", why_,
                          {"kb why i-3fa8"});
  why->add_option("ID", why_.id, kId)->required();
  CLI::App* history =
      command(kb, "history", "Every change of an insight", history_,
              {"kb history i-3fa8", "kb history i-3fa8 --blame", "kb history i-3fa8 --as-of 1042"});
  history->add_option("ID", history_.id, kId)->required();
  history->add_flag("--blame", history_.blame, "Show which change gave each field its value");
  history->add_option("--as-of", history_.as_of, "The insight as it stood after change N")
      ->type_name("N");
}

void KnowledgeGrammar::add_claims(CLI::App& kb) {
  CLI::App* add =
      command(kb, "add", "Add a claim of your own", add_,
              {"kb add --claim \"Eight halves a load fill the bus.\" --technique vectorized_loads "
               "--bottleneck memory_bandwidth --dtype f16",
               "kb add --file claim.json", "kb add --file - < claim.json"});
  add_claim_flags(*add, add_.flags);
  add_list(*add, "--technique", add_.techniques, "What to do; several in order for a composite")
      ->type_name("TECHNIQUE");
  suggest(add->add_option("--kind", add_.kind, "positive, negative, precondition or composite")
              ->type_name("KIND")
              ->default_str("positive"),
          {"positive", "negative", "precondition", "composite"});
  add->add_option("--licence", add_.licence, "SPDX id of the text's licence")->type_name("ID");
  add->add_option("--model", add_.model, "Language model that wrote it")->type_name("NAME");
  add->add_option("--file", add_.file,
                  "JSON object with the parameters of kb.add (docs/protocol.md); flags win; - is "
                  "standard input")
      ->type_name("FILE");
  CLI::App* edit = command(kb, "edit", "Change wording or scope of an insight", edit_,
                           {"kb edit i-3fa8 --claim \"Better said.\"",
                            "kb edit i-3fa8 --dtype f16,bf16", "kb edit i-3fa8 --device any"});
  edit->add_option("ID", edit_.id, kId)->required();
  add_claim_flags(*edit, edit_.flags);
}

void KnowledgeGrammar::add_changes(CLI::App& kb) {
  struct Verb {
    const char* name;
    const char* what;
  };
  constexpr std::array kVerbs{
      Verb{"retire", "Mark an insight as out of date; it is not offered again"},
      Verb{"retract", "Mark an insight as wrong; it is not offered again"},
      Verb{"pin", "Vouch for an insight; its state stays as it is"},
      Verb{"unpin", "Remove a pin"},
      Verb{"quarantine", "Stop offering an insight for now"},
      Verb{"reinstate", "Offer an insight again; evidence decides its state"},
  };
  static_assert(kVerbs.size() == std::tuple_size_v<decltype(changes_)>);
  for (std::size_t i = 0; i < kVerbs.size(); ++i) {
    changes_[i].command = kVerbs[i].name;
    const std::string example = std::string("kb ") + kVerbs[i].name + " i-3fa8 --reason \"…\"";
    CLI::App* app = command(kb, kVerbs[i].name, kVerbs[i].what, changes_[i], {example});
    app->add_option("ID", changes_[i].id, kId)->required();
    add_reason(*app, changes_[i].reason);
  }
  CLI::App* supersede = command(kb, "supersede", "Replace an insight by another", supersede_,
                                {"kb supersede i-3fa8 i-9c01"});
  supersede->add_option("ID", supersede_.id, kId)->required();
  supersede->add_option("BY", supersede_.by, "The insight that takes its place")->required();
  add_reason(*supersede, supersede_.reason);
  CLI::App* undo = command(kb, "undo", "Undo the newest change of an insight, or change N", undo_,
                           {"kb undo i-3fa8", "kb undo i-3fa8 --change 1042"});
  undo->add_option("ID", undo_.id, kId)->required();
  undo->add_option("--change", undo_.change, "Number of the change, as `kb history` lists it")
      ->type_name("N");
  add_reason(*undo, undo_.reason);
  CLI::App* sources = command(kb, "sources", "Where the insights come from", sources_,
                              {"kb sources", "kb sources --quarantine pack:3fa85b1c00112233",
                               "kb sources --release pack:3fa85b1c00112233"});
  sources->add_option("--quarantine", sources_.quarantine, "Ignore everything from this source")
      ->type_name("SOURCE");
  sources->add_option("--release", sources_.release, "Use what comes from this source again")
      ->type_name("SOURCE");
  add_reason(*sources, sources_.reason);
}

void KnowledgeGrammar::add_catalogue(CLI::App& kb) {
  command(kb, "stats", "What the knowledge base holds", stats_, {"kb stats", "kb stats --json"});
  CLI::App* techniques =
      command(kb, "techniques", "Technique cards", techniques_,
              {"kb techniques", "kb techniques vectorized_loads", "kb techniques --put card.json"});
  techniques->add_option("NAME", techniques_.name, "Show this one in full")->type_name("TECHNIQUE");
  techniques
      ->add_option("--put", techniques_.file,
                   "Add or replace a technique: JSON, as `kb techniques NAME --json` writes it; - "
                   "is standard input")
      ->type_name("FILE");
  add_reason(*techniques, techniques_.reason);
  CLI::App* facts = command(kb, "facts", "Numbers about hardware and toolchain, with sources",
                            facts_, {"kb facts", "kb facts sm_90"});
  facts->add_option("SUBJECT", facts_.subject, "Subject, such as sm_90");
}

void KnowledgeGrammar::add_graph(CLI::App& kb) {
  CLI::App* graph =
      command(kb, "graph", "Which technique to apply after which, by bottleneck", graph_,
              {"kb graph", "kb graph --from vectorized_loads --device \"NVIDIA H200\"",
               "kb graph --cluster memory_bandwidth", "kb graph --export graph.json"});
  graph->add_option("--from", graph_.from, "Technique applied before; \"\" = none yet")
      ->type_name("TECHNIQUE");
  graph->add_option("--cluster", graph_.cluster, "Cluster, as `kb clusters` lists it")
      ->type_name("ID");
  graph->add_option("--device", graph_.device, "Device model, such as \"NVIDIA H200\"")
      ->type_name("DEVICE");
  add_provider(*graph, graph_.provider);
  graph->add_option("--limit", graph_.limit, "Most edges to list")
      ->type_name("N")
      ->default_str("100");
  graph->add_option("--export", graph_.export_file, "Write the graph to a new file")
      ->type_name("FILE");
  graph->add_option("--import", graph_.import_file, "Import the examples of a graph as claims")
      ->type_name("FILE");
  command(kb, "clusters", "Performance states that statistics are grouped by", clusters_,
          {"kb clusters"});
  CLI::App* calibration =
      command(kb, "calibration", "How well predictions agree with measurements", calibration_,
              {"kb calibration", "kb calibration --provider gpu"});
  add_provider(*calibration, calibration_.provider);
}

void KnowledgeGrammar::add_upkeep(CLI::App& kb) {
  CLI::App* verify =
      command(kb, "verify", "Check every record; exit code 1 when something is wrong", verify_,
              {"kb verify", "kb verify --deep"});
  verify->add_flag("--deep", verify_.deep, "Also check the whole chain of changes and every file");
  command(kb, "rebuild", "Rebuild indexes and statistics from the log", rebuild_, {"kb rebuild"});
  command(kb, "compact", "Free disk space", compact_, {"kb compact"});
}

void KnowledgeGrammar::add_backups(CLI::App& kb) {
  CLI::App* backup = command(kb, "backup", "Back the base up to a folder, incrementally", backup_,
                             {"kb backup /backups/warpmind", "kb backup /backups/w --keep 30"});
  backup->add_option("DIR", backup_.directory, "Folder of the backups")->required();
  backup->add_option("--keep", backup_.keep, "Newest backups to keep")
      ->type_name("N")
      ->default_str("7");
  CLI::App* backups = command(kb, "backups", "List the backups in a folder", backups_,
                              {"kb backups /backups/warpmind"});
  backups->add_option("DIR", backups_.directory, "Folder of the backups")->required();
  CLI::App* restore = command(
      kb, "restore", "Restore a base from a backup", restore_,
      {"kb restore /backups/warpmind --into /tmp/base", "kb restore /backups/warpmind --replace",
       "kb restore /backups/warpmind --id 3 --replace --yes"});
  restore->add_option("DIR", restore_.directory, "Folder of the backups")->required();
  restore->add_option("--id", restore_.id, "Number of the backup")
      ->type_name("N")
      ->default_str("the newest");
  restore->add_option("--into", restore_.into, "New folder for the restored base")
      ->type_name("DIR");
  restore->add_flag("--replace", restore_.replace,
                    "Replace the open base, which is kept beside it");
  restore->add_flag("--yes", restore_.yes, "Do not ask");
  CLI::App* checkpoint = command(kb, "checkpoint", "Write a second base with the same content",
                                 checkpoint_, {"kb checkpoint /tmp/base"});
  checkpoint->add_option("DIR", checkpoint_.directory, "New folder")->required();
}

void KnowledgeGrammar::add_exchange(CLI::App& kb) {
  CLI::App* out = command(
      kb, "export", "Write knowledge to a pack or to Markdown", export_,
      {"kb export mine.jsonl", "kb export mine.jsonl --space team:kernels --licence CC0-1.0",
       "kb export mine.jsonl --key private.pem", "kb export notes/ --md"});
  out->add_option("FILE", export_.file, "New file for the pack; with --md a folder")->required();
  out->add_flag("--md", export_.markdown,
                "Write Markdown, one file for each technique and insight");
  add_flags(*out, static_cast<daemon::protocol::KbExportParams&>(export_));
  CLI::App* in =
      command(kb, "import", "Import a pack, or another program's memory, as claims", import_,
              {"kb import theirs.jsonl --trusted-key theirs.pem --require-signature",
               "kb import kernelblaster memory.json", "kb import kernel-tuner cache.json"});
  suggest(
      in->add_option("FILE", import_.words, "A pack; or kernelblaster FILE, or kernel-tuner FILE")
          ->required()
          ->expected(1, 2),
      {"kernelblaster", "kernel-tuner"});
  add_pack_flags(*in, import_.flags);
  CLI::App* merge = command(kb, "merge", "Import everything that another base holds", merge_,
                            {"kb merge theirs.jsonl", "kb merge /backups/copy_of_a_base"});
  merge->add_option("PATH", merge_.path, "A pack, or a copy of a base's folder")->required();
  add_pack_flags(*merge, merge_.flags);
}

Result<void> KnowledgeGrammar::check(const KnowledgeOptions& options) {
  return std::visit([](const auto& one) { return check_one(one); }, options);
}

}  // namespace warpmind::clients
