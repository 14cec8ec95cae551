//===- attnc-run.cpp - Runs, checks and times a spec ----------------------===//

#include "attnc/Driver/Driver.h"

int main(int argc, char **argv) { return attnc::runAttncRun(argc, argv); }
