#include "course/record.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <system_error>

namespace course {

namespace fs = std::filesystem;

fs::path checked_file(const lesson& lesson, whose_file whose) {
  return whose == whose_file::learner ? lesson.source() : lesson.solution();
}

fs::path record_folder(const lesson& lesson, const record_subject& subject) {
  std::string name = lesson.two_digits();
  if (subject.whose == whose_file::solution) name += "-solution";
  if (subject.backend == trace::backend::gpu) name += "-gpu";
  if (!subject.profile.empty() && subject.profile != trace::usual_profile)
    name += "-" + fs::path(subject.profile).stem().string();
  return lesson.checkout / ".streamlings" / "records" / name;
}

record_lock::record_lock(const fs::path& record) {
  fs::create_directories(record);
  const fs::path file = record / "lock";
  file_ = processes::descriptor(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file_.is_open())
    throw std::system_error(errno, std::generic_category(), "cannot write " + file.string());
  while (flock(file_.number(), LOCK_EX) != 0) {
    if (errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "cannot lock " + file.string());
  }
}

}  // namespace course
