/* Of vulkan-tensors.test: calls with tensors in buffers of Vulkan, compared with the
   part for CPUs. Vulkan is count-vulkan.c. */
#define VK_NO_PROTOTYPES
#include "plain.h"
#include "table.h"
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { HEADS = 2, ROWS = 37, DIM = 16, SIZE = HEADS * ROWS * DIM, ROOM = 4 * SIZE };

static void require(int is_ok, const char *what) {
  if (is_ok)
    return;
  printf("failed: %s\n", what);
  exit(2);
}

/* The loader. */
static int *copies, *made, *destroyed, *instances, *devices;
static PFN_vkGetInstanceProcAddr find;
static struct attnc_vulkan vulkan = {.size = sizeof vulkan};
#define CALL(name) ((PFN_##name)find((VkInstance)vulkan.instance, #name))
#define DEVICE ((VkDevice)vulkan.device)

static attnc_runtime runtime;
static attnc_runtime cpu = {.size = sizeof cpu, .cpu = "x86-64-v3"};
static int64_t shape[4] = {1, HEADS, ROWS, DIM};
static float expected[SIZE];

static void report(void *user, attnc_status status, const char *text) {
  printf("%s: status %d: %s\n", (const char *)user, (int)status, text);
}

static void load(void) {
  void *library = dlopen("libvulkan.so.1", RTLD_NOW);
  require(library != NULL, "dlopen");
  copies = dlsym(library, "copies");
  made = dlsym(library, "shaders_made");
  destroyed = dlsym(library, "shaders_destroyed");
  instances = dlsym(library, "instances");
  devices = dlsym(library, "devices");
  find = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
  require(copies && made && destroyed && instances && devices && find, "dlsym");
  VkApplicationInfo application = {
      .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
  VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                               .pApplicationInfo = &application};
  require(!CALL(vkCreateInstance)(&info, NULL, (VkInstance *)&vulkan.instance),
          "vkCreateInstance");
}

/* The first device with a queue that computes, with all of its features. */
static void open_device(void) {
  VkPhysicalDevice all[8];
  uint32_t count = 8, families = 16;
  VkQueueFamilyProperties family[16];
  require(CALL(vkEnumeratePhysicalDevices)((VkInstance)vulkan.instance, &count,
                                           all) >= 0 && count,
          "vkEnumeratePhysicalDevices");
  vulkan.physical_device = all[0];
  CALL(vkGetPhysicalDeviceQueueFamilyProperties)(all[0], &families, family);
  while (!(family[vulkan.queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT))
    ++vulkan.queue_family;
  VkPhysicalDeviceVulkan12Features newer = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceVulkan11Features features11 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
      .pNext = &newer};
  VkPhysicalDeviceFeatures2 features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features11};
  CALL(vkGetPhysicalDeviceFeatures2)(all[0], &features);
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
      .queueFamilyIndex = vulkan.queue_family, .queueCount = 1,
      .pQueuePriorities = &priority};
  VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                             .pNext = &features, .queueCreateInfoCount = 1,
                             .pQueueCreateInfos = &queue};
  require(!CALL(vkCreateDevice)(all[0], &info, NULL, (VkDevice *)&vulkan.device),
          "vkCreateDevice");
  CALL(vkGetDeviceQueue)(DEVICE, vulkan.queue_family, 0, (VkQueue *)&vulkan.queue);
}

/* A buffer in memory that the host sees. */
struct buffer {
  VkBuffer buffer;
  VkDeviceMemory memory;
  void *data;
};

static struct buffer make(size_t bytes) {
  struct buffer one;
  VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                             .size = bytes,
                             .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
  require(!CALL(vkCreateBuffer)(DEVICE, &info, NULL, &one.buffer), "vkCreateBuffer");
  VkMemoryRequirements needs;
  VkPhysicalDeviceMemoryProperties types;
  CALL(vkGetBufferMemoryRequirements)(DEVICE, one.buffer, &needs);
  CALL(vkGetPhysicalDeviceMemoryProperties)
  ((VkPhysicalDevice)vulkan.physical_device, &types);
  uint32_t type = 0, wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                              VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  while (!(needs.memoryTypeBits >> type & 1) ||
         (types.memoryTypes[type].propertyFlags & wanted) != wanted)
    ++type;
  VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = needs.size,
                                 .memoryTypeIndex = type};
  require(!CALL(vkAllocateMemory)(DEVICE, &memory, NULL, &one.memory) &&
              !CALL(vkBindBufferMemory)(DEVICE, one.buffer, one.memory, 0) &&
              !CALL(vkMapMemory)(DEVICE, one.memory, 0, VK_WHOLE_SIZE, 0, &one.data),
          "memory");
  return one;
}

static void destroy(struct buffer *one) {
  CALL(vkDestroyBuffer)(DEVICE, one->buffer, NULL);
  CALL(vkFreeMemory)(DEVICE, one->memory, NULL);
}

static void tell(const char *name, const float *data, long row, long head) {
  int differs = 0;
  for (int h = 0; h < HEADS; ++h)
    for (int r = 0; r < ROWS; ++r)
      for (int d = 0; d < DIM; ++d)
        differs |= !(fabs(data[h * head + r * row + d] -
                          expected[(h * ROWS + r) * DIM + d]) <= 1e-5);
  printf("%s: %s, copies %d, shaders %d - %d, instances %d, devices %d\n", name,
         differs ? "different" : "equal", *copies, *made, *destroyed, *instances,
         *devices);
}

static void reset(void) {
  *copies = *made = *destroyed = *instances = *devices = 0;
}

static float at(unsigned i) {
  return (float)(i * 2654435761u >> 8) / (1 << 23) - 1;
}

/* Tensors begin `first` elements after the begin of their buffers, with `gap`
   between rows. */
static void describe(attnc_tensor *t, int64_t *strides, struct buffer *buffers,
                     long first, long gap) {
  strides[0] = 0;
  strides[1] = ROWS * (DIM + gap);
  strides[2] = DIM + gap;
  strides[3] = 1;
  for (int i = 0; i < 4; ++i) {
    float *data = (float *)buffers[i].data + first;
    for (int j = 0; j < SIZE; ++j)
      data[j / (ROWS * DIM) * strides[1] + j / DIM % ROWS * strides[2] + j % DIM] =
          at((unsigned)(i * SIZE + j));
    t[i] = (attnc_tensor){.data = data, .device = {1, 0}, .ndim = 4,
                          .dtype = {2, 32, 1}, .shape = shape, .strides = strides};
  }
  attnc_tensor o = t[3];
  o.data = expected;
  o.strides = NULL;
  require(plain(&t[0], &t[1], &t[2], &o, &cpu) == ATTNC_OK, "the CPU");
  for (int i = 0; i < 4; ++i) {
    t[i].data = (void *)(uintptr_t)buffers[i].buffer;
    t[i].device.type = 7;
    t[i].byte_offset = (uint64_t)first * 4;
  }
}

static void call(const char *name, long first, long gap, int in_place) {
  struct buffer buffers[4];
  attnc_tensor t[4];
  int64_t strides[4];
  for (int i = 0; i < 4; ++i)
    buffers[i] = make(ROOM * 4);
  describe(t, strides, buffers, first, gap);
  if (in_place)
    t[3] = t[0];
  reset();
  require(plain(&t[0], &t[1], &t[2], &t[3], &runtime) == ATTNC_OK, name);
  tell(name, (float *)buffers[in_place ? 0 : 3].data + first, strides[2], strides[1]);
  for (int i = 0; i < 4; ++i)
    destroy(&buffers[i]);
}

/* Nothing is launched. */
static void call_without_elements(const char *name) {
  int64_t empty[4] = {0, HEADS, ROWS, DIM};
  attnc_tensor t = {.device = {7, 0}, .ndim = 4, .dtype = {2, 32, 1}, .shape = empty};
  reset();
  require(plain(&t, &t, &t, &t, &runtime) == ATTNC_OK, name);
  printf("%s: shaders %d - %d\n", name, *made, *destroyed);
}

static void call_host(const char *name, struct attnc_vulkan *with) {
  static float data[4][SIZE];
  attnc_tensor t[4];
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < SIZE; ++j)
      data[i][j] = at((unsigned)(i * SIZE + j));
    t[i] = (attnc_tensor){.data = data[i], .device = {1, 0}, .ndim = 4,
                          .dtype = {2, 32, 1}, .shape = shape};
  }
  attnc_tensor o = t[3];
  o.data = expected;
  require(plain(&t[0], &t[1], &t[2], &o, &cpu) == ATTNC_OK, "the CPU");
  attnc_runtime copying = {.size = sizeof copying, .cpu = "vulkan", .stream = with};
  reset();
  require(plain(&t[0], &t[1], &t[2], &t[3], &copying) == ATTNC_OK, name);
  tell(name, data[3], DIM, ROWS * DIM);
}

static void call_table(const char *name, int32_t length) {
  struct buffer buffers[5];
  int64_t one[1] = {1};
  attnc_tensor t[5];
  for (int i = 0; i < 5; ++i) {
    buffers[i] = make(SIZE * 4);
    for (int j = 0; j < SIZE; ++j)
      ((float *)buffers[i].data)[j] = at((unsigned)(i * SIZE + j));
    t[i] = (attnc_tensor){.data = buffers[i].data, .device = {1, 0}, .ndim = 4,
                          .dtype = {2, 32, 1}, .shape = shape};
  }
  *(int32_t *)buffers[3].data = length;
  t[3] = (attnc_tensor){.data = &length, .device = {1, 0}, .ndim = 1,
                        .dtype = {0, 32, 1}, .shape = one};
  t[4].data = expected;
  attnc_status on_cpu = table(&t[0], &t[1], &t[2], &t[3], &t[4], &cpu);
  for (int i = 0; i < 5; ++i) {
    t[i].data = (void *)(uintptr_t)buffers[i].buffer;
    t[i].device.type = 7;
  }
  reset();
  runtime.user = (void *)name;
  attnc_status status = table(&t[0], &t[1], &t[2], &t[3], &t[4], &runtime);
  require(status == on_cpu, name);
  if (status == ATTNC_OK)
    tell(name, buffers[4].data, DIM, ROWS * DIM);
  for (int i = 0; i < 5; ++i)
    destroy(&buffers[i]);
}

static void refuse(void) {
  struct buffer buffers[4], small = make(SIZE * 4 - 256), large = make(130 << 20);
  attnc_tensor t[4], bad;
  int64_t strides[4];
  for (int i = 0; i < 4; ++i)
    buffers[i] = make(ROOM * 4);
  describe(t, strides, buffers, 0, 0);
#define REFUSED(name)                                                          \
  (runtime.user = name,                                                        \
   require(plain(&t[0], &bad, &t[2], &t[3], &runtime) != ATTNC_OK, name))
  bad = t[1];
  runtime.stream = NULL;
  REFUSED("no device");
  struct attnc_vulkan wrong = vulkan;
  runtime.stream = &wrong;
  wrong.size = 8;
  REFUSED("bad size");
  wrong = vulkan;
  wrong.queue = NULL;
  REFUSED("no queue");
  runtime.stream = &vulkan;
  bad.data = (void *)(uintptr_t)small.buffer;
  REFUSED("too small");
  bad.data = (void *)(uintptr_t)large.buffer;
  bad.byte_offset = 129 << 20;
  REFUSED("far from the begin");
  bad = t[1];
  bad.data = expected;
  bad.device.type = 1;
  REFUSED("mixed");
  for (int i = 0; i < 4; ++i)
    destroy(&buffers[i]);
  destroy(&small), destroy(&large);
}

int main(void) {
  load();
  open_device();
  runtime = (attnc_runtime){.size = sizeof runtime, .report = report,
                            .stream = &vulkan};
  call("dense", 0, 0, 0);
  vulkan.keep_kernels = 1;
  call("slices", 7, 5, 0);
  call("kept", 64, 0, 0);
  vulkan.keep_kernels = 0;
  call("released", 0, 0, 0);
  vulkan.keep_kernels = 1;
  call("kept again", 0, 0, 0);
  vulkan.keep_kernels = 0;
  call_without_elements("no elements");
  call("in place", 0, 0, 1);
  call_table("table", 20);
  call_table("bad table", 99);
  call_host("tensors of the host", &vulkan);
  call_host("without a device", NULL);
  call("again", 0, 0, 0);
  refuse();
  CALL(vkDestroyDevice)(DEVICE, NULL);
  CALL(vkDestroyInstance)((VkInstance)vulkan.instance, NULL);
  return 0;
}
