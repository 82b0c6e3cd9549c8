package clib

import "strconv"

// An Enumerator is a value of an enumeration, and its name in C.
type Enumerator = struct { // without a name, so that vet lets literals be short
	Value int64
	Name  string
}

// NameOf returns the first name of v, or a text with its type in Go and its number.
func NameOf(list []Enumerator, v int64, goType string) string {
	for i := range list {
		if list[i].Value == v {
			return list[i].Name
		}
	}
	return goType + "(" + strconv.FormatInt(v, 10) + ")"
}
