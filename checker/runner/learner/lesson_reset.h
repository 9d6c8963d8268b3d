// lesson_reset.h: puts the file of a lesson back as it was, loses nothing of the learner's, and can be
// undone.
//
// Kept copies are .streamlings/backup/SLUG-DATE-NN.cu.
#pragma once

#include <filesystem>

#include "course/checkout.h"

namespace runner {

/// What was done with the file.
struct reset_outcome {
  bool has_changed = false;       ///< false: the file was as it came
  std::filesystem::path kept_as;  ///< the dated copy of the learner's file; empty when there was none to keep
  std::filesystem::path restored;  ///< of an undo: the copy that the file was taken from
};

/// Replaces the learner's file by the skeleton after keeping a dated copy. Throws cannot_do, and then has
/// changed nothing.
reset_outcome reset_lesson(const course::checkout& checkout, const course::lesson& lesson);

/// Brings back the newest kept copy that differs from the file as it is, after keeping that one when it is
/// the learner's and not kept yet. Throws cannot_do when there is no such copy, and then has changed nothing.
reset_outcome undo_reset(const course::checkout& checkout, const course::lesson& lesson);

/// Copies the learner's file into the folder of kept copies. Throws cannot_do.
std::filesystem::path keep_copy(const course::checkout& checkout, const course::lesson& lesson);

}  // namespace runner
