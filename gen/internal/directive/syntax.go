package directive

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
)

// An assignment is one name=expression of len or infer.
type assignment struct {
	name    string
	namePos token.Position
	expr    string
	exprPos token.Position
}

// assignments splits the arguments of d, name=expression separated by blanks or
// commas. A new one begins wherever a name stands in front of an equals sign.
func (r *reader) assignments(d cu.Directive) []assignment {
	type lexeme struct {
		offset int
		tok    token.Token
		lit    string
	}
	var lexemes []lexeme
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(d.Args))
	bad := false
	s.Init(file, []byte(d.Args), func(pos token.Position, msg string) {
		r.errorf(at(d.ArgsPos, pos.Offset), diag.DirectiveArguments, "%s: %s", d.Verb, msg)
		bad = true
	}, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF || bad {
			break
		}
		lexemes = append(lexemes, lexeme{file.Offset(pos), tok, lit})
	}
	if bad {
		return nil
	}
	var starts []int // indexes of names in front of =
	for i := 0; i+1 < len(lexemes); i++ {
		if tok := lexemes[i].tok; (tok == token.IDENT || tok.IsKeyword()) && lexemes[i+1].tok == token.ASSIGN { // keywords of Go are names in C++
			starts = append(starts, i)
		}
	}
	if len(starts) == 0 || starts[0] != 0 {
		r.errorf(d.ArgsPos, diag.DirectiveArguments, "%s wants parameter=expression, found %q", d.Verb, d.Args)
		return nil
	}
	var list []assignment
	for n, start := range starts {
		first := start + 2
		end := len(d.Args)
		last := len(lexemes)
		if n+1 < len(starts) {
			last = starts[n+1]
			end = lexemes[last].offset
		}
		if last > first && lexemes[last-1].tok == token.COMMA {
			last--
			end = lexemes[last].offset
		}
		name := lexemes[start]
		a := assignment{name: name.lit, namePos: at(d.ArgsPos, name.offset)}
		if first < last {
			a.expr = trimRight(d.Args[lexemes[first].offset:end])
			a.exprPos = at(d.ArgsPos, lexemes[first].offset)
		}
		if a.expr == "" {
			r.errorf(a.namePos, diag.DirectiveArguments, "%s %s= lacks an expression", d.Verb, a.name)
			continue
		}
		list = append(list, a)
	}
	return list
}

func trimRight(s string) string {
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}

// dims reads one to three expressions separated by commas.
func (r *reader) dims(d cu.Directive, scope exprScope) []model.Expr {
	if d.Args == "" {
		r.errorf(d.Pos, diag.DirectiveArguments, "%s lacks an expression", d.Verb)
		return nil
	}
	const open = "f("
	translated, _ := translate(d.Args)
	parsed, err := parser.ParseExpr(open + translated + ")")
	call, ok := parsed.(*ast.CallExpr)
	if err != nil || !ok || call.Ellipsis.IsValid() {
		r.errorf(d.ArgsPos, diag.DirectiveArguments, "%s: %q is not a list of Go expressions", d.Verb, d.Args)
		return nil
	}
	if len(call.Args) == 0 || len(call.Args) > 3 {
		r.errorf(d.ArgsPos, diag.DirectiveArguments, "%s takes one to three expressions, found %d", d.Verb, len(call.Args))
		return nil
	}
	var list []model.Expr
	for _, arg := range call.Args {
		start, end := int(arg.Pos())-1-len(open), int(arg.End())-1-len(open)
		value, ok := r.expression(d.Args[start:end], at(d.ArgsPos, start), scope)
		if !ok {
			return nil
		}
		list = append(list, value.expr(d.Args[start:end]))
	}
	return list
}

// dimsWith returns dims, the expressions of d, with block.x … of the launch configuration cfg.
func (r *reader) dimsWith(d cu.Directive, dims []model.Expr) []model.Expr {
	before := len(r.errs)
	with := r.dims(d, exprScope{config: true})
	if len(r.errs) > before { // what the constant block allows
		r.errs = r.errs[:before]
		return dims
	}
	return with
}

// at returns the position n bytes behind pos in the same line.
func at(pos token.Position, n int) token.Position {
	pos.Column += n
	pos.Offset += n
	return pos
}
