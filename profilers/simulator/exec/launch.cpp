#include "profilers/simulator/exec/launch.h"
