//===- EqualPipelines.cpp - Pipelines that share code ---------------------===//
//
// A layer multiplies, adds and normalizes many tensors in the same way.
// Tensors, sizes and coordinates are arguments of a pipeline, so the steps of a
// function can call the same one. Tests:
// test/Codegen/Halide/equal-pipelines.test
//
//===----------------------------------------------------------------------===//

#include "EqualPipelines.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <bit>

using namespace mlir;

namespace attnc::halide {
namespace {

/// A pipeline as text. Names of arguments are their numbers; an expression is
/// written where it is used first, and numbered, so that unused ones do not
/// matter.
class PipelineText {
public:
  explicit PipelineText(const Pipeline &pipeline);
  std::string text;

private:
  void write(int64_t number) { out << number << ' '; }
  void write(StringRef name);
  void write(ScalarType type) {
    write(int64_t(type.kind));
    write(int64_t(type.bits));
  }
  void writeExpr(int number);
  void writeExprs(ArrayRef<int> numbers);
  void writeNames(ArrayRef<std::string> names);
  void write(const Domain &domain);
  void write(const Function &function);
  void write(const Directive &directive);

  const Pipeline &pipeline;
  llvm::raw_string_ostream out{text};
  llvm::StringMap<int64_t> arguments;
  llvm::DenseMap<int, int64_t> written; // expressions
};

} // namespace

void PipelineText::write(StringRef name) {
  auto found = arguments.find(name);
  if (found != arguments.end())
    out << '#' << found->second << ' ';
  else
    out << name.size() << ':' << name << ' ';
}

void PipelineText::writeExpr(int number) {
  auto [entry, isNew] = written.try_emplace(number, written.size());
  out << '@' << entry->second << ' ';
  if (!isNew)
    return;
  const Expr &expr = pipeline.exprs[number];
  write(int64_t(expr.op));
  write(expr.type);
  write(expr.integer);
  write(std::bit_cast<int64_t>(expr.real));
  write(StringRef(expr.name));
  writeExprs(expr.operands);
}

void PipelineText::writeExprs(ArrayRef<int> numbers) {
  write(int64_t(numbers.size()));
  for (int number : numbers)
    writeExpr(number);
}

void PipelineText::writeNames(ArrayRef<std::string> names) {
  write(int64_t(names.size()));
  for (const std::string &name : names)
    write(StringRef(name));
}

void PipelineText::write(const Domain &domain) {
  write(StringRef(domain.name));
  write(int64_t(domain.dims.size()));
  for (const Domain::Dim &dim : domain.dims) {
    writeExpr(dim.min);
    writeExpr(dim.extent);
  }
  writeExprs(domain.where);
}

void PipelineText::write(const Function &function) {
  write(StringRef(function.name));
  writeNames(function.variables);
  write(int64_t(function.definitions.size()));
  for (const Definition &definition : function.definitions) {
    writeExprs(definition.indices);
    writeExpr(definition.value);
  }
}

void PipelineText::write(const Directive &directive) {
  write(StringRef(directive.function));
  write(int64_t(directive.stage));
  write(StringRef(directive.verb));
  writeNames(directive.names);
  for (int64_t number : directive.numbers)
    if (directive.verb == "specialize")
      writeExpr(int(number));
    else
      write(number);
}

PipelineText::PipelineText(const Pipeline &pipeline) : pipeline(pipeline) {
  auto number = [&](StringRef name) {
    arguments.try_emplace(name, int64_t(arguments.size()));
  };
  for (const Buffer &buffer : pipeline.inputs) {
    number(buffer.name);
    write(buffer.type);
    write(int64_t(buffer.rank));
  }
  for (const std::string &parameter : pipeline.parameters)
    number(parameter);
  for (const std::string &output : pipeline.outputs)
    number(output);
  write(int64_t(pipeline.inputs.size()));
  write(int64_t(pipeline.parameters.size()));
  write(int64_t(pipeline.outputs.size()));
  for (const Domain &domain : pipeline.domains)
    write(domain);
  for (const Function &function : pipeline.functions)
    write(function);
  for (const Directive &directive : pipeline.schedule)
    write(directive);
}

void shareEqualPipelines(std::vector<std::vector<Step>> &steps) {
  llvm::StringMap<std::string> symbols;
  for (std::vector<Step> &function : steps)
    for (Step &step : function) {
      Pipeline &pipeline = step.builder.pipeline;
      auto [entry, isNew] =
          symbols.try_emplace(PipelineText(pipeline).text, pipeline.symbol);
      if (!isNew)
        pipeline.symbol = entry->second;
    }
}

} // namespace attnc::halide
