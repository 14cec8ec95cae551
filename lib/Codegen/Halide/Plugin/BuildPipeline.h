//===- BuildPipeline.h - One pipeline as Halide sees it ---------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_PLUGIN_BUILDPIPELINE_H
#define ATTNC_LIB_CODEGEN_HALIDE_PLUGIN_BUILDPIPELINE_H

#include "Program.h"

#include "Halide.h"

#include <map>

namespace attnc::halide {

/// The names of a pipeline as Halide's objects.
class PipelineBuilder {
public:
  PipelineBuilder(const Pipeline &pipeline, const Program &program)
      : pipeline(pipeline), isDevice(program.isDevice),
        hasUniformLoads(program.hasUniformLoads) {}

  Halide::Module build(const Halide::Target &target);

private:
  Halide::Type typeOf(ScalarType type) const;
  Halide::Type storedType(ScalarType type) const;
  Halide::Expr constant(const Expr &node) const;
  Halide::Expr expr(int number);
  Halide::Expr makeExpr(const Expr &node);
  Halide::Expr makeArithmetic(const Expr &node);
  Halide::Expr strideOf(const std::string &name, int axis);
  Halide::Expr variable(const std::string &name);
  const Halide::RDom &domain(const std::string &name);
  std::vector<Halide::Expr> exprs(const std::vector<int> &numbers);
  void define(const Function &function);
  void schedule(const Directive &directive);
  Halide::VarOrRVar scheduled(const std::string &name);
  unsigned fixedMinima(unsigned rank) const;

  const Pipeline &pipeline;
  bool isDevice, hasUniformLoads;
  std::map<std::string, Halide::ImageParam> buffers;
  std::map<std::string, Halide::Param<int32_t>> parameters;
  std::map<std::string, Halide::Func> functions;
  std::map<std::string, Halide::RDom> domains;
  std::map<std::string, Halide::RVar> reductionVariables;
  std::map<int, Halide::Expr> made;
};

inline Halide::Module buildPipeline(const Pipeline &pipeline,
                                    const Program &program,
                                    const Halide::Target &target) {
  return PipelineBuilder(pipeline, program).build(target);
}

/// Follows one directive; `at` gives the loop of another function.
void applyDirective(Halide::Func function, const Directive &directive,
                    const std::vector<Halide::VarOrRVar> &variables,
                    const std::map<std::string, Halide::Func> &functions);

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_PLUGIN_BUILDPIPELINE_H
