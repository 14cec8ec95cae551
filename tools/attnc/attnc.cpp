//===- attnc.cpp - Attention specs to object files ------------------------===//

#include "attnc/Driver/Driver.h"

int main(int argc, char **argv) { return attnc::runAttnc(argc, argv); }
