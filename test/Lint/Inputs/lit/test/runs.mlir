// RUN: not attnc-opt %s
// RUN: attnc-opt %s

// expected-error@below {{x}}
