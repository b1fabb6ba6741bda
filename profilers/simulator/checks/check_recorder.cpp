#include "profilers/simulator/checks/check_recorder.h"
