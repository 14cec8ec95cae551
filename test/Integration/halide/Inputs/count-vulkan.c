/* Of vulkan-tensors.test: a library in the place of Vulkan's loader, which has what
   programs look for by name, and counts some calls. The file real.txt of the working
   directory has the loader's path. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <vulkan/vulkan.h>

int copies, shaders_made, shaders_destroyed, instances, devices;

static PFN_vkVoidFunction find_real(const char *name) {
  static void *library;
  if (!library) {
    char path[4096] = "";
    FILE *file = fopen("real.txt", "r");
    if (file && fgets(path, sizeof path, file))
      path[strcspn(path, "\n")] = 0;
    if (file)
      fclose(file);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  return (PFN_vkVoidFunction)dlsym(library, name);
}

static PFN_vkCmdCopyBuffer real_copy;
static PFN_vkCreateShaderModule real_make;
static PFN_vkDestroyShaderModule real_destroy;
static PFN_vkCreateDevice real_device;

static void copy(VkCommandBuffer commands, VkBuffer from, VkBuffer to,
                 uint32_t count, const VkBufferCopy *regions) {
  ++copies;
  real_copy(commands, from, to, count, regions);
}

static VkResult make(VkDevice device, const VkShaderModuleCreateInfo *info,
                     const VkAllocationCallbacks *callbacks,
                     VkShaderModule *made) {
  ++shaders_made;
  return real_make(device, info, callbacks, made);
}

static void destroy(VkDevice device, VkShaderModule one,
                    const VkAllocationCallbacks *callbacks) {
  ++shaders_destroyed;
  real_destroy(device, one, callbacks);
}

static VkResult make_device(VkPhysicalDevice of, const VkDeviceCreateInfo *info,
                            const VkAllocationCallbacks *callbacks,
                            VkDevice *made) {
  ++devices;
  return real_device(of, info, callbacks, made);
}

static PFN_vkVoidFunction find_in_device(VkDevice device, const char *name) {
  PFN_vkVoidFunction found =
      ((PFN_vkGetDeviceProcAddr)find_real("vkGetDeviceProcAddr"))(device, name);
  if (!strcmp(name, "vkCmdCopyBuffer")) {
    real_copy = (PFN_vkCmdCopyBuffer)found;
    return (PFN_vkVoidFunction)copy;
  }
  if (!strcmp(name, "vkCreateShaderModule")) {
    real_make = (PFN_vkCreateShaderModule)found;
    return (PFN_vkVoidFunction)make;
  }
  if (!strcmp(name, "vkDestroyShaderModule")) {
    real_destroy = (PFN_vkDestroyShaderModule)found;
    return (PFN_vkVoidFunction)destroy;
  }
  return found;
}

PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance instance, const char *name) {
  if (!strcmp(name, "vkGetDeviceProcAddr"))
    return (PFN_vkVoidFunction)find_in_device;
  PFN_vkVoidFunction found = ((PFN_vkGetInstanceProcAddr)find_real(
      "vkGetInstanceProcAddr"))(instance, name);
  if (!strcmp(name, "vkCreateDevice")) {
    real_device = (PFN_vkCreateDevice)found;
    return (PFN_vkVoidFunction)make_device;
  }
  return found;
}

VkResult vkCreateInstance(const VkInstanceCreateInfo *info,
                          const VkAllocationCallbacks *callbacks,
                          VkInstance *made) {
  ++instances;
  return ((PFN_vkCreateInstance)find_real("vkCreateInstance"))(info, callbacks,
                                                               made);
}

VkResult vkEnumerateInstanceExtensionProperties(const char *layer,
                                                uint32_t *count,
                                                VkExtensionProperties *all) {
  return ((PFN_vkEnumerateInstanceExtensionProperties)find_real(
      "vkEnumerateInstanceExtensionProperties"))(layer, count, all);
}

VkResult vkEnumerateInstanceLayerProperties(uint32_t *count,
                                            VkLayerProperties *all) {
  return ((PFN_vkEnumerateInstanceLayerProperties)find_real(
      "vkEnumerateInstanceLayerProperties"))(count, all);
}

VkResult vkEnumerateInstanceVersion(uint32_t *version) {
  return ((PFN_vkEnumerateInstanceVersion)find_real(
      "vkEnumerateInstanceVersion"))(version);
}
