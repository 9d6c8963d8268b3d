// The launch translator has to translate any text or refuse it: it gets what learners type.
#include "cuda_compiler/translator.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const cuda_compiler::translation result = cuda_compiler::translate(text);
  // A translation with errors has no text, and the same text is translated the same way again.
  if (!result.errors.empty() && !result.text.empty()) std::abort();
  if (cuda_compiler::translate(text).text != result.text) std::abort();
  return 0;
}
