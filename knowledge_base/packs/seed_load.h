#pragma once
/// \file
/// Brings a base to the seed of a build. What a user changed stays.

#include "base/result.h"
#include "knowledge_base/packs/pack_exchange.h"
#include "knowledge_base/packs/seed.h"

namespace warpmind::knowledge_base {

class OpenBase;

/// One change, or none when the base has this version or a later one. Cards that a user edited and
/// claims that anybody else touched keep their words; claims that the seed no longer makes are
/// deprecated unless something was measured for or against them here.
[[nodiscard]] Result<PackReport> load_seed(OpenBase& base, const Seed& seed);

}  // namespace warpmind::knowledge_base
