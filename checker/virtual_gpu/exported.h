// exported.h: marks what exercise programs may see of libvirtual_gpu; everything else is hidden.
#pragma once

#define EXPORTED __attribute__((visibility("default")))
