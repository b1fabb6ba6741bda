#pragma once
/// \file
/// Where a GPU sits on the PCI bus: the kernel log names devices by that, CUDA by UUID.

#include <filesystem>
#include <string>
#include <string_view>

namespace warpmind::profilers {

/// "0000:1b:00.0" of the GPU with this UUID ("GPU-…"), from what the driver shows below `gpus`;
/// empty where it shows no such GPU, as inside some containers.
[[nodiscard]] std::string pci_address_of(
    const std::string& uuid, const std::filesystem::path& gpus = "/proc/driver/nvidia/gpus");

/// Whether both name one device: the function behind the dot, upper case and the width of the
/// domain do not matter. False for what is no address.
[[nodiscard]] bool is_same_device(std::string_view a, std::string_view b);

}  // namespace warpmind::profilers
