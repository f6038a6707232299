#define CUT_BY_HEADER rows[(int)(far)]
