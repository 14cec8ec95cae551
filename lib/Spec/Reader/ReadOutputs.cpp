//===- ReadOutputs.cpp - Further outputs of a spec ------------------------===//

#include "Reader/SpecReader.h"

#include "attnc/Spec/State.h"
#include "attnc/Support/Nearest.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

static bool hasSoftmax(const Expr &e) {
  return anyNode(e, [](const Expr &x) { return x.isApply(Op::Softmax); });
}

void SpecReader::readOutputs() {
  const YamlEntry *outputs = entry(Key::Outputs);
  if (!outputs)
    return;
  if (outputs->value.kind != YamlNode::List) {
    bool isText = outputs->value.kind == YamlNode::Scalar;
    report
        .error(Message::NeedsList,
               isText ? outputs->value.range : outputs->key.range, {"outputs"})
        .fix(outputs->value.kind == YamlNode::Scalar
                 ? "[" + outputs->value.text + "]"
                 : "");
    return;
  }
  std::vector<std::string> seen;
  static constexpr StringRef known[] = {"lse", "attention", "score", "state"};
  for (const YamlNode &item : outputs->value.list) {
    bool isEntry = item.kind == YamlNode::Scalar && use.let.count(item.text) &&
                   !findRow(item.text);
    if (!isEntry &&
        (item.kind != YamlNode::Scalar || !is_contained(known, item.text))) {
      std::string text = item.kind == YamlNode::Scalar ? item.text : "this";
      report.error(Message::UnknownOutput, item.range, {text})
          .note("valid outputs: lse, attention, score, state, and names "
                "of tensors under 'let'")
          .fix(nearest(text, known));
      continue;
    }
    if (is_contained(seen, item.text))
      report.error(Message::RepeatedOutput, item.range, {item.text});
    else if (isEntry)
      readExtra(item);
    if (item.text == "lse" && spec.attention && !spec.isSoftmax)
      report.error(Message::LseOfSoftmax, item.range)
          .note(hasSoftmax(*spec.attention)
                    ? "here softmax(...) is only part of the formula"
                    : "other normalizers have no logsumexp");
    spec.lse |= item.text == "lse";
    spec.attentionOutput |= item.text == "attention";
    spec.scoreOutput |= item.text == "score";
    if (item.text == "state") {
      spec.stateOutput = true;
      spec.stateRange = item.range;
    }
    seen.push_back(item.text);
  }
  for (const YamlNode &item : outputs->value.list) // once all are known
    if (item.kind == YamlNode::Scalar && is_contained(known, item.text) &&
        !spec.hasResult())
      report.error(Message::ExtraWithoutO, item.range, {item.text});
}

/// An entry of `let` that the caller wants, too.
void SpecReader::readExtra(const YamlNode &item) {
  Node name;
  name.kind = Node::Name;
  name.name = item.text;
  name.range = name.headRange = item.range;
  if (TensorPtr tensor = tensors.checkExtra(name))
    spec.extras.push_back({item.text, tensor});
}

/// Only of proved formulas: guards of indices are part of them.
void SpecReader::checkState() {
  if (!spec.stateOutput)
    return;
  StateProblem problem;
  if (findState(spec, problem))
    return;
  SourceDiagnostic &error =
      report.error(Message::NoState, spec.stateRange, {problem.reason});
  error.note("legal: " + problem.legal);
  if (problem.place.isValid())
    error.note(problem.place, "required by this formula");
}

} // namespace attnc::spec
