// lesson_reset.h: replaces the file of a lesson by its skeleton, with a copy kept, and undoes that.
//
// Kept copies are .streamlings/backup/SLUG-DATE-NN.cu.
#pragma once

#include <filesystem>

#include "course/checkout.h"

namespace runner {

/// The result of a reset or of its undo.
struct reset_outcome {
  bool has_changed = false;        ///< false: the file was the skeleton
  std::filesystem::path kept_as;   ///< the dated copy of the learner's file; empty: no copy was needed
  std::filesystem::path restored;  ///< undo: the copy that was restored
};

/// Keeps a dated copy of the learner's file and replaces it by the skeleton. Throws cannot_do without having
/// changed anything.
reset_outcome reset_lesson(const course::checkout& checkout, const course::lesson& lesson);

/// Restores the newest kept copy that differs from the file, after keeping the file itself if it is the
/// learner's. Throws cannot_do without having changed anything.
reset_outcome undo_reset(const course::checkout& checkout, const course::lesson& lesson);

/// Copies the learner's file into the folder of kept copies. Throws cannot_do.
std::filesystem::path keep_copy(const course::checkout& checkout, const course::lesson& lesson);

}  // namespace runner
