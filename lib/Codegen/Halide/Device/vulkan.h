//===- vulkan.h - Vulkan, and Halide's runtime for it ---------------------===//
//
// What vulkan.c and vulkan_tensors.c share: types of Vulkan 1.0, and variables
// of Halide 21, by their C++ names.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_DEVICE_VULKAN_H
#define ATTNC_LIB_CODEGEN_HALIDE_DEVICE_VULKAN_H

#include <stddef.h>
#include <stdint.h>

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

static inline int is_same(const char *a, const char *b) {
  while (*a && *a == *b)
    ++a, ++b;
  return *a == *b;
}

/* Replaces the queue that Halide's context has by the caller's, if there is
 * one.
 */
void attnc_vulkan_use_queue(void **its_queue, uint32_t *its_family);

#endif
