/* Numbers in network order: POSIX arpa/inet.h. */
#include "kernel.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SWAP16(x) __builtin_bswap16(x)
#define SWAP32(x) __builtin_bswap32(x)
#else
#define SWAP16(x) (x)
#define SWAP32(x) (x)
#endif

unsigned htonl(unsigned x) { return SWAP32(x); }
unsigned ntohl(unsigned x) { return SWAP32(x); }
unsigned short htons(unsigned short x) { return SWAP16(x); }
unsigned short ntohs(unsigned short x) { return SWAP16(x); }
