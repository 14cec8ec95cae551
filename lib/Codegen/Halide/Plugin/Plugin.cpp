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

/// Launches of groups whose size is a run-time value. In OpenCL the host gives
/// it; other interfaces compile it into the kernel, where Halide would silently
/// take 1.
struct FindVariableGroups : Halide::Internal::IRVisitor {
  bool isFound = false;
  using IRVisitor::visit;
  void visit(const Halide::Internal::Call *call) override {
    bool isRun = call->name.starts_with("halide_") &&
                 call->name.ends_with("_run") && call->args.size() > 7;
    for (int threads : {5, 6, 7})
      isFound |= isRun && !Halide::Internal::is_const(call->args[threads]);
    IRVisitor::visit(call);
  }
};

/// The modules of a program. On a device each pipeline has its own, since all
/// call the source of their kernels the same, and the first one has the
/// runtime. There they are lowered without checks of the caller's buffers,
/// which the entry has made, but what fails on the device is checked: both are
/// assertions to Halide, of which the feature no_asserts removes the first kind
/// in lowering and the second afterwards. A page is of one module, and shows
/// the statements before their loops become kernels.
static std::vector<Halide::Module> lower(const Program &program,
                                         Wanted wanted) {
  Halide::Target target(program.target), lowered = target;
  if (program.isDevice)
    lowered.set_feature(Halide::Target::NoAsserts);
  std::vector<Halide::Module> modules;
  for (const Pipeline &pipeline : program.pipelines) {
    if (modules.empty() || (program.isDevice && wanted != Wanted::Page))
      modules.emplace_back(pipeline.symbol, target);
    target.set_feature(Halide::Target::NoRuntime);
    Halide::Module one = buildPipeline(pipeline, program, lowered);
    for (const Halide::Internal::LoweredFunc &function : one.functions()) {
      FindVariableGroups groups;
      function.body.accept(&groups);
      if (groups.isFound && !target.has_feature(Halide::Target::OpenCL))
        throw Halide::InternalError("a group of " + pipeline.symbol +
                                    " has a size that is no constant");
      modules.back().append(function);
    }
    Halide::Internal::Stmt before = modules.back().get_conceptual_stmt();
    Halide::Internal::Stmt own = one.get_conceptual_stmt();
    modules.back().set_conceptual_code_stmt(
        before.defined() ? Halide::Internal::Block::make(before, own) : own);
    for (const Halide::Buffer<> &buffer : one.buffers())
      modules.back().append(buffer);
  }
  return modules;
}

static void compile(Halide::Module whole, Wanted wanted, Compiled &result) {
  whole.set_any_strict_float(true); // linking forgets it
  TemporaryFile file;
  switch (wanted) {
  case Wanted::Bitcode:
    whole.compile({{Halide::OutputFileType::bitcode, file.path}});
    result.bitcode.push_back(file.read());
    break;
  case Wanted::Statement:
    whole.compile({{Halide::OutputFileType::stmt, file.path}});
    result.statement += file.read();
    break;
  case Wanted::Kernels:
    whole.compile({{Halide::OutputFileType::device_code, file.path}});
    result.kernels += file.read();
    break;
  case Wanted::Page:
    whole.compile({{Halide::OutputFileType::conceptual_stmt_html, file.path}});
    result.page += file.read();
    break;
  }
}

extern "C" __attribute__((visibility("default"))) void
attnc_halide_compile(const Program &program, Wanted wanted, Compiled &result) {
  static Reporter reporter;
  Halide::set_custom_compile_time_error_reporter(&reporter);
  try {
    for (const Halide::Module &module : lower(program, wanted))
      compile(module, wanted, result);
  } catch (const Halide::Error &error) { // no std::exception
    result.error = std::string("Halide refuses the program: ") + error.what();
  } catch (const std::exception &error) {
    result.error = error.what();
  }
}

} // namespace attnc::halide
