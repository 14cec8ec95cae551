//===- vulkan_tensors.c - The caller's Vulkan device and buffers ----------===//
//
// `stream` of the runtime may point to a struct attnc_vulkan, and tensors may
// be VkBuffers of its device. Halide's runtime is made to take both for its
// own: its functions that create an instance, a device and a queue get the
// caller's, and those that destroy them do nothing. So Halide loads the right
// functions, and releasing its context releases all that it made on the device.
// There is one context at a time.
//
// It is compiled and linked like launch.c. Tests:
// test/Integration/halide/vulkan-tensors.test
//
//===----------------------------------------------------------------------===//

#include "entry.h"

#include "launch.h"

#include "api.h"

#include "vulkan.h"

int32_t halide_vulkan_acquire_context(void *context, void **its_allocator,
                                      void **its_instance, void **its_device,
                                      void **its_physical_device,
                                      void **its_queue, uint32_t *its_family,
                                      uint64_t *its_messenger, _Bool create);
int32_t halide_vulkan_release_context(void *context, void *its_instance,
                                      void *its_device, void *its_queue,
                                      uint64_t its_messenger);
int32_t halide_vulkan_device_release(void *context);
int32_t halide_vulkan_wrap_vk_buffer(void *context, struct buffer *buffer,
                                     uint64_t region);
int32_t halide_vulkan_detach_vk_buffer(void *context, struct buffer *buffer);
void *halide_malloc(void *context, size_t bytes);
void halide_free(void *context, void *block);

/* Halide's definition of the function below, or that of host.c. */
void *attnc_original_halide_vulkan_get_symbol(void *context, const char *name);

typedef void any_function(void);
typedef any_function *find_function(void *of, const char *name);

/* Of which Halide's context is made; all null if it has made its own. */
static struct attnc_vulkan theirs;

static int32_t give_instance(const void *info, const void *callbacks,
                             void **made) {
  int32_t (*create)(const void *, const void *, void **) =
      (int32_t (*)(const void *, const void *, void **))
          attnc_original_halide_vulkan_get_symbol(0, "vkCreateInstance");
  if (!theirs.device)
    return create(info, callbacks, made);
  *made = theirs.instance;
  return 0;
}

static int32_t give_physical_device(void *of, uint32_t *count, void **devices) {
  (void)of;
  if (devices && *count)
    devices[0] = theirs.physical_device;
  *count = 1;
  return 0;
}

static int32_t give_device(void *of, const void *info, const void *callbacks,
                           void **made) {
  (void)of, (void)info, (void)callbacks;
  *made = theirs.device;
  return 0;
}

static void give_queue(void *of, uint32_t family, uint32_t index, void **made) {
  (void)of, (void)family, (void)index;
  *made = theirs.queue;
}

static void keep(void *one, const void *callbacks) {
  (void)one, (void)callbacks;
}

static any_function *find_in_instance(void *of, const char *name);

static any_function *find_original(void *of, const char *name) {
  find_function *find =
      (find_function *)attnc_original_halide_vulkan_get_symbol(
          0, "vkGetInstanceProcAddr");
  return find(of, name);
}

static any_function *find_in_device(void *of, const char *name) {
  if (theirs.device && is_same(name, "vkGetDeviceQueue"))
    return (any_function *)give_queue;
  if (theirs.device && is_same(name, "vkDestroyDevice"))
    return (any_function *)keep;
  find_function *find = (find_function *)find_original(
      theirs.device ? theirs.instance : instance, "vkGetDeviceProcAddr");
  return find ? find(of, name) : 0;
}

static any_function *find_in_instance(void *of, const char *name) {
  static const struct {
    const char *name;
    any_function *function;
  } replaced[] = {
      {"vkEnumeratePhysicalDevices", (any_function *)give_physical_device},
      {"vkCreateDevice", (any_function *)give_device},
      {"vkDestroyInstance", (any_function *)keep},
      {"vkGetDeviceProcAddr", (any_function *)find_in_device},
      /* messages are the caller's business */
      {"vkCreateDebugUtilsMessengerEXT", 0},
      {"vkDestroyDebugUtilsMessengerEXT", 0},
  };
  for (size_t i = 0; theirs.device && i < sizeof replaced / sizeof replaced[0];
       ++i)
    if (is_same(name, replaced[i].name))
      return replaced[i].function;
  return find_original(of, name);
}

void *halide_vulkan_get_symbol(void *context, const char *name) {
  void *found = attnc_original_halide_vulkan_get_symbol(context, name);
  if (found && is_same(name, "vkCreateInstance"))
    return (void *)give_instance;
  if (found && is_same(name, "vkGetInstanceProcAddr"))
    return (void *)find_in_instance;
  return found;
}

void attnc_vulkan_use_queue(void **its_queue, uint32_t *its_family) {
  if (!theirs.device)
    return;
  *its_queue = theirs.queue;
  *its_family = theirs.queue_family;
}

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

int32_t attnc_device_check(struct attnc_device_call *call,
                           struct attnc_failure *failure) {
  const struct attnc_vulkan *given = call->stream;
  const char *problem = 0;
  if (call->is_on_device && !given)
    problem = "runtime: stream is NULL, but the tensors are buffers of Vulkan; "
              "set it to the address of an attnc_vulkan with their device";
  else if (given && given->size != sizeof *given)
    problem = "runtime: stream does not point to an attnc_vulkan of this "
              "object's header (see its size)";
  else if (given && (!given->instance || !given->physical_device ||
                     !given->device || !given->queue))
    problem = "runtime: a handle of the attnc_vulkan is NULL";
  if (problem)
    fail(failure, ATTNC_BAD_VALUE, problem);
  return !problem;
}

static void release(void) {
  if (instance)
    halide_vulkan_device_release(0);
  theirs = (struct attnc_vulkan){0};
}

int32_t attnc_device_enter(struct attnc_device_call *call,
                           struct attnc_failure *failure) {
  static const struct attnc_vulkan none;
  const struct attnc_vulkan *given = call->stream ? call->stream : &none;
  if (theirs.instance != given->instance || theirs.device != given->device ||
      theirs.physical_device != given->physical_device)
    release();
  theirs = *given;
  /* Functions of Vulkan are needed before the first launch. */
  void *made[5];
  uint32_t family;
  uint64_t messenger;
  if (halide_vulkan_acquire_context(failure, &made[0], &made[1], &made[2],
                                    &made[3], &made[4], &family, &messenger,
                                    1)) {
    fail(failure, ATTNC_DEVICE_FAILED, "Vulkan: cannot use the device");
    return 0;
  }
  halide_vulkan_release_context(failure, made[1], made[2], made[4], messenger);
  return 1;
}

void attnc_device_leave(struct attnc_device_call *call) {
  const struct attnc_vulkan *given = call->stream;
  if (theirs.device &&
      (!given || given->device != theirs.device || !given->keep_kernels))
    release();
}

int32_t attnc_device_verify(struct attnc_device_call *call, void *handle,
                            int64_t bytes, const char *name,
                            struct attnc_failure *failure) {
  struct requirements requirements;
  (void)call;
  get_requirements(device, (uintptr_t)handle, &requirements);
  return requirements.size >= (uint64_t)bytes ||
         fail_at(failure, ATTNC_BAD_POINTER, name,
                 "the tensor reaches beyond the end of its buffer");
}

/* The most that a device may ask for (minStorageBufferOffsetAlignment). */
int64_t attnc_device_alignment(void *handle) {
  (void)handle;
  return 256;
}

int32_t attnc_device_wrap(struct attnc_failure *failure, struct buffer *buffer,
                          void *handle, int64_t offset, int64_t bytes) {
  struct memory *memory = halide_malloc(failure, sizeof *memory);
  if (!memory) {
    fail(failure, ATTNC_NO_MEMORY, "cannot allocate memory");
    return 0;
  }
  memory->buffer = (uintptr_t)handle;
  memory->memory = 0;
  memory->region = (struct region){.buffer = &memory->buffer,
                                   .size = (size_t)(offset + bytes),
                                   .head_offset = (size_t)offset,
                                   .is_owner = 1};
  halide_vulkan_wrap_vk_buffer(failure, buffer, (uintptr_t)memory);
  return 1;
}

void attnc_device_unwrap(struct attnc_failure *failure, struct buffer *buffer) {
  struct memory *memory = (struct memory *)(uintptr_t)buffer->device;
  halide_vulkan_detach_vk_buffer(failure, buffer);
  halide_free(failure, memory);
}
