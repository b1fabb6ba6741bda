#pragma once
/// \file
/// The grammar of `warpmind kb …`. For command_line.cpp.

#include "base/result.h"
#include "clients/cli/knowledge_options.h"

#include <array>
#include <functional>
#include <initializer_list>
#include <string_view>

namespace CLI {
class App;
}

namespace warpmind::clients {

/// Holds the options that CLI11 writes into: must outlive the parse.
class KnowledgeGrammar {
 public:
  /// Called, while parsing, with how to get the options of the command that was meant.
  using Select = std::function<void(std::function<KnowledgeOptions()>)>;

  KnowledgeGrammar(CLI::App& app, Select select);
  KnowledgeGrammar(const KnowledgeGrammar&) = delete;
  KnowledgeGrammar& operator=(const KnowledgeGrammar&) = delete;
  ~KnowledgeGrammar() = default;

  /// What CLI11 cannot check. Errors: invalid_argument.
  [[nodiscard]] static Result<void> check(const KnowledgeOptions& options);

 private:
  template <class Options>
  CLI::App* command(CLI::App& kb, const char* name, const char* what, Options& options,
                    std::initializer_list<std::string_view> lines);
  void add_looking(CLI::App& kb);
  void add_claims(CLI::App& kb);
  void add_changes(CLI::App& kb);
  void add_catalogue(CLI::App& kb);
  void add_graph(CLI::App& kb);
  void add_upkeep(CLI::App& kb);
  void add_backups(CLI::App& kb);
  void add_exchange(CLI::App& kb);

  Select select_;
  KbStatsOptions stats_;
  KbSearchOptions search_;
  KbShowOptions show_;
  KbWhyOptions why_;
  KbHistoryOptions history_;
  KbAddOptions add_;
  KbEditOptions edit_;
  std::array<KbChangeOptions, 6> changes_;
  KbSupersedeOptions supersede_;
  KbUndoOptions undo_;
  KbSourcesOptions sources_;
  KbTechniquesOptions techniques_;
  KbFactsOptions facts_;
  KbGraphOptions graph_;
  KbClustersOptions clusters_;
  KbCalibrationOptions calibration_;
  KbVerifyOptions verify_;
  KbRebuildOptions rebuild_;
  KbBackupOptions backup_;
  KbBackupsOptions backups_;
  KbRestoreOptions restore_;
  KbCheckpointOptions checkpoint_;
  KbCompactOptions compact_;
  KbExportOptions export_;
  KbImportOptions import_;
  KbMergeOptions merge_;
};

}  // namespace warpmind::clients
