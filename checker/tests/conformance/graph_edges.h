// graph_edges.h: the functions on edges of graphs by the names that CUDA 13 gave them. With a parameter for
// the data of edges, CUDA 12 calls them _v2; without it, it has them under these names.
#pragma once

#include <cuda_runtime.h>

#if CUDART_VERSION < 13000
#define cudaGraphAddDependencies cudaGraphAddDependencies_v2
#define cudaGraphGetEdges cudaGraphGetEdges_v2
#define cudaGraphNodeGetDependencies cudaGraphNodeGetDependencies_v2
#define cudaGraphNodeGetDependentNodes cudaGraphNodeGetDependentNodes_v2
#define cudaGraphRemoveDependencies cudaGraphRemoveDependencies_v2
#endif
