#include "profilers/simulator/memory/device_memory.h"
