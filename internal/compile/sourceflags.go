package compile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// A View is how the compiler sees a source because of its flags.
type View struct {
	Include []string // more folders of headers
	Std     string   // the language version, or "" if no flag says it
	Macros  string   // #define and #undef before the source, and then #include
}

// ViewOf returns what flags for the compiler called name say; it runs in the folder dir. What is not certain, as a list with
// quotes, is left out: the image tells. The folders of CPATH come behind those of -I: GCC manual, Environment Variables
// Affecting GCC. Those of CPLUS_INCLUDE_PATH are the system's, whose headers belong to the compiler.
func ViewOf(flags []string, name, dir string) (v View) {
	var system []string
	var macros, included strings.Builder
	flags = withHostFlags(flags)
	for i := 0; i < len(flags); i++ {
		flag, value, joined, known := rtcFlagOf(flags[i])
		if !known {
			continue
		}
		if flag.value && !joined {
			if i++; i == len(flags) {
				break
			}
			value = flags[i]
		}
		list := []string{value}
		if flag.list && name != "clang" {
			if strings.Contains(value, `\`) || strings.Contains(value, ",") && strings.ContainsAny(value, `"'`) {
				continue
			}
			list = strings.Split(value, ",")
		}
		first := flag.names[0]
		switch first {
		case "-std":
			v.Std = value
		case "-D", "-U":
			for _, macro := range list {
				macros.WriteString(directive(first + macro))
			}
		case "-include":
			for _, file := range list {
				included.WriteString("#include \"" + rtcPath(file, dir, false) + "\"\n") // behind all macros
			}
		case "-I", "-isystem":
			for _, folder := range list {
				folder = rtcPath(folder, dir, true)
				if first == "-I" {
					v.Include = append(v.Include, folder)
				} else {
					system = append(system, folder)
				}
			}
		default:
			for _, macro := range implied(first, value) {
				macros.WriteString(directive(macro))
			}
		}
	}
	if name != "nvrtc" {
		for _, folder := range filepath.SplitList(os.Getenv("CPATH")) {
			v.Include = append(v.Include, rtcPath(folder, dir, true))
		}
	}
	v.Include, v.Macros = append(v.Include, system...), macros.String()+included.String()
	return v
}

// directive returns the preprocessing directive that a -D or -U stands for.
//
// GCC manual, Options Controlling the Preprocessor.
func directive(flag string) string {
	name, value, valued := strings.Cut(strings.ReplaceAll(flag[len("-D"):], "\n", " "), "=")
	switch {
	case flag[:len("-D")] == "-U":
		return "#undef " + name + "\n"
	case !valued:
		value = "1"
	}
	return "#define " + name + " " + value + "\n"
}

// impliedMacros are what flags define besides -D, by the first name of the flag, with its value where it has one.
//
// NVIDIA CUDA Compiler Driver NVCC, NVCC Identification Macros; CUDA Runtime API, Stream synchronization behavior.
var impliedMacros = map[string]string{
	"-rdc true": "__CUDACC_RDC__", "-dc": "__CUDACC_RDC__", "-dlto": "__CUDACC_RDC__", "-G": "__CUDACC_DEBUG__",
	"-extended-lambda": "__CUDACC_EXTENDED_LAMBDA__", "-expt-relaxed-constexpr": "__CUDACC_RELAXED_CONSTEXPR__",
	"-default-stream per-thread": "CUDA_API_PER_THREAD_DEFAULT_STREAM",
}

// implied returns the macro that a flag of nvcc defines, as a flag.
func implied(first, value string) []string {
	if macro := impliedMacros[strings.TrimSuffix(first+" "+value, " ")]; macro != "" {
		return []string{"-D" + macro}
	}
	return nil
}

// withHostFlags returns flags behind those that -Xcompiler hands to the host's compiler, as far as they concern the preprocessor: it
// preprocesses for the device, too, and nvcc puts them in front of its own, wherever they stand. nvcc also splits at blanks.
// A list with quotes or escaped commas is left out.
func withHostFlags(flags []string) (all []string) {
	var host []string
	for i := 0; i < len(flags); i++ {
		flag, value, joined, known := rtcFlagOf(flags[i])
		if !known || !flag.value {
			continue
		}
		if !joined {
			if i++; i == len(flags) {
				break
			}
			value = flags[i]
		}
		if flag.names[0] == "-Xcompiler" && !strings.ContainsAny(value, `"'\`) {
			host = append(host, strings.FieldsFunc(value, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })...)
		}
	}
	for i := 0; i < len(host); i++ {
		flag, value, joined, known := rtcFlagOf(host[i])
		switch {
		case host[i] == "-fopenmp":
			all = append(all, "-D_OPENMP=201511")
		case !known || !slices.Contains([]string{"-D", "-U", "-I", "-isystem", "-include"}, flag.names[0]):
		case joined:
			all = append(all, flag.names[0], value)
		case i+1 < len(host):
			i++
			all = append(all, flag.names[0], host[i])
		}
	}
	return append(all, flags...)
}

// unoptimized returns flags without those that only say how code is optimized, which the compilers refuse beside -G, or which leave debug
// information out.
func unoptimized(flags []string) (kept []string) {
	for i := 0; i < len(flags); i++ {
		name, value, joined := strings.Cut(flags[i], "=")
		switch name {
		case "-dopt", "--dopt", "-Ofc", "--Ofast-compile":
			if !joined {
				i++
			}
			continue
		case "-Xcicc":
			if !joined && i+1 == len(flags) {
				break // it lacks its value, which the compiler says
			}
			if !joined {
				i++
				value = flags[i]
			}
			if others := slices.DeleteFunc(strings.Split(value, ","), func(arg string) bool { return strings.HasPrefix(arg, "-O") || strings.HasPrefix(arg, "-opt") }); len(others) > 0 {
				kept = append(kept, name, strings.Join(others, ","))
			}
			continue
		}
		kept = append(kept, flags[i])
	}
	return kept
}

// debugFlags are the flags for debug information beside those of the user. __CUDACC_DEBUG__, which -G defines, is
// undefined unless the user's define it: the source that is compiled is that of the image.
func debugFlags(flags []string) []string {
	for _, arg := range flags {
		if flag, _, _, known := rtcFlagOf(arg); known && flag.names[0] == "-G" {
			return nil
		}
	}
	return []string{"-G", "-U__CUDACC_DEBUG__"}
}
