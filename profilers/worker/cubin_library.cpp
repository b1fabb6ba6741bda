#include "profilers/worker/cubin_library.h"

#include <dlfcn.h>

namespace warpmind::profilers {
namespace {

/// Codes of the runtime and of the driver are the same numbers; 0 is success.
struct LibraryCalls {
  int (*load)(void** library, const void* code, void*, void**, unsigned, void*, void**,
              unsigned) = nullptr;
  int (*kernel)(void** kernel, void* library, const char* name) = nullptr;
  int (*unload)(void* library) = nullptr;

  [[nodiscard]] bool complete() const {
    return load != nullptr && kernel != nullptr && unload != nullptr;
  }
};

LibraryCalls calls_of(void* place, const std::string& prefix) {
  LibraryCalls calls;
  // POSIX promises that an object pointer from dlsym holds a function's address.
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        ::dlsym(place, (prefix + name).c_str()));
  };
  find("LoadData", calls.load);
  find("GetKernel", calls.kernel);
  find("Unload", calls.unload);
  return calls;
}

/// The driver is never closed: the runtime has it open as well.
const LibraryCalls& library_calls() {
  static const LibraryCalls calls = [] {
    LibraryCalls of_runtime = calls_of(RTLD_DEFAULT, "cudaLibrary");
    if (of_runtime.complete()) return of_runtime;
    void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return driver == nullptr ? LibraryCalls{} : calls_of(driver, "cuLibrary");
  }();
  return calls;
}

}  // namespace

Result<CubinLibrary> CubinLibrary::load(const std::string& image, std::string_view name) {
  const LibraryCalls& calls = library_calls();
  if (!calls.complete() || calls.load == nullptr) {  // the second for the analyzer
    return fail(Errc::unavailable,
                "neither the CUDA runtime nor the driver can load a cubin: update the driver");
  }
  // The driver's functions want a context, which the runtime makes.
  WARPMIND_CHECK(cuda_check(cudaFree(nullptr), "starting CUDA"));
  void* library = nullptr;
  const int code = calls.load(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  WARPMIND_CHECK(cuda_check(static_cast<cudaError_t>(code), "loading " + std::string(name)));
  return CubinLibrary(library);
}

const void* CubinLibrary::kernel(const std::string& name) const {
  void* kernel = nullptr;
  const auto find = library_calls().kernel;
  if (find != nullptr && find(&kernel, library_.get(), name.c_str()) == 0) return kernel;
  (void)cudaGetLastError();
  return nullptr;
}

void CubinLibrary::Unload::operator()(void* library) const noexcept {
  if (const auto unload = library_calls().unload; unload != nullptr) (void)unload(library);
}

}  // namespace warpmind::profilers
