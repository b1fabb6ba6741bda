// Row 34: the compiler is asked for more than to compile.

//@ case includes_a_file_of_the_machine
//@ task vector_add
//@ expect build_failed
//@ reason only headers of the toolkit
#include "/etc/passwd"

extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {}

//@ case climbs_out_of_its_folder
//@ task vector_add
//@ expect build_failed
//@ reason only headers of the toolkit
#include "../reference.cpp"

extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {}

//@ case asks_which_files_there_are
//@ task vector_add
//@ expect build_failed
//@ reason __has_include
#if __has_include("/root/.ssh/id_rsa")
#define FOUND 1
#endif

extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {}

//@ case embeds_a_file
//@ task vector_add
//@ expect build_failed
//@ reason .incbin
asm(".section .rodata\n.incbin \"/etc/passwd\"\n");

extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {}

//@ case includes_itself_for_ever
//@ task vector_add
//@ expect build_failed
#include __FILE__

extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {}

//@ case a_bomb_of_templates
//@ task vector_add
//@ expect build_failed
template <int N>
struct Bomb {
  static const int value = Bomb<N - 1>::value + Bomb<N - 2>::value + Bomb<N * 2>::value;
};

extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = Bomb<30>::value;
}
