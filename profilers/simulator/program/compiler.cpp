#include "profilers/simulator/program/compiler.h"
