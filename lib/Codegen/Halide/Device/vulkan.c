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

#include "vulkan.h"

void halide_error(void *context, const char *message);
void *halide_malloc(void *context, size_t bytes);
void halide_free(void *context, void *block);

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
  } else {
    attnc_vulkan_use_queue(its_queue, its_family);
  }
  return code;
}
