/* Counts what a queue of OpenCL copies. */
#ifndef COUNT_OPENCL_H
#define COUNT_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <stddef.h>
#include <string.h>

static int reads, writes, copies;
static cl_icd_dispatch drivers, counting;

static cl_int CL_API_CALL read_buffer(cl_command_queue q, cl_mem m, cl_bool b,
                                      size_t o, size_t n, void *p, cl_uint c,
                                      const cl_event *w, cl_event *e) {
  ++reads;
  return drivers.clEnqueueReadBuffer(q, m, b, o, n, p, c, w, e);
}
static cl_int CL_API_CALL write_buffer(cl_command_queue q, cl_mem m, cl_bool b,
                                       size_t o, size_t n, const void *p,
                                       cl_uint c, const cl_event *w,
                                       cl_event *e) {
  ++writes;
  return drivers.clEnqueueWriteBuffer(q, m, b, o, n, p, c, w, e);
}
static cl_int CL_API_CALL copy_buffer(cl_command_queue q, cl_mem from, cl_mem to,
                                      size_t a, size_t b, size_t n, cl_uint c,
                                      const cl_event *w, cl_event *e) {
  ++copies;
  return drivers.clEnqueueCopyBuffer(q, from, to, a, b, n, c, w, e);
}

/* Every object of a driver begins with the address of its table of functions.
   That of version 1.2 is the first part of later ones. */
static void count(cl_command_queue queue) {
  size_t bytes = offsetof(cl_icd_dispatch, clCreateCommandQueueWithProperties);
  cl_icd_dispatch **table = (cl_icd_dispatch **)queue;
  memcpy(&drivers, *table, bytes);
  counting = drivers;
  counting.clEnqueueReadBuffer = read_buffer;
  counting.clEnqueueWriteBuffer = write_buffer;
  counting.clEnqueueCopyBuffer = copy_buffer;
  *table = &counting;
}

#endif
