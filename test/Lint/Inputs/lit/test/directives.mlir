// RUN: attnc-opt %s | FileCheck %s

// CHECK: module
// CHECK-NEXT func
// CHECK-NOT : x
// CHECK-NXET: x
// CHEK: x
// CHECK-COUNT2: x
// OTHER-NEXT: x
// CHECK{literal}: x
