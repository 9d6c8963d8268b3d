// architectures.h: for which GPUs nvcc is to compile.
#pragma once

#include <string>
#include <vector>

namespace real_gpu {

/// The options of nvcc for the GPUs of this machine that programs see, such as -gencode and its value. Without a driver
/// or a GPU it is -arch=native, which asks again, and nvcc then says what is missing.
/// @see nvcc, "-arch native"; CUDA Driver API, cuDeviceGetAttribute
std::vector<std::string> architecture_options();

}  // namespace real_gpu
