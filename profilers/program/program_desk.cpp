#include "profilers/program/program_desk.h"

namespace warpmind::profilers {

Result<std::shared_ptr<const ProgramLab>> ProgramDesk::lab(Provider provider,
                                                           const std::string& device) {
  if (provider == Provider::fixture) {
    return fail(Errc::invalid_argument,
                "a program cannot be checked on a recording; choose provider gpu or sim");
  }
  const std::scoped_lock lock(mutex_);
  auto& known = provider == Provider::gpu ? gpu_ : simulated_[device];
  if (known) return known;
  if (provider == Provider::gpu) {
    WARPMIND_TRY(const auto identity, identify_());
    WARPMIND_TRY(auto place, gpu_program_place(settings_, identity));
    WARPMIND_TRY(known, ProgramLab::create(settings_, std::move(place), gpu_turn_));
    return known;
  }
  WARPMIND_TRY(auto place, simulated_program_place(settings_, devices_, device));
  // A simulated device is this machine's processors: its programs run one after the other.
  WARPMIND_TRY(known,
               ProgramLab::create(settings_, std::move(place), std::make_shared<DeviceTurn>()));
  return known;
}

}  // namespace warpmind::profilers
