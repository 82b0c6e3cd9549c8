// What automaton.cu and rule.cu use of each other.
#pragma once

// Rule returns the next state of a cell between two others. rule.cu defines it.
extern __device__ unsigned char rule(unsigned char left, unsigned char cell, unsigned char right);

// Number is the rule's number after Wolfram. automaton.cu defines it.
extern __constant__ unsigned char number;
