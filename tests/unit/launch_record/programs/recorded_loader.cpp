// Runs the main() of a library that it loads for itself alone, as interpreters load extensions.
#include <cstdio>
#include <dlfcn.h>

int main(int argc, char** argv) {
  void* const library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) {
    std::fprintf(stderr, "cannot load: %s\n", argc == 2 ? dlerror() : "name one library");
    return 2;
  }
  const auto run = reinterpret_cast<int (*)()>(dlsym(library, "main"));
  return run == nullptr ? 2 : run();
}
