// refuse_cupti.cpp: put in front of CUPTI (LD_PRELOAD), it answers as CUPTI does when another profiler is attached.
#include <cupti.h>

extern "C" __attribute__((visibility("default"))) CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle*,
                                                                                      CUpti_CallbackFunc,
                                                                                      void*) {
  return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
}
