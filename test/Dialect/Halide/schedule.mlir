// RUN: attnc-opt %s --allow-unregistered-dialect --verify-roundtrip | FileCheck %s

// CHECK: "test.op"() {s = #attn.schedule<form = rows, q = 32, k = 512, rescale_threshold = 0.000000e+00, rescale_in = value, target = #halide.schedule<lanes = 16, score_tile = [8, 2], value_tile = [4, 1]>>}
"test.op"() {s = #attn.schedule<form = rows, q = 32, k = 512, rescale_threshold = 0.0, rescale_in = value, target = #halide.schedule<lanes = 16, score_tile = [8, 2], value_tile = [4, 1]>>} : () -> ()

// CHECK: "test.op"() {s = #halide.schedule<lanes = 16, score_tile = [4, 3], value_tile = [2, 3], mapping = features>}
"test.op"() {s = #halide.schedule<lanes = 16, score_tile = [4, 3], value_tile = [2, 3], mapping = features>} : () -> ()

// CHECK: "test.op"() {s = #halide.schedule<lanes = 16, score_tile = [3, 1], value_tile = [2, 1]>}
"test.op"() {s = #halide.schedule<lanes = 16, score_tile = [3, 1], value_tile = [2, 1], mapping = rows>} : () -> ()

// CHECK: "test.op"() {s = #halide.gpu_schedule<group = [16, 8], keys = 4, features = 2, shared = [scores, state]>}
"test.op"() {s = #halide.gpu_schedule<group = [16, 8], keys = 4, features = 2, shared = [scores, state]>} : () -> ()
