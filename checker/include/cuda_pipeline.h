// cuda_pipeline.h: asynchronous copies of a thread, in batches.
#pragma once
#include "cuda_pipeline_primitives.h"
