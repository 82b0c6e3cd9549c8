package main

import (
	"embed"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/explain"
	"github.com/cudagen/cudagen/internal/toolchain"
	"github.com/cudagen/cudagen/templates"
	"github.com/cudagen/cudagen/vet"
)

const completionUsage = `cudagen completion prints a script that completes the command line of cudagen in a shell: commands,
flags and their values, topics, codes, templates and files.

Usage:

	cudagen completion bash|zsh|fish|powershell

The first lines of the script say how to install it. For one shell:

	source <(cudagen completion bash)
	source <(cudagen completion zsh)
	cudagen completion fish | source
	cudagen completion powershell | Out-String | Invoke-Expression

The scripts call cudagen completion words WORD… =CURRENT, which prints what may stand in place of
the word CURRENT behind the others, one per line with a tab and a description. A last line :cu,
:folders or :files says that names of files may stand there, too.
`

//go:embed completion
var completionScripts embed.FS

var completions = handout{what: "completion", whose: "name a shell", names: []string{"bash", "zsh", "fish", "powershell"}, files: completionScripts, folder: "completion"}

// runCompletion runs the subcommand completion.
func runCompletion(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("cudagen completion", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var err error
	if len(args) > 0 && args[0] == "words" {
		err = printWords(args[1:], getenv, stdout)
	} else if err = parseHelped(flags, args, completionUsage, stdout); err == nil {
		err = completions.print(flags.Args(), stdout)
	}
	if err != nil {
		return notRun("cudagen completion", err, stderr)
	}
	return exitOK
}

// printWords prints what may stand in place of the last of words, which begins with =.
func printWords(words []string, getenv func(string) string, stdout io.Writer) error {
	if len(words) == 0 || !strings.HasPrefix(words[len(words)-1], "=") {
		return diag.Flags.New("want cudagen completion words WORD… =CURRENT")
	}
	before, current := words[:len(words)-1], words[len(words)-1][1:]
	found := complete(before, current, getenv)
	for _, c := range found.candidates {
		if strings.HasPrefix(c.word, current) {
			fmt.Fprintf(stdout, "%s\t%s\n", c.word, c.line)
		}
	}
	if found.files != "" {
		fmt.Fprintln(stdout, found.files)
	}
	return nil
}

// A candidate is a word that may stand in the command line, and what describes it.
type candidate struct{ word, line string }

// words are what may stand at a place of the command line.
type words struct {
	candidates []candidate
	files      string // one of cuFiles, folderNames, fileNames, or none
}

// The kinds of files that may stand at a place of the command line.
const (
	cuFiles     = ":cu"
	folderNames = ":folders"
	fileNames   = ":files"
)

// complete returns what may stand in place of the word current behind other words.
func complete(before []string, current string, getenv func(string) string) words {
	if slices.Contains(before, "--") {
		return words{files: fileNames} // flags of the compiler
	}
	name, rest := "", before
	if len(before) > 0 && findCommand(before[0]) != nil {
		name, rest = before[0], before[1:]
	}
	flags := flagsOf(name, getenv)
	if len(rest) > 0 {
		if f, value, is := flagWord(flags, rest[len(rest)-1]); is && value == "" && !strings.Contains(rest[len(rest)-1], "=") && !isBool(f) {
			return valuesOf(f.Name, "", current)
		}
	}
	if f, value, is := flagWord(flags, current); is && strings.Contains(current, "=") {
		return valuesOf(f.Name, strings.TrimSuffix(current, value), value)
	}
	if strings.HasPrefix(current, "-") {
		return words{candidates: flagWords(flags)}
	}
	return argumentsOf(name, rest)
}

// flagWord returns the flag that a word of the command line names, and the value behind =.
func flagWord(flags *flag.FlagSet, word string) (f *flag.Flag, value string, is bool) {
	if !strings.HasPrefix(word, "-") || flags == nil {
		return nil, "", false
	}
	name, value, _ := strings.Cut(strings.TrimPrefix(word[1:], "-"), "=")
	f = flags.Lookup(name)
	return f, value, f != nil
}

func isBool(f *flag.Flag) bool {
	b, is := f.Value.(interface{ IsBoolFlag() bool })
	return is && b.IsBoolFlag()
}

// flagWords returns the flags with their descriptions.
func flagWords(flags *flag.FlagSet) (list []candidate) {
	if flags == nil {
		return nil
	}
	flags.VisitAll(func(f *flag.Flag) {
		_, usage := flag.UnquoteUsage(f)
		usage, _, _ = strings.Cut(usage, ";")
		usage, _, _ = strings.Cut(usage, " (CUDAGEN_")
		list = append(list, candidate{"-" + f.Name, usage})
	})
	return list
}

// flagsOf returns the flags of a command, or of the generator, whose name is empty; nil without any.
func flagsOf(name string, getenv func(string) string) *flag.FlagSet {
	var o options
	switch name {
	case "", "watch":
		flags, _ := o.flags(getenv) // without flags there is no completion
		return flags
	case "model":
		flags, err := o.flags(getenv)
		if err != nil {
			return nil
		}
		flags.Bool("schema", false, "print the JSON schema of the model")
		flags.Bool("go", false, "print the model's declarations in Go")
		return flags
	case "inspect":
		return new(inspectOptions).flags(getenv)
	case "doctor":
		flags, _ := doctorFlags()
		return flags
	case "toolchain":
		return toolchainFlags(&toolchain.Options{}, getenv)
	case "clean":
		flags, _, _ := cleanFlags()
		return flags
	case "profile":
		return new(profileOptions).flags()
	case "debug":
		flags, _, _ := debugFlags()
		return flags
	case "vet":
		flags := flag.NewFlagSet("cudagen vet", flag.ContinueOnError)
		flags.Bool("json", false, "print reports as JSON")
		for _, a := range vet.Analyzers() {
			summary, _, _ := strings.Cut(a.Doc, "\n")
			flags.Bool(a.Name, false, summary)
		}
		return flags
	}
	return nil
}

// argumentsOf returns what may stand behind a command and other words, flags aside.
func argumentsOf(name string, before []string) words {
	before = slices.DeleteFunc(slices.Clone(before), func(word string) bool { return strings.HasPrefix(word, "-") })
	first := len(before) == 0
	switch {
	case name == "" && first:
		return words{commandWords(), cuFiles}
	case name == "" || name == "watch" || name == "inspect" || name == "model":
		return words{files: cuFiles}
	case name == "sim" || name == "profile":
		return words{files: fileNames}
	case name == "init" && first || name == "clean" || name == "vet":
		return words{files: folderNames}
	case name == "toolchain" && first:
		return words{candidates: []candidate{{"install", "install NVIDIA's compilers, without root, Python or a CUDA toolkit"}}}
	case name == "template" && first:
		return words{candidates: []candidate{{"list", "print the templates that come with cudagen"}, {"show", "print the text of one of them"}, {"new", "write a commented template to begin with"}}}
	case name == "template" && before[0] == "show":
		return words{candidates: templateWords("")}
	case name == "completion" && first:
		return words{candidates: plainWords(completions.names...)}
	case name == "matcher" && first:
		return words{candidates: plainWords(matchers.names...)}
	case name == "explain" && first:
		return words{candidates: codeWords()}
	case name == "help" && first:
		var list []candidate
		for _, t := range helpTopics() {
			list = append(list, candidate{t.name, t.line})
		}
		return words{candidates: slices.Concat(list, commandWords())}
	}
	return words{}
}

// valuesOf returns the values of the flag called name. prefix is what stands in front of the value
// in its word.
func valuesOf(name, prefix, current string) words {
	list := func(values ...candidate) words {
		for i := range values {
			values[i].word = prefix + values[i].word
		}
		return words{candidates: values}
	}
	switch name {
	case "gpu":
		return list(plainWords(gpuNames()...)...)
	case "arch", "with": // lists
		if comma := strings.LastIndexByte(current, ','); comma >= 0 {
			prefix += current[:comma+1]
		}
		if name == "arch" {
			return list(archWords()...)
		}
		return list(plainWords(toolchain.Libraries()...)...)
	case "compiler":
		return list(plainWords(gen.Compilers()...)...)
	case "embed":
		return list(candidate{gen.EmbedImage, "PTX and machine code"}, candidate{gen.EmbedSource, "the source, which NVRTC compiles when the program loads it"})
	case "ptx-version":
		return list(candidate{gen.MinPTXVersion, "the lowest that the instructions allow"}, candidate{gen.KeepPTXVersion, "the compiler's"})
	case "std":
		return list(plainWords("c++11", "c++14", "c++17", "c++20")...)
	case "version":
		return list(plainWords(toolchain.Versions()...)...)
	case "template":
		found := list(templateWords("builtin:")...)
		if !strings.HasPrefix(current, "builtin:") {
			found.files = fileNames
		}
		return found
	case "I", "dir":
		return words{files: folderNames}
	case "o", "ccbin", "dlink":
		return words{files: fileNames}
	}
	return words{}
}

// plainWords returns words that need no description.
func plainWords(names ...string) (list []candidate) {
	for _, name := range names {
		list = append(list, candidate{word: name})
	}
	return list
}

func commandWords() (list []candidate) {
	for _, c := range commands() {
		list = append(list, candidate{c.word(), c.line})
	}
	return list
}

func codeWords() (list []candidate) {
	for _, c := range explain.Classes() {
		list = append(list, candidate{string(c.Code), c.Title})
	}
	return list
}

func templateWords(prefix string) (list []candidate) {
	for _, name := range templates.Names() {
		line := ""
		if t, err := templates.Builtin(name); err == nil {
			line = t.Summary()
		}
		list = append(list, candidate{prefix + name, line})
	}
	return list
}

// archWords returns the targets that people name most.
func archWords() []candidate {
	list := []candidate{{"native", "machine code of the GPUs of this machine"}}
	for _, a := range []struct{ number, gpus string }{
		{"75", "Turing"}, {"80", "Ampere: A100"}, {"86", "Ampere: RTX 30"}, {"87", "Ampere: Jetson Orin"}, {"89", "Ada: RTX 40, L4, L40"},
		{"90", "Hopper: H100, H200"}, {"100", "Blackwell: B200"}, {"103", "Blackwell: B300"}, {"120", "Blackwell: RTX 50"}, {"121", "Blackwell: GB10"},
	} {
		list = append(list, candidate{"compute_" + a.number, "PTX, " + a.gpus + " and later"}, candidate{"sm_" + a.number, "machine code, " + a.gpus})
	}
	return list
}
