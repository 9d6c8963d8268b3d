// process_tree.h: which processes run below which, and the end of those that nobody wants any more.
//
//     processes::adopt_orphans();
//     ... a child of ours ends without having ended its own children ...
//     processes::end_adopted(5s);
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace processes {

/// The children of a process that run or are not reaped yet.
std::vector<pid_t> children_of(pid_t process);

/// The names of the programs of these children.
std::vector<std::string> children_names(pid_t process);

/// True when a signal or a debugger has stopped it.
bool is_stopped(pid_t process);

/// Kills all processes below one, each with its process group, so that none of a group can fork away. They must
/// not share a session with this process.
void kill_below(pid_t process);

/// From here on, orphans of children of this process become its children too.
void adopt_orphans();

/// Forks. The child counts as started by this process until wait_for() or forget_child().
pid_t fork_child();
/// Of a child that has been reaped.
void forget_child(pid_t child);

/// Kills and reaps adopted orphans, and all below them, until none is left; false when some were left at the limit.
bool end_adopted(std::chrono::milliseconds limit);

}  // namespace processes
