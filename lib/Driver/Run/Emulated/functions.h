//===- functions.h - The functions of an object, by their names -----------===//
//
// attnc-run writes functions.c, which fills this table, for each object. That
// file is compiled for itself, and all its names but those of the functions
// begin with attnc_, so no function of a user's collides with a name of the
// program that calls it.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_RUN_FUNCTIONS_H
#define ATTNC_RUN_FUNCTIONS_H

#include "attnc.h"

struct attnc_function {
  const char *name; /* null after the last one */
  attnc_status (*call)(attnc_tensor *const *, const attnc_runtime *);
};

extern const struct attnc_function attnc_functions[];

#endif
