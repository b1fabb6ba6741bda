#include "profilers/simulator/ptx/parser.h"
