// RUN: attnc-opt %s --canonicalize="max-iterations=3" | FileCheck %s
// CHECK: func.func @careless
func.func @careless() {
  return
}
