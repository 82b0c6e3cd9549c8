package ptx

// Versions of the PTX ISA that other things than instructions need, by name. Everything
// that 6.3 has is listed under 6.3.

// targets: PTX ISA, Release Notes. CUDA 13 has none below sm_75.
var targets = map[string]Version{
	"sm_30": {6, 3}, "sm_32": {6, 3}, "sm_35": {6, 3}, "sm_37": {6, 3}, "sm_50": {6, 3}, "sm_52": {6, 3}, "sm_53": {6, 3},
	"sm_60": {6, 3}, "sm_61": {6, 3}, "sm_62": {6, 3}, "sm_70": {6, 3}, "sm_72": {6, 3}, "sm_75": {6, 3},
	"sm_80": {7, 0}, "sm_86": {7, 1}, "sm_87": {7, 4}, "sm_89": {7, 8}, "sm_90": {7, 8}, "sm_90a": {8, 0},
	"sm_100": {8, 6}, "sm_100a": {8, 6}, "sm_120": {8, 7}, "sm_120a": {8, 7},
	"sm_100f": {8, 8}, "sm_103": {8, 8}, "sm_103a": {8, 8}, "sm_103f": {8, 8}, "sm_120f": {8, 8}, "sm_121": {8, 8}, "sm_121a": {8, 8}, "sm_121f": {8, 8},
	"sm_110": {9, 0}, "sm_110a": {9, 0}, "sm_110f": {9, 0},

	"debug": {6, 3}, "texmode_unified": {6, 3}, "texmode_independent": {6, 3},
}

// attributes are the directives between a function's parameters and its body: PTX ISA,
// Performance-Tuning Directives, Cluster Dimension Directives.
var attributes = map[string]Version{
	"maxnreg": {6, 3}, "maxntid": {6, 3}, "reqntid": {6, 3}, "minnctapersm": {6, 3},
	"noreturn":          {6, 4},
	"reqnctapercluster": {7, 8}, "explicitcluster": {7, 8}, "maxclusterrank": {7, 8},
}

// variableTypes: PTX ISA, Types.
var variableTypes = map[string]Version{
	"b8": {6, 3}, "u8": {6, 3}, "s8": {6, 3}, "b16": {6, 3}, "u16": {6, 3}, "s16": {6, 3}, "f16": {6, 3}, "f16x2": {6, 3},
	"b32": {6, 3}, "u32": {6, 3}, "s32": {6, 3}, "f32": {6, 3}, "b64": {6, 3}, "u64": {6, 3}, "s64": {6, 3}, "f64": {6, 3}, "pred": {6, 3},
	"texref": {6, 3}, "samplerref": {6, 3}, "surfref": {6, 3},
	"b128": {8, 3},
}

// variableAttributes: PTX ISA, Variable and Function Attribute Directive.
var variableAttributes = map[string]Version{"managed": {6, 3}}

// pragmas: PTX ISA, Descriptions of .pragma Strings. With their quotes.
var pragmas = map[string]Version{`"nounroll"`: {6, 3}}

// specialRegisters: PTX ISA, Special Registers.
var specialRegisters = map[string]Version{
	"%tid": {6, 3}, "%ntid": {6, 3}, "%laneid": {6, 3}, "%warpid": {6, 3}, "%nwarpid": {6, 3}, "%ctaid": {6, 3}, "%nctaid": {6, 3},
	"%smid": {6, 3}, "%nsmid": {6, 3}, "%gridid": {6, 3},
	"%lanemask_eq": {6, 3}, "%lanemask_le": {6, 3}, "%lanemask_lt": {6, 3}, "%lanemask_ge": {6, 3}, "%lanemask_gt": {6, 3},
	"%clock": {6, 3}, "%clock_hi": {6, 3}, "%clock64": {6, 3}, "%globaltimer": {6, 3}, "%globaltimer_lo": {6, 3}, "%globaltimer_hi": {6, 3},
	"%total_smem_size": {6, 3}, "%dynamic_smem_size": {6, 3}, "%envreg1": {6, 3}, "%envreg2": {6, 3},
	"%clusterid": {7, 8}, "%nclusterid": {7, 8}, "%cluster_ctaid": {7, 8}, "%cluster_nctaid": {7, 8},
	"%cluster_ctarank": {7, 8}, "%cluster_nctarank": {7, 8}, "%is_explicit_cluster": {7, 8},
	"%current_graph_exec": {8, 0}, "%aggr_smem_size": {8, 1},
}
