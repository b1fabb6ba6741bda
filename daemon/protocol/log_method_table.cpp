#include "daemon/protocol/log_method_table.h"

#include <array>

namespace warpmind::daemon::protocol {
namespace {

using enum FieldType;

constexpr std::array kLevelParams{
    FieldSpec{"level", string, false,
              "`debug`, `info`, `warn` or `error`; left out: only says what holds"},
    FieldSpec{"component", string, false,
              "`daemon`, `agents`, `knowledge_base` or `profilers`; left out: all, which takes "
              "the levels of components away"},
};
constexpr std::array kLevelResult{
    FieldSpec{"level", string, true, "least severe lines that are kept"},
    FieldSpec{"components", texts, true, "the level of each component that has its own"},
};
constexpr std::array kMethods{
    MethodSpec{"log.set_level", MethodKind::request,
               "Changes what goes into the log, until the daemon ends (setting `log.level`).",
               kLevelParams, kLevelResult},
};

}  // namespace

std::span<const MethodSpec> log_methods() { return kMethods; }

}  // namespace warpmind::daemon::protocol
