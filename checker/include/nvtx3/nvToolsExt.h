// nvToolsExt.h: NVTX: names for stretches of host code, which timelines show. They cost no virtual time.
// Threads cannot be named (nvtxNameOsThread), and there are no resources and no synchronization objects.
// @see NVTX C API Reference
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_SUCCESS 0
#define NVTX_FAIL 1
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st* nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st* nvtxStringHandle_t;

typedef enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef union nvtxMessageValue_t {
  const char* ascii;
  const wchar_t* unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;

typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
  NVTX_PAYLOAD_TYPE_INT32 = 5,
  NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

/// What is known about a range or a mark; zero in all fields but the first two means "nothing".
typedef struct nvtxEventAttributes_v2 {
  uint16_t version;  ///< NVTX_VERSION
  uint16_t size;     ///< NVTX_EVENT_ATTRIB_STRUCT_SIZE
  uint32_t category;
  int32_t colorType;    ///< an nvtxColorType_t
  uint32_t color;       ///< 0xAARRGGBB
  int32_t payloadType;  ///< an nvtxPayloadType_t
  int32_t reserved0;
  union {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;  ///< an nvtxMessageType_t
  nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

#ifdef __cplusplus
extern "C" {
#endif

inline void nvtxInitialize(const void* reserved) { (void)reserved; }

/// Begins a range that ends with the thread's next nvtxRangePop. Return how many ranges were open before, or a negative
/// number when the attributes are of another version.
int nvtxRangePushA(const char* message);
int nvtxRangePushW(const wchar_t* message);
int nvtxRangePushEx(const nvtxEventAttributes_t* attributes);
/// Ends the thread's innermost range. Returns how many are still open, or a negative number when none was.
int nvtxRangePop(void);

/// Begin a range that any thread may end. Return its id, or 0 when the attributes are of another version.
nvtxRangeId_t nvtxRangeStartA(const char* message);
nvtxRangeId_t nvtxRangeStartW(const wchar_t* message);
nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t* attributes);
void nvtxRangeEnd(nvtxRangeId_t id);

/// Name the present time.
void nvtxMarkA(const char* message);
void nvtxMarkW(const wchar_t* message);
void nvtxMarkEx(const nvtxEventAttributes_t* attributes);

/// Domains have ranges of their own; the handle 0 is the default domain.
nvtxDomainHandle_t nvtxDomainCreateA(const char* name);
nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t* name);
void nvtxDomainDestroy(nvtxDomainHandle_t domain);
int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes);
int nvtxDomainRangePop(nvtxDomainHandle_t domain);
nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes);
void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id);
void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes);
nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char* text);
nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t* text);

/// Names a category of attributes.
void nvtxNameCategoryA(uint32_t category, const char* name);
void nvtxDomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char* name);

#ifdef __cplusplus
}
#endif

// The names without a suffix, as in NVTX without UNICODE.
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
