//===- vulkan.c - What objects with kernels for Vulkan call ---------------===//
//
// Replaces the allocator of Halide's runtime for Vulkan, which gives parts of
// larger blocks: it cuts their sizes to multiples of the device's alignment, so
// that the last elements of a tensor are lost, lets parts overlap, and ignores
// which memory a buffer may have. Here each buffer has memory of its own. A
// call has few buffers, and they live as long as the call; what the kernels'
// parameters need lives as long as the kernel.
//
// The names are those of the methods of VulkanMemoryAllocator in Halide 21. It
// is compiled and linked like launch.c. Tests:
// test/Integration/halide/vulkan.test
//
//===----------------------------------------------------------------------===//

#include <stddef.h>
#include <stdint.h>

void halide_error(void *context, const char *message);
void *halide_malloc(void *context, size_t bytes);
void halide_free(void *context, void *block);

#define IN_VULKAN(name) __asm__("_ZN6Halide7Runtime8Internal6Vulkan" #name)
#define IN_ALLOCATOR(name) IN_VULKAN(21VulkanMemoryAllocator##name)

/* Of Halide: MemoryProperties, MemoryRequest and MemoryRegion. */
enum visibility { HOST_ONLY = 1, DEVICE_ONLY, DEVICE_TO_HOST, HOST_TO_DEVICE };
enum usage { UNIFORM_STORAGE = 3 };
struct properties {
  int32_t visibility, usage, caching;
  size_t alignment, nearest_multiple;
};
struct request {
  size_t offset, size, alignment;
  _Bool is_dedicated;
  struct properties properties;
};
struct region {
  uint64_t *buffer; /* null if there is none */
  size_t offset, size, head_offset, tail_offset;
  _Bool is_dedicated, is_owner;
  struct properties properties;
};
_Static_assert(sizeof(struct region) == 80, "MemoryRegion of Halide 21");

/* A buffer with its memory. The region is first: Halide has its address. */
struct memory {
  struct region region;
  uint64_t buffer, memory;
};

/* Of Vulkan 1.0. */
enum {
  STRUCTURE_MEMORY_ALLOCATE = 5,
  STRUCTURE_BUFFER_CREATE = 12,
  USAGE_TRANSFERS = 1 | 2,
  USAGE_UNIFORM = 16,
  USAGE_STORAGE = 32,
  PROPERTY_DEVICE_LOCAL = 1,
  PROPERTY_HOST_VISIBLE = 2,
  PROPERTY_HOST_COHERENT = 4,
  MAX_MEMORY_TYPES = 32,
  MAX_MEMORY_HEAPS = 16,
};
struct buffer_create {
  int32_t type;
  const void *next;
  uint32_t flags;
  uint64_t size;
  uint32_t usage;
  int32_t sharing;
  uint32_t family_count;
  const uint32_t *families;
};
struct requirements {
  uint64_t size, alignment;
  uint32_t types; /* a bit for each type that the buffer may have */
};
struct memory_allocate {
  int32_t type;
  const void *next;
  uint64_t size;
  uint32_t memory_type;
};
/* VkPhysicalDeviceProperties. */
struct device_properties {
  uint32_t words[5];
  char name[256];
  uint8_t cache[16];
  _Alignas(8) struct { /* VkPhysicalDeviceLimits */
    uint32_t image_sizes[5], texel_elements, uniform_bytes, storage_bytes;
    uint32_t others[46], shared_bytes, groups[3], rest[68];
  } limits;
  uint32_t sparse[5];
};
_Static_assert(offsetof(struct device_properties, limits) == 296 &&
                   sizeof(struct device_properties) == 824,
               "VkPhysicalDeviceProperties");
struct device_memory {
  uint32_t type_count;
  struct {
    uint32_t properties, heap;
  } types[MAX_MEMORY_TYPES];
  uint32_t heap_count;
  struct {
    uint64_t size;
    uint32_t flags;
  } heaps[MAX_MEMORY_HEAPS];
};

extern void *instance IN_VULKAN(15cached_instanceE);
extern void *device IN_VULKAN(13cached_deviceE);
extern void *physical_device IN_VULKAN(22cached_physical_deviceE);
extern void (*destroy_instance)(void *, const void *)
    IN_VULKAN(17vkDestroyInstanceE);
extern int32_t (*create_buffer)(void *, const struct buffer_create *,
                                const void *, uint64_t *)
    IN_VULKAN(14vkCreateBufferE);
extern void (*destroy_buffer)(void *, uint64_t, const void *)
    IN_VULKAN(15vkDestroyBufferE);
extern void (*get_requirements)(void *, uint64_t, struct requirements *)
    IN_VULKAN(29vkGetBufferMemoryRequirementsE);
extern void (*get_properties)(void *, struct device_properties *)
    IN_VULKAN(29vkGetPhysicalDevicePropertiesE);
extern void (*get_device_memory)(void *, struct device_memory *)
    IN_VULKAN(35vkGetPhysicalDeviceMemoryPropertiesE);
extern int32_t (*allocate_memory)(void *, const struct memory_allocate *,
                                  const void *, uint64_t *)
    IN_VULKAN(16vkAllocateMemoryE);
extern void (*free_memory)(void *, uint64_t, const void *)
    IN_VULKAN(12vkFreeMemoryE);
extern int32_t (*bind_memory)(void *, uint64_t, uint64_t, uint64_t)
    IN_VULKAN(18vkBindBufferMemoryE);
extern int32_t (*map_memory)(void *, uint64_t, uint64_t, uint64_t, uint32_t,
                             void **) IN_VULKAN(11vkMapMemoryE);
extern void (*unmap_memory)(void *, uint64_t) IN_VULKAN(13vkUnmapMemoryE);

/* Whether one of the types that `buffer` may have, with all `properties`, had
   room. Vulkan orders types so that the first one is the fastest. */
static int allocate(struct memory *memory,
                    const struct requirements *requirements,
                    uint32_t properties) {
  struct device_memory types;
  get_device_memory(physical_device, &types);
  for (uint32_t i = 0; i < types.type_count; ++i) {
    struct memory_allocate info = {STRUCTURE_MEMORY_ALLOCATE, 0,
                                   requirements->size, i};
    if ((requirements->types >> i & 1) &&
        (types.types[i].properties & properties) == properties &&
        !allocate_memory(device, &info, 0, &memory->memory))
      return 1;
  }
  return 0;
}

/* Fills `memory` with a buffer of at least `bytes`; null if that worked. */
static const char *create(struct memory *memory, size_t bytes,
                          const struct properties *wanted) {
  /* The device clears and copies words of 4 bytes, and reads parameters by 16.
   */
  struct buffer_create info = {
      .type = STRUCTURE_BUFFER_CREATE,
      .size = (bytes + 15) / 16 * 16,
      .usage = wanted->usage == UNIFORM_STORAGE
                   ? USAGE_UNIFORM
                   : USAGE_STORAGE | USAGE_TRANSFERS,
  };
  if (create_buffer(device, &info, 0, &memory->buffer))
    return "Vulkan: cannot create a buffer";
  struct requirements requirements;
  get_requirements(device, memory->buffer, &requirements);
  int is_on_device = wanted->visibility == DEVICE_ONLY;
  uint32_t visible = PROPERTY_HOST_VISIBLE | PROPERTY_HOST_COHERENT;
  if (!(is_on_device &&
        allocate(memory, &requirements, PROPERTY_DEVICE_LOCAL)) &&
      !allocate(memory, &requirements, is_on_device ? 0 : visible)) {
    destroy_buffer(device, memory->buffer, 0);
    return "Vulkan: the device has no memory for a buffer";
  }
  if (bind_memory(device, memory->buffer, memory->memory, 0)) {
    destroy_buffer(device, memory->buffer, 0);
    free_memory(device, memory->memory, 0);
    return "Vulkan: cannot bind memory to a buffer";
  }
  memory->region = (struct region){.buffer = &memory->buffer,
                                   .size = info.size,
                                   .is_owner = 1,
                                   .properties = *wanted};
  return 0;
}

/* Of launch.c, whose definition this replaces. */
struct attnc_limits {
  int64_t bytes, elements, groups;
};
void attnc_device_limits(struct attnc_limits *limits);
void attnc_device_limits(struct attnc_limits *limits) {
  struct device_properties properties;
  if (!physical_device) /* the call fails anyway */
    return;
  get_properties(physical_device, &properties);
  limits->bytes = properties.limits.storage_bytes;
  for (int axis = 0; axis < 3; ++axis)
    if (properties.limits.groups[axis] < limits->groups)
      limits->groups = properties.limits.groups[axis];
}

struct region *reserve(void *allocator, void *context,
                       const struct request *request)
    IN_ALLOCATOR(7reserveEPvRKNS1_13MemoryRequestE);
struct region *reserve(void *allocator, void *context,
                       const struct request *request) {
  (void)allocator;
  struct memory *memory = halide_malloc(context, sizeof *memory);
  const char *error = memory
                          ? create(memory, request->size, &request->properties)
                          : "cannot allocate memory";
  if (!error)
    return &memory->region;
  halide_error(context, error);
  halide_free(context, memory);
  return 0;
}

int32_t reclaim(void *allocator, void *context, struct region *region)
    IN_ALLOCATOR(7reclaimEPvPNS1_12MemoryRegionE);
int32_t reclaim(void *allocator, void *context, struct region *region) {
  (void)allocator;
  struct memory *memory = (struct memory *)region;
  destroy_buffer(device, memory->buffer, 0);
  free_memory(device, memory->memory, 0);
  halide_free(context, memory);
  return 0;
}

/* Nothing is kept for later. */
int32_t release(void *allocator, void *context, struct region *region)
    IN_ALLOCATOR(7releaseEPvPNS1_12MemoryRegionE);
int32_t release(void *allocator, void *context, struct region *region) {
  return reclaim(allocator, context, region);
}

void *map(void *allocator, void *context, struct region *region)
    IN_ALLOCATOR(3mapEPvPNS1_12MemoryRegionE);
void *map(void *allocator, void *context, struct region *region) {
  (void)allocator;
  void *address = 0;
  uint64_t whole = ~UINT64_C(0);
  if (map_memory(device, ((struct memory *)region)->memory, 0, whole, 0,
                 &address)) {
    halide_error(context, "Vulkan: cannot map memory of the device");
    return 0;
  }
  return address;
}

int32_t unmap(void *allocator, void *context, struct region *region)
    IN_ALLOCATOR(5unmapEPvPNS1_12MemoryRegionE);
int32_t unmap(void *allocator, void *context, struct region *region) {
  (void)allocator;
  (void)context;
  unmap_memory(device, ((struct memory *)region)->memory);
  return 0;
}

enum { GENERIC_ERROR = -1 }; /* of halide_error_code_t */

/* Halide's definition of the last function below. */
int32_t attnc_original_halide_vulkan_acquire_context(
    void *context, void **its_allocator, void **its_instance, void **its_device,
    void **its_physical_device, void **its_queue, uint32_t *its_family,
    uint64_t *its_messenger, _Bool create);

void *halide_vulkan_get_symbol(void *context, const char *name);

static int is_same(const char *a, const char *b) {
  while (*a && *a == *b)
    ++a, ++b;
  return *a == *b;
}

/* Whether there is a driver: Halide aborts without this extension, which every
   one has. */
static int has_driver(void *context) {
  struct extension {
    char name[256];
    uint32_t version;
  } *all;
  int32_t (*enumerate)(const char *, uint32_t *, struct extension *) =
      (int32_t (*)(const char *, uint32_t *, struct extension *))
          halide_vulkan_get_symbol(context,
                                   "vkEnumerateInstanceExtensionProperties");
  uint32_t count = 0, is_found = 0;
  if (!enumerate || enumerate(0, &count, 0) || !count)
    return 0;
  all = halide_malloc(context, count * sizeof *all);
  if (all && enumerate(0, &count, all) >= 0)
    for (uint32_t i = 0; i < count; ++i)
      is_found |=
          is_same(all[i].name, "VK_KHR_get_physical_device_properties2");
  halide_free(context, all);
  return (int)is_found;
}

/* After a failure Halide would take the part that it made for the whole, and
   crash in the next call. */
int32_t halide_vulkan_acquire_context(void *context, void **its_allocator,
                                      void **its_instance, void **its_device,
                                      void **its_physical_device,
                                      void **its_queue, uint32_t *its_family,
                                      uint64_t *its_messenger, _Bool create) {
  if (create && !instance && !has_driver(context)) {
    halide_error(context, "Vulkan: no driver is installed");
    return GENERIC_ERROR;
  }
  int32_t code = attnc_original_halide_vulkan_acquire_context(
      context, its_allocator, its_instance, its_device, its_physical_device,
      its_queue, its_family, its_messenger, create);
  if (code) {
    if (instance && !device)
      destroy_instance(instance, 0);
    instance = 0;
  }
  return code;
}
