#include "agents/builtin/hosting/program_rewrite.h"

#include "agents/builtin/hosting/device_merge.h"
#include "agents/builtin/hosting/dispatch_text.h"
#include "agents/builtin/hosting/host_statements.h"
#include "agents/builtin/hosting/local_buffers.h"

#include <algorithm>
#include <set>
#include <utility>

namespace warpmind::agents::builtin {
namespace {

/// Launches that one call takes the place of.
using Site = std::vector<const HostLaunch*>;

/// Whether what is scratch to the part is only seen by this run.
bool keeps_scratch_private(const CudaSource& program, const ProgramPart& part,
                           const LaunchRun& run) {
  const auto locals = local_buffers(program, run);
  const LaunchPlan& plan = part.task.kernel.plan;
  for (std::size_t launch = 0; launch < plan.launches.size(); ++launch) {
    const auto& arguments = plan.launches[launch].arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const bool is_scratch =
          std::any_of(plan.scratch.begin(), plan.scratch.end(),
                      [&](const ScratchBuffer& scratch) { return scratch.name == arguments[i]; });
      const auto local = std::find(locals.begin(), locals.end(), std::pair(launch, i));
      if (is_scratch && local == locals.end()) return false;
    }
  }
  return true;
}

/// The sites of a part: its runs, or the launches of its kernel that no run of another part has.
std::vector<Site> sites_of(const CudaSource& program, const LiftedProgram& lifted,
                           const ProgramPart& part) {
  std::vector<Site> sites;
  for (const auto& run : launch_runs(program)) {
    if (part.kernels.size() > 1) {
      if (run.kernels() == part.kernels && keeps_scratch_private(program, part, run)) {
        sites.push_back(run.launches);
      }
      continue;
    }
    const bool is_other =
        std::any_of(lifted.parts.begin(), lifted.parts.end(), [&](const ProgramPart& other) {
          return other.kernels.size() > 1 && other.kernels == run.kernels();
        });
    if (is_other) continue;
    for (const auto* const launch : run.launches) {
      if (launch->kernel == part.kernels.front()) sites.push_back({launch});
    }
  }
  return sites;
}

std::string call_text(const CudaSource& program, const Site& site, const std::string& name) {
  std::string text = name + "(";
  for (const auto* const launch : site) {
    const auto configuration = configuration_of(program, *launch);
    for (std::size_t i = 0; i < 3; ++i) text += configuration[i] + ", ";
  }
  text += configuration_of(program, *site.front())[3];
  for (const auto* const launch : site) {
    for (const NodeId argument : launch->arguments) {
      text += ", " + std::string(program.tree.text(argument));
    }
  }
  return text + ")";
}

/// The first launch becomes the call, the others go with their line.
void edit_site(const CudaSource& program, const Site& site, const std::string& name,
               std::vector<TextEdit>& edits) {
  const SyntaxTree& tree = program.tree;
  edits.push_back({tree.node(site.front()->call).range, call_text(program, site, name)});
  for (std::size_t i = 1; i < site.size(); ++i) {
    edits.push_back({whole_line(tree, tree.node(site[i]->call).parent), ""});
  }
}

/// The item of the file that a node is in.
std::size_t item_begin(const SyntaxTree& tree, NodeId node) {
  while (tree.node(node).parent != tree.root()) node = tree.node(node).parent;
  return tree.node(node).range.begin;
}

class ProgramWriter {
 public:
  ProgramWriter(const CudaSource& program, const profilers::ProgramRecord& record,
                const LiftedProgram& lifted, const RewriteOptions& options)
      : program_(program), record_(record), lifted_(lifted), options_(options), merge_(program) {}

  Result<void> add(const PartKernel& wanted) {
    const auto part = std::find_if(lifted_.parts.begin(), lifted_.parts.end(),
                                   [&](const ProgramPart& p) { return p.name == wanted.part; });
    if (part == lifted_.parts.end()) {
      return fail(Errc::not_found, "the program has no part '" + wanted.part.substr(0, 128) + "'");
    }
    auto written = add(*part, wanted.kernel);
    if (written) {
      result_.written.push_back(part->name);
    } else {
      result_.refused.push_back({part->name, written.error().message});
    }
    return {};
  }

  RewrittenProgram finish() {
    const std::string& source = program_.tree.source();
    if (result_.written.empty()) {
      result_.text = source;
      return std::move(result_);
    }
    edits_.push_back({{first_site_, first_site_},
                      "// Written by warpmind; at the end of the file.\n" + declarations_ + "\n"});
    edits_.push_back({{source.size(), source.size()},
                      std::string(source.ends_with('\n') ? "" : "\n") +
                          "\n// What follows was written by warpmind.\n#include <cstring>\n" +
                          std::string(options_.assume_shapes ? "" : dispatch_helpers()) +
                          definitions_});
    result_.text = apply_edits(source, std::move(edits_));
    return std::move(result_);
  }

 private:
  Result<void> add(const ProgramPart& part, const Kernel& kernel) {
    if (!part.refusal.empty()) return fail(Errc::invalid_argument, part.refusal);
    if (kernel.tier != Tier::a) return fail(Errc::invalid_argument, "it is not of tier a");
    if (!kernel.build_flags.empty()) {
      return fail(Errc::invalid_argument, "it needs the flag " + kernel.build_flags.front() +
                                              ", which would change the whole file");
    }
    const auto sites = sites_of(program_, lifted_, part);
    if (sites.empty()) {
      return fail(Errc::invalid_argument,
                  "no place in the file launches it so that nobody sees its scratch");
    }
    WARPMIND_TRY(const auto rewritten, CudaSource::read(kernel.source));
    std::set<std::string> launched;
    for (const auto& launch : kernel.plan.launches) launched.insert(launch.kernel);
    WARPMIND_TRY(const auto addition, merge_.add(part.name, rewritten, launched));
    const DispatchParts parts{
        program_, record_, part, rewritten, kernel.plan, addition.kernels, options_.assume_shapes};
    WARPMIND_TRY(const auto dispatch,
                 dispatch_of(parts, merge_.free_name("wm_launch_" + part.name)));
    declarations_ += dispatch.declaration;
    definitions_ += "\n" + with_constants(kernel.plan, addition.text) + "\n" + dispatch.definition;
    for (const auto& site : sites) {
      edit_site(program_, site, dispatch.name, edits_);
      first_site_ = std::min(first_site_, item_begin(program_.tree, site.front()->call));
    }
    return {};
  }

  /// Constants of a plan are macros to its kernels.
  static std::string with_constants(const LaunchPlan& plan, const std::string& text) {
    std::string before;
    std::string after;
    for (const auto& [name, value] : plan.constants) {
      before += "#define " + name + " " + std::to_string(value) + "\n";
      after += "#undef " + name + "\n";
    }
    return before + text + after;
  }

  const CudaSource& program_;
  const profilers::ProgramRecord& record_;
  const LiftedProgram& lifted_;
  RewriteOptions options_;
  DeviceMerge merge_;
  RewrittenProgram result_;
  std::vector<TextEdit> edits_;
  std::string declarations_;
  std::string definitions_;
  std::size_t first_site_ = static_cast<std::size_t>(-1);
};

}  // namespace

Result<RewrittenProgram> rewrite_program(const CudaSource& program,
                                         const profilers::ProgramRecord& record,
                                         const LiftedProgram& lifted,
                                         const std::vector<PartKernel>& kernels,
                                         const RewriteOptions& options) {
  ProgramWriter writer(program, record, lifted, options);
  for (const auto& kernel : kernels) WARPMIND_CHECK(writer.add(kernel));
  return writer.finish();
}

}  // namespace warpmind::agents::builtin
