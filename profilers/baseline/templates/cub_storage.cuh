// Temporary storage of CUB's calls.
namespace {

KeptMemory storage;

/// Runs `call(memory, bytes)` with as much memory as it asks for.
template <class Call>
int with_storage(Call call) {
  std::size_t bytes = 0;
  if (call(nullptr, bytes) != cudaSuccess) return 1;
  void* const memory = storage.at_least(bytes);
  return memory != nullptr && call(memory, bytes) == cudaSuccess ? 0 : 2;
}

}  // namespace
