//===- Kernels.cpp - Kernels of the mock device ---------------------------===//

#include "Kernels.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace mock {

static std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

static void writeFile(const std::string &path, const std::vector<char> &bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), std::streamsize(bytes.size()));
}

/// A cubin is an ELF file, whose sections end with its table of them.
static uint64_t sizeOfElf(const char *bytes) {
  uint64_t sections;
  uint16_t size, count;
  std::memcpy(&sections, bytes + 40, sizeof sections);
  std::memcpy(&size, bytes + 58, sizeof size);
  std::memcpy(&count, bytes + 60, sizeof count);
  return sections + uint64_t(size) * count;
}

bool readImage(const void *code, Image &image) {
  const char *bytes = static_cast<const char *>(code);
  if (std::memcmp(bytes, "\x7f"
                         "ELF",
                  4) == 0) {
    constexpr uint16_t cudaMachine = 190; // EM_CUDA
    uint16_t machine;
    std::memcpy(&machine, bytes + 18, sizeof machine);
    image.text.assign(bytes, sizeOfElf(bytes));
    return machine == cudaMachine;
  }
  image.isPtx = true;
  image.text = bytes;
  size_t target = image.text.find(".target sm_");
  if (target == std::string::npos)
    return false;
  image.capability = unsigned(std::atoi(image.text.c_str() + target + 11));
  return image.text.find(".version ") != std::string::npos;
}

bool hasKernel(const Image &image, const std::string &name) {
  std::string word = image.isPtx ? ".entry " + name + "("
                                 : ".text." + name + std::string(1, '\0');
  return image.text.find(word) != std::string::npos;
}

std::vector<Parameter> readParameters(const std::string &file,
                                      const std::string &kernel) {
  std::string text = readFile(file);
  size_t at = text.find("@\"" + kernel + "\"(");
  if (at == std::string::npos)
    at = text.find("@" + kernel + "(");
  std::vector<Parameter> parameters;
  if (at == std::string::npos)
    return parameters;
  at = text.find('(', at) + 1;
  int depth = 0;
  bool isFirst = true;
  for (; depth >= 0; ++at) {
    char c = text[at];
    if (isFirst && c != ' ' && c != ')') {
      bool isMap = text.compare(at, 9, "ptr byval") == 0 ||
                   text.compare(at, 14, "ptr readonly b") == 0;
      parameters.push_back(isMap                            ? Parameter::Map
                           : text.compare(at, 3, "ptr") == 0 ? Parameter::Pointer
                                                             : Parameter::Number);
      isFirst = false;
    }
    depth += (c == '(') - (c == ')');
    if (c == ',' && depth == 0)
      isFirst = true;
  }
  return parameters;
}

/// The emulator's argument for a map of memory that argument `number` has.
static std::string describe(const TensorMap &map, size_t number,
                            uint64_t offset) {
  auto list = [&](auto *values, unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i)
      text += (i ? "x" : "") + std::to_string(values[i]);
    return text;
  };
  constexpr uint8_t bf16 = 9;
  return "--arg=map:at:" + std::to_string(offset) +
         ":arg:" + std::to_string(number) +
         ",type=" + (map.type == bf16 ? "bf16" : "f16") +
         ",sizes=" + list(map.sizes, map.rank) +
         ",strides=" + list(map.strides, map.rank - 1u) +
         ",box=" + list(map.box, map.rank) +
         ",swizzle=" + std::to_string(map.swizzle) + "B";
}

/// The exit status, or -1; what the program prints as an error goes to a file.
static int runProgram(std::vector<std::string> arguments,
                      const std::string &errors) {
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1 /*O_WRONLY*/, 0);
  posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(),
                                   01 | 0100 /*O_WRONLY | O_CREAT*/, 0600);
  pid_t child;
  int status = -1;
  if (posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(),
                   environ) == 0)
    waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string emulate(const std::string &file, const Launch &launch,
                    Memory &memory) {
  std::string folder =
      (std::filesystem::temp_directory_path() / "mock-cuda-XXXXXX").string();
  if (!mkdtemp(folder.data()))
    return "no temporary directory";
  std::vector<std::string> words = {"nvptx-emulator",
                                    file,
                                    "--kernel=" + launch.kernel,
                                    "--grid=" + std::to_string(launch.blocks),
                                    "--block=" + std::to_string(launch.threads),
                                    "--shared=" + std::to_string(launch.shared)};
  std::vector<Parameter> parameters = readParameters(file, launch.kernel);
  std::map<Block *, size_t> seen; // and the argument where each is first
  std::string error;
  for (size_t i = 0; i < parameters.size(); ++i) {
    uint64_t value = launch.arguments[i].value;
    if (parameters[i] == Parameter::Map) {
      const TensorMap &map = launch.arguments[i].map;
      Block *block = memory.find(map.address, 1);
      if (map.magic != TensorMap::kMagic || !block || !seen.count(block)) {
        error = launch.kernel + ": argument " + std::to_string(i) +
                " is no map of an argument";
        break;
      }
      words.push_back(
          describe(map, seen[block], map.address - block->address));
      continue;
    }
    if (parameters[i] == Parameter::Number || value == 0) {
      words.push_back("--arg=i64:" + std::to_string(int64_t(value)));
      continue;
    }
    Block *block = memory.find(value, 1);
    if (!block) {
      error = launch.kernel + ": argument " + std::to_string(i) +
              " is no address of the device";
      break;
    }
    std::string name = folder + "/" + std::to_string(i);
    auto [known, isNew] = seen.insert({block, i});
    if (isNew)
      writeFile(name, block->bytes);
    words.push_back("--arg=at:" + std::to_string(value - block->address) + ":" +
                    (isNew ? "inout:" + name
                           : "arg:" + std::to_string(known->second)));
  }
  std::string errors = folder + "/errors";
  if (error.empty() && runProgram(words, errors) != 0)
    error = launch.kernel + ": " + readFile(errors);
  for (auto [block, argument] : seen) {
    if (!error.empty())
      break;
    std::string bytes = readFile(folder + "/" + std::to_string(argument));
    block->bytes.assign(bytes.begin(), bytes.end());
  }
  std::filesystem::remove_all(folder);
  return error;
}

} // namespace mock
