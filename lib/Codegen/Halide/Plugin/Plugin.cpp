//===- Plugin.cpp - libattnc-halide: from a program to bitcode ------------===//
//
// The only code that includes Halide.h. Every error of Halide, also those of
// its internal checks, becomes text.
//
//===----------------------------------------------------------------------===//

#include "Plugin/BuildPipeline.h"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace attnc::halide {

/// Halide would print both to stderr. An error reaches the user as a
/// diagnostic; a warning is about types that it emulates, which the `slow-path`
/// warning of 16-bit tensors tells with the spec's place.
struct Reporter : Halide::CompileTimeErrorReporter {
  void warning(const char *) override {}
  [[noreturn]] void error(const char *message) override {
    throw Halide::CompileError(message);
  }
};

/// A file that is removed again; Halide writes to paths only.
struct TemporaryFile {
  std::string path;
  TemporaryFile() {
    const char *folder = std::getenv("TMPDIR");
    path = std::string(folder ? folder : "/tmp") + "/attnc-halide-XXXXXX";
    int file = mkstemp(path.data());
    if (file < 0)
      throw std::runtime_error("cannot create the file '" + path + "'");
    close(file);
  }
  ~TemporaryFile() { unlink(path.c_str()); }
  std::string read() const {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }
};

static void compile(const Program &program, bool wantsStatement,
                    Compiled &result) {
  Halide::Target target(program.target);
  std::vector<Halide::Module> modules;
  for (const Pipeline &pipeline : program.pipelines)
    modules.push_back(buildPipeline(pipeline, target));
  Halide::Module whole =
      modules.size() == 1
          ? modules.front()
          : Halide::link_modules(program.pipelines.front().symbol, modules);
  whole.set_any_strict_float(true); // linking forgets it
  TemporaryFile bitcode, statement;
  std::map<Halide::OutputFileType, std::string> outputs;
  if (wantsStatement)
    outputs[Halide::OutputFileType::stmt] = statement.path;
  else
    outputs[Halide::OutputFileType::bitcode] = bitcode.path;
  whole.compile(outputs);
  result.bitcode = bitcode.read();
  result.statement = statement.read();
}

extern "C" __attribute__((visibility("default"))) void
attnc_halide_compile(const Program &program, bool wantsStatement,
                     Compiled &result) {
  static Reporter reporter;
  Halide::set_custom_compile_time_error_reporter(&reporter);
  try {
    compile(program, wantsStatement, result);
  } catch (const Halide::Error &error) { // no std::exception
    result.error = std::string("Halide refuses the program: ") + error.what();
  } catch (const std::exception &error) {
    result.error = error.what();
  }
}

} // namespace attnc::halide
