// RUN: attnc-opt %s --allow-unregistered-dialect | attnc-opt --allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: func.func private @dims(
// CHECK-SAME:    tensor<?x12x?x64xf32, #attn.dims<batch, 12, query_len, 64>>
// CHECK-SAME:    tensor<?xi32, #attn.dims<"batch + 1">>
// CHECK-SAME:    tensor<f32, #attn.dims<>>
func.func private @dims(tensor<?x12x?x64xf32, #attn.dims<batch, 12, query_len, 64>>,
                        tensor<?xi32, #attn.dims<"batch + 1">>, tensor<f32, #attn.dims<>>)

// Folds of upstream make axes static and keep the encoding.
// CHECK-LABEL: func.func private @name_on_a_static_axis(tensor<4xf32, #attn.dims<batch>>)
func.func private @name_on_a_static_axis(tensor<4xf32, #attn.dims<batch>>)

// CHECK: n = #attn.norm<shift = max, weight = exp2, divide = sum>
"test.op"() {n = #attn.norm<shift = max, weight = exp2, divide = sum>} : () -> ()
// CHECK: n = #attn.norm<shift = none, weight = identity, divide = none>
"test.op"() {n = #attn.norm<shift = none, weight = identity, divide = none>} : () -> ()
// CHECK: r = [#attn.row<sum>, #attn.row<max>, #attn.row<simplex>, #attn.row<rank, n = 8>]
"test.op"() {r = [#attn.row<sum>, #attn.row<max>, #attn.row<simplex>, #attn.row<rank, n = 8>]} : () -> ()
// CHECK: d = [#attn.dense<fill = -inf>, #attn.dense<fill = 0.000000e+00>, #attn.dense<fill = -1.500000e+00>]
"test.op"() {d = [#attn.dense<fill = -inf>, #attn.dense<fill = 0.0>, #attn.dense<fill = -1.5>]} : () -> ()
// CHECK: s = #attn.schedule<form = online, q = 16, k = 32, split = 1024, rescale_threshold = 0.000000e+00, rescale_in = value, target = #tile.none>
"test.op"() {s = #attn.schedule<form = online, q = 16, k = 32, split = 1024, rescale_threshold = 0.0, rescale_in = value, target = #tile.none>} : () -> ()
// CHECK: s = #attn.schedule<form = online, q = 16, k = 32, row_axes = gq, rescale_threshold = 0.000000e+00, rescale_in = value, target = #tile.none>
"test.op"() {s = #attn.schedule<form = online, q = 16, k = 32, row_axes = gq, rescale_threshold = 0.0, rescale_in = value, target = #tile.none>} : () -> ()
// CHECK: s = #attn.schedule<form = online, q = 16, k = 32, rescale_threshold = 0.000000e+00, rescale_in = value, target = #tile.none>
"test.op"() {s = #attn.schedule<form = online, q = 16, k = 32, row_axes = q, rescale_threshold = 0.0, rescale_in = value, target = #tile.none>} : () -> ()
// CHECK: s = #attn.schedule<form = online, q = 16, k = 32, rescale_threshold = 0.000000e+00, rescale_in = value, weights = bf16, target = #tile.none>
"test.op"() {s = #attn.schedule<form = online, q = 16, k = 32, rescale_threshold = 0.0, rescale_in = value, weights = bf16, target = #tile.none>} : () -> ()
// CHECK: s = #attn.schedule<form = rows, q = 16, k = 256, rescale_threshold = 2.500000e-01, rescale_in = prob, target = #tile.none>
"test.op"() {s = #attn.schedule<form = rows, q = 16, k = 256, rescale_threshold = 0.25, rescale_in = prob, target = #tile.none>} : () -> ()
// CHECK: b = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 32, target = #tile.none>
"test.op"() {b = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 32, target = #tile.none>} : () -> ()
// CHECK: c = #attn.case<axis = "q", most = 8, block = <form = dot, lanes = "e", rows = "q", q = 768, k = 8, e = 4, target = #tile.none>>
"test.op"() {c = #attn.case<axis = "q", most = 8, block = <form = dot, lanes = "e", rows = "q", q = 768, k = 8, e = 4, target = #tile.none>>} : () -> ()
