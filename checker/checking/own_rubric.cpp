// Linked into whatever holds a check.cpp, once for each.
#include "checking/criterion.h"

namespace checking {

// Registration happens before main(), from other translation units: a function-local object is there in time.
rubric& own_rubric() {
  static rubric filled;
  return filled;
}

}  // namespace checking
