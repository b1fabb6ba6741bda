#include "profilers/simulator/profile/access_profiler.h"
