// RUN: attnc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// dims_c1
// expected-error@below {{size -1 is negative}}
func.func private @dims_c1(tensor<4xf32, #attn.dims<-1>>)

// -----

// dims_c1
// expected-error@below {{a size is a number, a name or an expression, got ""}}
func.func private @dims_c1_empty(tensor<4xf32, #attn.dims<"">>)

// -----

// expected-error@below {{expected a size: a number, a name or an expression in quotes}}
func.func private @dims_syntax(tensor<4xf32, #attn.dims<?>>)

// -----

// dims_c2
// expected-error@below {{dims has 1 sizes, the tensor has 2 axes}}
func.func private @dims_c2(tensor<4x5xf32, #attn.dims<4>>)

// -----

// dims_c3
// expected-error@below {{size 5 does not match the static extent 4}}
func.func private @dims_c3(tensor<4xf32, #attn.dims<5>>)

// -----

// norm_c1
// expected-error@below {{shift = max needs weight = exp or exp2 and divide = sum, got weight = identity and divide = sum}}
"test.op"() {n = #attn.norm<shift = max, weight = identity, divide = sum>} : () -> ()

// -----

// norm_c1
// expected-error@below {{shift = max needs weight = exp or exp2 and divide = sum, got weight = exp and divide = none}}
"test.op"() {n = #attn.norm<shift = max, weight = exp, divide = none>} : () -> ()

// -----

// row_c1
// expected-error@below {{'rank' with n = 0; rank needs n of at least 1, the others have none}}
"test.op"() {r = #attn.row<rank>} : () -> ()

// -----

// row_c1
// expected-error@below {{'sum' with n = 4; rank needs n of at least 1, the others have none}}
"test.op"() {r = #attn.row<sum, n = 4>} : () -> ()

// -----

// dense_c1
// expected-error@below {{fill must be finite or -inf}}
"test.op"() {d = #attn.dense<fill = inf>} : () -> ()

// -----

// schedule_c1
// expected-error@below {{a tile has at least one row and one key, got q = 0, k = 4}}
"test.op"() {s = #attn.schedule<form = online, q = 0, k = 4, rescale_threshold = 0.0, rescale_in = value, target = #tile.none>} : () -> ()

// -----

// schedule_c2
// expected-error@below {{rescale_threshold must be finite and at least 0}}
"test.op"() {s = #attn.schedule<form = online, q = 4, k = 4, rescale_threshold = -1.0, rescale_in = value, target = #tile.none>} : () -> ()

// -----

// schedule_c3
// expected-error@below {{form = chunked needs chunk, at least 1, got chunk = 0}}
"test.op"() {s = #attn.schedule<form = chunked, q = 4, k = 4, rescale_threshold = 0.0, rescale_in = value, target = #tile.none>} : () -> ()

// -----

// schedule_c3
// expected-error@below {{form = online has no chunk, got chunk = 8}}
"test.op"() {s = #attn.schedule<form = online, q = 4, k = 4, chunk = 8, rescale_threshold = 0.0, rescale_in = value, target = #tile.none>} : () -> ()

// -----

// expected-error@below {{expected one of [online, rows, chunked] for algorithm of a kernel, got: tree}}
"test.op"() {s = #attn.schedule<form = tree, q = 4, k = 4, rescale_threshold = 0.0, rescale_in = value, target = #tile.none>} : () -> ()

// -----

// schedule_c7
// expected-error@below {{expected one of [q, gq] for axes of the rows of a kernel's blocks, got: qg}}
"test.op"() {s = #attn.schedule<form = online, q = 4, k = 4, row_axes = qg, rescale_threshold = 0.0, rescale_in = value, target = #tile.none>} : () -> ()

// -----

// block_c1
// expected-error@below {{lanes and rows are different letters, or none; got 'e' and 'e'}}
"test.op"() {b = #attn.block<form = dot, lanes = "e", rows = "e", q = 64, k = 32, target = #tile.none>} : () -> ()

// -----

// block_c1
// expected-error@below {{lanes and rows are different letters, or none; got 'eq' and ''}}
"test.op"() {b = #attn.block<form = element, lanes = "eq", rows = "", q = 64, k = 32, target = #tile.none>} : () -> ()

// -----

// block_c2
// expected-error@below {{a block has at least one element, got q = 0, k = 32}}
"test.op"() {b = #attn.block<form = element, lanes = "e", rows = "", q = 0, k = 32, target = #tile.none>} : () -> ()

// -----

// block_c2
// expected-error@below {{a block has at least one row, got e = -1}}
"test.op"() {b = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 32, e = -1, target = #tile.none>} : () -> ()

// -----

// block_c3
// expected-error@below {{inner = 'hq' holds a letter of lanes = 'e' or rows = 'q'}}
"test.op"() {b = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 32, inner = "hq", target = #tile.none>} : () -> ()

// -----

// block_c4
// expected-error@below {{visited is one letter, or none; got 'kh'}}
"test.op"() {b = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 32, visited = "kh", target = #tile.none>} : () -> ()

// -----

// case_c1
// expected-error@below {{axis is one letter; got 'qe'}}
"test.op"() {c = #attn.case<axis = "qe", most = 8, block = <form = dot, lanes = "e", rows = "q", q = 64, k = 32, target = #tile.none>>} : () -> ()

// -----

// case_c2
// expected-error@below {{a case is for at least one element, got most = 0}}
"test.op"() {c = #attn.case<axis = "q", most = 0, block = <form = dot, lanes = "e", rows = "q", q = 64, k = 32, target = #tile.none>>} : () -> ()

// -----

// case_c3
// expected-error@below {{a case has a block of form dot or element, got epilogue}}
"test.op"() {c = #attn.case<axis = "q", most = 8, block = <form = epilogue, lanes = "e", rows = "q", q = 64, k = 32, target = #tile.none>>} : () -> ()

// -----

// schedule_c5
// expected-error@below {{split = 8 must be at least 0, and 0 unless form = online}}
"test.op"() {s = #attn.schedule<form = rows, q = 4, k = 4, split = 8, rescale_threshold = 0.0, rescale_in = value, target = #tile.none>} : () -> ()

// -----

// expected-error@below {{weights must be f64, f32, f16 or bf16, got 'i8'}}
"test.op"() {s = #attn.schedule<form = online, q = 4, k = 4, rescale_threshold = 0.0, rescale_in = value, weights = i8, target = #tile.none>} : () -> ()

// -----

// schedule_c4
// expected-error@below {{expected the target of a backend, such as #tile.cpu<...>, got unit}}
"test.op"() {s = #attn.schedule<form = online, q = 4, k = 4, rescale_threshold = 0.0, rescale_in = value, target = unit>} : () -> ()

// -----

// block_c6
// expected-error@below {{expected the target of a backend, such as #tile.cpu<...>, got "avx2"}}
"test.op"() {b = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 32, target = "avx2">} : () -> ()
