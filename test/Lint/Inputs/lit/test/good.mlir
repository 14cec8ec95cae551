// RUN: attnc-opt %s --split-input-file | FileCheck %s --check-prefixes=CHECK,MORE
// RUN: not attnc-opt %s --no-such-flag 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BAD

// Note: a sentence with a colon. CHECK that prose is no directive.
// CHECK-LABEL: module
// MORE-COUNT-2: x
// CHECK{LITERAL}: [[
// BAD: Unknown
