// findings_json.h: findings for machines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/finding.h"

namespace report {

/// {"version": 1, "findings": [{"category": "race", "rule": "result_read_early", "title": "...", "message": "...",
/// "places": [{"file": "/home/me/sum.cu", "line": 30, "called_from": [{"file": "/home/me/sum.cu", "line": 52}]}]}]}: one object,
/// ends with a line break. Where there are standings, "stood" lists them, each with its message and its places.
std::string findings_json(const std::vector<finding>& findings, const std::vector<standing>& standings = {});

/// {"version": 1, "error": "..."}: why there are none, of a program that did not run.
std::string no_findings_json(std::string_view error);

}  // namespace report
