#include "checking/lesson_module.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <stdexcept>

#include "processes/descriptor.h"
#include "processes/files.h"

namespace checking {

namespace fs = std::filesystem;

namespace {

/// The start script holds a lock while it builds, after the first start in the background.
void wait_for_build(const fs::path& build) {
  const processes::descriptor lock(open((build / ".lock").c_str(), O_RDONLY | O_CLOEXEC));
  if (!lock.is_open() || flock(lock.number(), LOCK_SH | LOCK_NB) == 0) return;
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "The check of this lesson is being built: waiting for it.\n");
  flock(lock.number(), LOCK_SH);
}

}  // namespace

fs::path module_of(const std::string& lesson_folder) {
  const fs::path build = processes::own_program().parent_path().parent_path();
  return build / "lib" / "checks" / (lesson_folder + ".so");
}

const rubric& load_rubric(const fs::path& module) {
  if (!fs::exists(module)) wait_for_build(module.parent_path().parent_path().parent_path());
  if (!fs::exists(module)) {
    throw std::runtime_error(
        fmt::format("The check of this lesson is not built: {} is missing.", module.string()));
  }
  void* const loaded = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr)
    throw std::runtime_error(fmt::format("The check of this lesson cannot be loaded: {}", dlerror()));
  if (const void* errors = dlsym(loaded, "streamlings_compile_errors")) {
    throw std::runtime_error(
        fmt::format("The check of this lesson does not compile.\n{}", static_cast<const char*>(errors)));
  }
  const void* const rubric_of_module = dlsym(loaded, "streamlings_rubric");
  if (rubric_of_module == nullptr)
    throw std::runtime_error(module.string() + " is not the check of a lesson");
  return reinterpret_cast<const rubric& (*)()>(const_cast<void*>(rubric_of_module))();
}

}  // namespace checking
