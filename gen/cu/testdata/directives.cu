#include HEADER /* ERROR "#include of a macro" */
# /* ERROR "#include names no header" */ include
# define /* ERROR "#define names no macro" */
#include "a.h" // and nothing else
#include <b.h>
#pragma once
#error don't
int x;
