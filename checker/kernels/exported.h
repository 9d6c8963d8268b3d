// exported.h: marks what exercise programs may see of libvirtual_gpu; everything else is hidden.
#pragma once

/// Before a function or variable: exercise programs are linked against it.
#define EXPORTED __attribute__((visibility("default")))
