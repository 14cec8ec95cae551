// RUN: attnc-opt %s --verify-diagnostics
