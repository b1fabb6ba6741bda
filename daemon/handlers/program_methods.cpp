#include "agents/builtin/hosting/host_edits.h"
#include "agents/builtin/hosting/program_rewrite.h"
#include "base/file.h"
#include "daemon/handlers/handlers.h"
#include "daemon/handlers/kb_arguments.h"

namespace warpmind::daemon {
namespace {

namespace builtin = agents::builtin;

constexpr std::size_t kMostProgramText = std::size_t{4} << 20U;  // bytes; what the parser takes

struct RecordedProgram {
  syntax::CudaSource source;
  profilers::ProgramRecord record;
};

Result<RecordedProgram> read_program(const std::string& source, const std::string& record,
                                     const std::vector<std::string>& host_edits,
                                     std::vector<builtin::HostEdit>& edits) {
  WARPMIND_TRY(const auto source_file, path_of("source", source));
  WARPMIND_TRY(const auto record_file, path_of("record", record));
  RecordedProgram program;
  WARPMIND_TRY(auto text, read_file(source_file, kMostProgramText));
  WARPMIND_TRY(program.record, profilers::read_program_record(record_file));
  WARPMIND_TRY(program.source, syntax::CudaSource::read(std::move(text)));
  for (const auto& name : host_edits) {
    WARPMIND_TRY(auto edit, builtin::host_edit(name, program.source));
    if (edit.refusal.empty()) {
      WARPMIND_TRY(program.source, syntax::CudaSource::read(edit.text));
    }
    edits.push_back(std::move(edit));
  }
  return program;
}

protocol::ProgramPartMessage wire_of(builtin::ProgramPart part) {
  return {std::move(part.name), std::move(part.kernels), static_cast<std::int64_t>(part.times),
          std::move(part.task), std::move(part.refusal), std::move(part.notes)};
}

}  // namespace

Handler<protocol::ProgramLiftParams, protocol::ProgramLiftResult> program_lift() {
  return [](const protocol::ProgramLiftParams& params,
            RequestContext& /*context*/) -> Result<protocol::ProgramLiftResult> {
    std::vector<builtin::HostEdit> none;
    WARPMIND_TRY(const auto program, read_program(params.source, params.record, {}, none));
    WARPMIND_TRY(auto lifted, builtin::lift_program(params.name, program.source, program.record));
    protocol::ProgramLiftResult result;
    for (auto& part : lifted.parts) result.parts.push_back(wire_of(std::move(part)));
    for (auto& skipped : lifted.skipped) {
      result.skipped.push_back({std::move(skipped.kernel), std::move(skipped.reason)});
    }
    result.notes = std::move(lifted.notes);
    result.faults = std::move(lifted.faults);
    result.findings = std::move(lifted.findings);
    result.launches = builtin::launch_digest(program.record);
    return result;
  };
}

Handler<protocol::ProgramRewriteParams, protocol::ProgramRewriteResult> program_rewrite() {
  return [](const protocol::ProgramRewriteParams& params,
            RequestContext& /*context*/) -> Result<protocol::ProgramRewriteResult> {
    std::vector<builtin::HostEdit> edits;
    WARPMIND_TRY(const auto program,
                 read_program(params.source, params.record, params.host_edits, edits));
    protocol::ProgramRewriteResult result;
    for (auto& edit : edits) {
      if (edit.refusal.empty()) {
        result.edited.push_back(edit.name);
      } else {
        result.unedited.push_back({edit.name, std::move(edit.refusal)});
      }
    }
    result.text = program.source.tree.source();
    if (params.kernels.empty()) return result;
    WARPMIND_TRY(const auto lifted,
                 builtin::lift_program("program", program.source, program.record));
    std::vector<builtin::PartKernel> kernels;
    for (const auto& wanted : params.kernels) kernels.push_back({wanted.part, wanted.kernel});
    WARPMIND_TRY(auto rewritten, builtin::rewrite_program(program.source, program.record, lifted,
                                                          kernels, {params.assume_shapes}));
    result.text = std::move(rewritten.text);
    result.written = std::move(rewritten.written);
    for (auto& refused : rewritten.refused) {
      result.refused.push_back({std::move(refused.kernel), std::move(refused.reason)});
    }
    return result;
  };
}

}  // namespace warpmind::daemon
