// RUN: attnc-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// expected-error@below {{lanes = 12 is not a power of two up to 64}}
"halide_schedule_c1"() {t = #halide.schedule<lanes = 12, score_tile = [8, 2], value_tile = [8, 2]>} : () -> ()

// -----

// expected-error@below {{score_tile is not two numbers from 1 to 32}}
"halide_schedule_c2"() {t = #halide.schedule<lanes = 16, score_tile = [8], value_tile = [8, 2]>} : () -> ()

// -----

// expected-error@below {{value_tile is not two numbers from 1 to 32}}
"halide_schedule_c2"() {t = #halide.schedule<lanes = 16, score_tile = [8, 2], value_tile = [0, 2]>} : () -> ()
