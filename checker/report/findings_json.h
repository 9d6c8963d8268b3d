// findings_json.h: findings for machines.
#pragma once

#include <string>
#include <vector>

#include "report/finding.h"

namespace report {

/// {"findings": [{"category": "race", "rule": "result_read_early", "title": "...", "message": "...",
/// "places": [{"file": "/home/me/sum.cu", "line": 30, "called_from": [{"file": "/home/me/sum.cu", "line": 52}]}]}]}: one object,
/// ends with a line break.
std::string findings_json(const std::vector<finding>& findings);

}  // namespace report
