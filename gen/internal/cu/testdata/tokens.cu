// What is no token, and preprocessor lines that are wrong.
char a = 'a;
//       ^ ERROR "character literal is not closed"
const char *s = "a;
//              ^ ERROR "string literal is not closed"
const char *raw = R"no delimiter";
//                ^ ERROR "raw string has no delimiter"
//                              ^ ERROR "string literal is not closed"
int at = @ /* ERROR "character @ is not allowed here" */;
int umlaut = ×÷;
#define OPEN(a, b
//      ^ ERROR "the parameters are not closed"
#define UNCLOSED "a
//               ^ ERROR "string literal is not closed"
#include "a
//       ^ ERROR "name of a header is not closed"
#include <a
//       ^ ERROR "name of a header is not closed"
#line ten /* ERROR "#line has no line number" */
#define CALL(x) x
int called = CALL(1
# /* ERROR "#include inside the arguments of a macro is not understood" */include "b.h"
);
#define OPTIONAL(x, ...) __VA_OPT__(x
int optional = OPTIONAL(1, 2);
//             ^ ERROR "the __VA_OPT__ in it is not closed"
_Pragma(1 /* ERROR "_Pragma has no string" */) int pragma;
#if defined /* ERROR "defined has no closing parenthesis" */(A
#endif
#if defined /* ERROR "defined names no macro" */ 1
#endif
#if (1 + ) /* ERROR "unexpected \) in a constant expression" */
#endif
#if __has_include /* ERROR "__has_include names no header" */(x y)
#endif
# /* ERROR "unexpected end of file in a constant expression" */if 1 +
#endif
#if 1 "a" /* ERROR "unexpected a string in a constant expression" */
#endif
# /* ERROR "a constant expression lacks a closing parenthesis" */if ((1)
#endif
__global__ void k(int n) {}
#if @
//  ^ ERROR "unexpected an illegal token in a constant expression"
#endif
#if 12abc /* ERROR "12abc is not an integer that fits 64 bits" */
#endif
#if 1L9 /* ERROR "1L9 is not an integer that fits 64 bits" */
#endif
int two(int n[(1]);
