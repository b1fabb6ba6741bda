// The runtime's copy within the device.
extern "C" int library_call(const void* x, void* y, long long bytes, cudaStream_t stream) {
  return cudaMemcpyAsync(y, x, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, stream) ==
                 cudaSuccess
             ? 0
             : 1;
}
