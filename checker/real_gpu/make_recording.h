// make_recording.h: turns the data of a real GPU's recorder into a recording.
//
// Copies, kernels and memsets are what the device reported. Events leave no record of their own on the
// device: an event record ends when the work before it in its stream has ended, a wait when the captured
// record has as well; these times follow from stream order and are not measured. Accessed bytes are unknown and
// stay absent.
//
//     trace::recording recording = real_gpu::make_recording(run);
#pragma once

#include <string>
#include <string_view>

#include "real_gpu/raw_run.h"

namespace real_gpu {

/// Notes what is missing as diagnostics: "not_recorded" (nothing could be recorded), "lost_records" (activity
/// records are missing: the recording says less than happened), "not_attributed" (work of a call whose stream
/// is not known). Calls of CUDA inside host functions are noted as "cuda_call_in_host_function".
trace::recording make_recording(const raw_run& run);

/// "scale" of "_Z5scaleIfEvPT_i": the plain name of a kernel, without namespaces, template arguments and
/// parameters. A name that is not mangled is returned as it is.
std::string plain_kernel_name(std::string_view mangled);

}  // namespace real_gpu
