// annotations.h: findings as annotations of GitHub Actions, shown beside the lines of a change.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/finding.h"

namespace report {

/// How GitHub shows an annotation.
enum class annotation_level { warning, error };

/// One workflow command: "::error file=src/sum.cu,line=30,title=...::...". File names are relative to
/// `root`, the folder of the repository. A finding without a line becomes an annotation of the whole run.
/// @see https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
std::string annotation(const finding& finding, annotation_level level, const std::filesystem::path& root);

}  // namespace report
