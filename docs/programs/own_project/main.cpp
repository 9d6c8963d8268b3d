#include <cstdio>
#include <vector>

#include "scale.h"

int main() {
  std::vector<float> values(1 << 20, 2);
  scale(values.data(), static_cast<int>(values.size()), 3);
  std::printf("%g\n", values.back());
}
