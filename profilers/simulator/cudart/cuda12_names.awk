# Reads `nm` of the objects of the simulated runtime and writes C++: for each function of CUDA that they
# define, the same name with the version that programs built with CUDA 12 ask for. What has other
# parameters there is in api_cuda12.cpp, as toolkit12_NAME.
# cudaThreadNAME was cudaDeviceNAME's first name, until CUDA 12.
$3 ~ /@/ { next }  # a version that the object names itself
$2 ~ /^[TW]$/ && $3 ~ /^(__)?cuda[A-Z]/ { names[$3] = 1 }
$2 ~ /^[TW]$/ && $3 ~ /^toolkit12_/ { own[substr($3, 11)] = 1 }
function forward(name, target) {
  if (name in own || !(target in names)) return
  printf "__asm__(\".globl toolkit12_%s\\n.type toolkit12_%s, @function\\n", name, name
  printf "toolkit12_%s: jmp %s@PLT\\n.size toolkit12_%s, .-toolkit12_%s\\n", name, target, name, name
  printf ".symver toolkit12_%s, %s@libcudart.so.12\");\n", name, name
}
END {
  print "__asm__(\".text\");"
  for (name in names) {
    # CUDA 11's structure, which no program built with CUDA 12 asks for.
    if (name != "cudaGetDeviceProperties") forward(name, name)
  }
  forward("cudaThreadExit", "cudaDeviceReset")
  forward("cudaThreadSynchronize", "cudaDeviceSynchronize")
  forward("cudaThreadGetLimit", "cudaDeviceGetLimit")
  forward("cudaThreadSetLimit", "cudaDeviceSetLimit")
  forward("cudaThreadGetCacheConfig", "cudaDeviceGetCacheConfig")
  forward("cudaThreadSetCacheConfig", "cudaDeviceSetCacheConfig")
}
