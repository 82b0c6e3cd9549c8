#include HEADER /* ERROR "#include names no header \(unexpected HEADER; when it is a macro, define it with -D\)" */
# /* ERROR "#include names no header" */ include
# define /* ERROR "#define names no macro" */
#include "a.h" // and nothing else
#include <b.h>
#define STANDARD <c.h>
#include STANDARD
#pragma once
#error unheeded, because headers are missing
#if 0
#error don't
#endif
#pragma pack(3 /* ERROR "#pragma pack of 3 is not understood" */ )
#pragma pack(WIDTH /* ERROR "#pragma pack of WIDTH is not understood: its value is not known" */ )
#pragma pack(push, 1, * /* ERROR "#pragma pack: unexpected \*" */ )
#define WRONG(a + /* ERROR "unexpected \+ among the parameters" */ )
#pragma cudagen /* ERROR "#pragma cudagen looks like a directive but is not one: write //cudagen:verb, in a comment" */ block 32
#cudagen /* ERROR "#cudagen looks like a directive but is not one: write //cudagen:verb, in a comment" */ :block 32
int x;
