// RUN: attnc-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// expected-error@below {{lanes = 12 is not a power of two up to 64}}
"halide_schedule_c1"() {t = #halide.schedule<lanes = 12, score_tile = [8, 2], value_tile = [8, 2]>} : () -> ()

// -----

// expected-error@below {{score_tile is not two numbers from 1 to 32}}
"halide_schedule_c2"() {t = #halide.schedule<lanes = 16, score_tile = [8], value_tile = [8, 2]>} : () -> ()

// -----

// expected-error@below {{value_tile is not two numbers from 1 to 32}}
"halide_schedule_c2"() {t = #halide.schedule<lanes = 16, score_tile = [8, 2], value_tile = [0, 2]>} : () -> ()

// -----

// expected-error@below {{score_tile has 3 keys; with mapping = features they must be a power of two}}
"halide_schedule_c3"() {t = #halide.schedule<lanes = 16, score_tile = [3, 4], value_tile = [4, 4], mapping = features>} : () -> ()

// -----

// expected-error@below {{group is not two numbers with a product of at most 1024}}
"halide_gpu_c1"() {t = #halide.gpu_schedule<group = [64, 32], keys = 4, features = 4, shared = []>} : () -> ()

// -----

// expected-error@below {{keys = 0 is not within 1 .. 32}}
"halide_gpu_c2"() {t = #halide.gpu_schedule<group = [16, 8], keys = 0, features = 4, shared = []>} : () -> ()

// -----

// expected-error@below {{shared is not a list of different names of scores, weights, values, state}}
"halide_gpu_c3"() {t = #halide.gpu_schedule<group = [16, 8], keys = 4, features = 4, shared = [scores, scores]>} : () -> ()
