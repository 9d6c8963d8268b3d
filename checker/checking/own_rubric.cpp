// Linked with every check.cpp, once into each module.
#include "checking/criterion.h"

namespace checking {

// Registration happens while the module is loaded, before this file's own objects need exist: a function-local
// object is there in time.
rubric& own_rubric() {
  static rubric filled;
  return filled;
}

}  // namespace checking

/// What load_rubric() looks for.
extern "C" const checking::rubric& streamlings_rubric() { return checking::own_rubric(); }
