package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
)

// A mutation replaces the bytes from start to end of a file.
type mutation struct {
	pos        token.Position
	start, end int
	old, text  string
}

// swapped are the operators that replace each other.
var swapped = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS,
	token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD,
	token.MUL: token.QUO, token.QUO: token.MUL,
	token.AND: token.OR, token.OR: token.AND,
	token.SHL: token.SHR, token.SHR: token.SHL,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.INC: token.DEC, token.DEC: token.INC,
	token.BREAK: token.CONTINUE, token.CONTINUE: token.BREAK,
}

// mutations returns the mutations of the functions of a Go file, in source order. It returns none for
// generated files.
func mutations(name string, source []byte) ([]mutation, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return nil, err
	}
	var found []mutation
	replace := func(pos, end token.Pos, text string) {
		start, stop := fset.Position(pos).Offset, fset.Position(end).Offset
		found = append(found, mutation{fset.Position(pos), start, stop, string(source[start:stop]), text})
	}
	swap := func(pos token.Pos, operator token.Token) {
		if other, ok := swapped[operator]; ok {
			replace(pos, pos+token.Pos(len(operator.String())), other.String())
		}
	}
	visit := func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CallExpr:
			if f, ok := node.Fun.(*ast.Ident); ok && f.Name == "panic" {
				return false
			}
		case *ast.BinaryExpr:
			swap(node.OpPos, node.Op)
		case *ast.IncDecStmt:
			swap(node.TokPos, node.Tok)
		case *ast.AssignStmt:
			swap(node.TokPos, node.Tok)
			if node.Tok != token.DEFINE {
				replace(node.Pos(), node.End(), "")
			}
		case *ast.BranchStmt:
			if node.Label == nil {
				swap(node.Pos(), node.Tok)
			}
		case *ast.ExprStmt:
			replace(node.Pos(), node.End(), "")
		case *ast.DeferStmt:
			replace(node.Pos(), node.End(), "")
		case *ast.UnaryExpr:
			if node.Op == token.NOT {
				replace(node.OpPos, node.OpPos+1, "")
			}
		case *ast.IfStmt:
			start, stop := fset.Position(node.Cond.Pos()).Offset, fset.Position(node.Cond.End()).Offset
			replace(node.Cond.Pos(), node.Cond.End(), "!("+string(source[start:stop])+")")
		case *ast.BasicLit:
			if n, err := strconv.ParseInt(node.Value, 0, 63); node.Kind == token.INT && err == nil {
				replace(node.Pos(), node.End(), strconv.FormatInt(n+1, 10))
			}
		}
		return true
	}
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && function.Body != nil {
			ast.Inspect(function.Body, visit)
		}
	}
	return found, nil
}

// of returns source with the mutation made.
func (m mutation) of(source []byte) []byte {
	return append(append(append([]byte{}, source[:m.start]...), m.text...), source[m.end:]...)
}
