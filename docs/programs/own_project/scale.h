// Multiplies an array on the GPU, a part in each of two streams.
#pragma once

void scale(float* values, int count, float factor);
