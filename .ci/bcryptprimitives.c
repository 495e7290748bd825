// The library of which Go's programs for Windows need one function. Wine has it from version
// 9 on. RtlGenRandom is the function that it calls in Windows, too.
typedef unsigned char boolean;
__declspec(dllimport) boolean SystemFunction036(void *, unsigned long); // RtlGenRandom
__declspec(dllexport) int ProcessPrng(void *data, unsigned long long size) { return SystemFunction036(data, (unsigned long)size); }
