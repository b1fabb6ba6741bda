// Stands for a program that the CUDA driver injects into: injected_program INJECT_LIBRARY [CUPTI]
#include <cstdio>
#include <dlfcn.h>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  const auto begin = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (begin == nullptr || begin() != 1 || begin() != 1) return 4;
  if (argc > 2) {
    void* const cupti = dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD);
    if (cupti == nullptr) return 5;
    reinterpret_cast<void (*)()>(dlsym(cupti, "fake_cupti_run_kernels"))();
  }
  std::puts("PASS");
  return 0;
}
