/* stdin, stdout, stderr: C17 7.21.1p3. Open at the start of a run. */
#include "stream.h"

static byte standard_streams[3][8] = {{STREAM_OPEN}, {STREAM_OPEN}, {STREAM_OPEN}};

void *stdin = standard_streams[0];
void *stdout = standard_streams[1];
void *stderr = standard_streams[2];
