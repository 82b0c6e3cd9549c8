package explain

import "slices"

// RuleCodes returns the codes that diagnostics can have, each once.
func RuleCodes() []string {
	codes := []string{OfCompiler}
	for _, r := range rules {
		codes = append(codes, r.code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}
