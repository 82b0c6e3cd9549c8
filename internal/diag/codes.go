package diag

// A Code is the kind of a diagnostic: a letter and three digits. Codes are stable: a kind keeps its code, and
// those of removed kinds are not used again. Package internal/explain has a page for each.
type Code string

// Compilers.
const (
	NoCompiler      Code = "C101"
	NoHostCompiler  Code = "C102"
	OldCompiler     Code = "C103" // or not a CUDA compiler
	UnsupportedArch Code = "C104"
	ClangLacks      Code = "C105"
	NVRTCLacks      Code = "C106"
	CompilerOutput  Code = "C107" // that is not understood
	OfCompiler      Code = "C199" // what a CUDA compiler says about the source
)

// Directives.
const (
	UnknownDirective   Code = "D101"
	StrayDirective     Code = "D102" // without a declaration
	Contradiction      Code = "D103" // of directives
	DirectiveArguments Code = "D104"
	LaunchConfig       Code = "D105"
	ExpressionName     Code = "D106"
	ParameterKind      Code = "D107" // pointer or integer
	ExpressionValue    Code = "D108"
	Export             Code = "D109"
	TypeMapping        Code = "D110"
	TemplateData       Code = "D111"
)

// Files.
const (
	NoFile        Code = "F101"
	ForeignFile   Code = "F102"
	Stale         Code = "F103"
	BadRecord     Code = "F104"
	EmbeddedCode  Code = "F105"
	FileAccess    Code = "F106"
	FileChanged   Code = "F107"
	RecordedFlags Code = "F108"
)

// Layouts.
const (
	Virtual         Code = "L101"
	CompilersDiffer Code = "L102"
	ParameterBytes  Code = "L103"
	NoLayout        Code = "L104"
)

// BadTemplate is a mistake in a template that makes more files.
const BadTemplate Code = "M101"

// Go names.
const (
	GoName      Code = "N101"
	PackageName Code = "N102"
	TypesDiffer Code = "N103" // types of one name
)

// Proofs.
const (
	LayoutsDisagree Code = "P101"
	Unconfirmed     Code = "P102"
	NotInImage      Code = "P103"
	TargetsDiffer   Code = "P104"
)

// Sources.
const (
	NoKernel           Code = "S101"
	UnknownType        Code = "S102"
	NotDefined         Code = "S103"
	Unbalanced         Code = "S104" // braces, quotes or #endif
	KernelDeclaration  Code = "S105"
	Macro              Code = "S106" // or condition
	Template           Code = "S107"
	ConstantExpression Code = "S108"
	Linking            Code = "S109"
	NotUnderstood      Code = "S199"
)

// ToolchainInstall is a failure of cudagen toolchain install.
const ToolchainInstall Code = "T101"

// The command line.
const (
	Flags       Code = "U101"
	UnknownWord Code = "U102" // command, variable, topic or code
	FlagValue   Code = "U103"
)
