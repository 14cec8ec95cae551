//===- StageTable.cpp - Reads the tables of stages and backends -----------===//
//
// Tests: test/Unit/Pipeline/StageTableTest.cpp
//
//===----------------------------------------------------------------------===//

#include "attnc/Pipeline/Backends.h"

#include "llvm/ADT/STLExtras.h"

namespace attnc {

StageTable::StageTable(llvm::ArrayRef<const StageEntry *> shared,
                       llvm::ArrayRef<Backend> backends)
    : shared(shared), backendList(backends), entries(shared) {
  for (const Backend &backend : backends)
    for (const StageEntry *entry : backend.stages)
      if (!llvm::is_contained(entries, entry))
        entries.push_back(entry);
}

std::vector<Stage> StageTable::stages() const {
  std::vector<Stage> result;
  for (unsigned i = 0; i < entries.size(); ++i)
    result.push_back(Stage(i));
  return result;
}

std::optional<Stage> StageTable::parse(llvm::StringRef name) const {
  for (Stage stage : stages())
    if ((*this)[stage].name == name)
      return stage;
  return std::nullopt;
}

std::optional<Stage> StageTable::stageOfOp(llvm::StringRef op) const {
  for (Stage stage : stages())
    if (llvm::StringRef ops = (*this)[stage].ops;
        !ops.empty() && (ops.ends_with(".") ? op.starts_with(ops) : op == ops))
      return stage;
  return std::nullopt;
}

std::vector<Stage> StageTable::path(const Backend &backend) const {
  std::vector<Stage> result;
  for (Stage stage : stages())
    if (stage.number() < shared.size() ||
        llvm::is_contained(backend.stages, &(*this)[stage]))
      result.push_back(stage);
  return result;
}

std::vector<std::pair<Stage, Stage>> StageTable::steps() const {
  std::vector<std::pair<Stage, Stage>> result;
  for (const Backend &backend : backendList) {
    std::vector<Stage> stages = path(backend);
    for (size_t i = Stage::Graph.number(); i + 1 < stages.size(); ++i)
      if (std::pair step(stages[i], stages[i + 1]);
          !llvm::is_contained(result, step))
        result.push_back(step);
  }
  return result;
}

const Backend *StageTable::findBackend(llvm::StringRef name) const {
  const Backend *backend =
      llvm::find_if(backendList, [&](const Backend &backend) {
        return backend.name == name;
      });
  return backend == backendList.end() ? nullptr : backend;
}

const Backend *StageTable::backendFor(TargetKind kind) const {
  const Backend *backend =
      llvm::find_if(backendList, [&](const Backend &backend) {
        return llvm::is_contained(backend.kinds, kind);
      });
  return backend == backendList.end() ? nullptr : backend;
}

std::string StageTable::listBackends() const {
  std::string list;
  for (const Backend &backend : backendList)
    list += (list.empty() ? "" : ", ") + backend.name.str();
  return list;
}

std::vector<OutputKind> StageTable::outputKinds() const {
  std::vector<OutputKind> kinds;
  for (Stage stage : stages()) {
    llvm::StringRef name = (*this)[stage].name;
    bool isSpec = stage == Stage::Spec;
    kinds.push_back({name, ("." + name + (isSpec ? ".yaml" : ".mlir")).str(),
                     /*isText=*/true});
    if (stage == Stage::Graph) // counted at this stage
      kinds.push_back({"accounting", ".accounting.json", /*isText=*/true});
  }
  for (const Backend &backend : backendList)
    for (const OutputEntry &output : backend.outputs)
      if (llvm::none_of(kinds, [&](const OutputKind &kind) {
            return kind.name == output.name;
          }))
        kinds.push_back({output.name, output.suffix.str(), output.isText});
  kinds.push_back({"obj", ".o", /*isText=*/false});
  kinds.push_back({"header", ".h", /*isText=*/true});
  return kinds;
}

} // namespace attnc
