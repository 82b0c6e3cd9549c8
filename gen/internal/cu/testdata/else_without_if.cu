# /* ERROR "#else without #if" */ else
# /* ERROR "#endif without #if" */ endif
# /* ERROR "#if without #endif" */ if A
# else
# /* ERROR "#else behind #else" */ else
