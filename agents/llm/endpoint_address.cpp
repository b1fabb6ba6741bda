#include "agents/llm/endpoint_address.h"

namespace warpmind::agents::llm {
namespace {

constexpr std::size_t kLongestModel = 256;

}  // namespace

Result<ServiceAddress> resolve_endpoint(const EndpointOptions& options, std::string_view path) {
  WARPMIND_TRY(auto address, resolve_service(options.url, path, !options.key.empty(),
                                             {"llm.url", "llm.key_file"}));
  if (options.model.empty() || options.model.size() > kLongestModel) {
    return fail(Errc::invalid_argument, "llm.model must name the model, in at most " +
                                            std::to_string(kLongestModel) +
                                            " bytes, when llm.url is set");
  }
  return address;
}

}  // namespace warpmind::agents::llm
