package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// The values that strings of named types have in the sources, by package and type; those without a type by package and "".
type constants map[[2]string][]string

func readConstants() (constants, error) {
	found := constants{}
	for _, module := range []string{"k8s.io/api", "k8s.io/kube-aggregator"} {
		dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		if err != nil {
			return nil, err
		}
		root := strings.TrimSpace(string(dir))
		err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "types.go") {
				return err
			}
			folder, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			return found.read(path, module+"/"+filepath.ToSlash(folder))
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (c constants) read(path, pkg string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return err
	}
	for _, declaration := range file.Decls {
		group, isGroup := declaration.(*ast.GenDecl)
		if !isGroup || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			values := spec.(*ast.ValueSpec)
			name := ""
			if named, isNamed := values.Type.(*ast.Ident); isNamed {
				name = named.Name
			}
			for _, value := range values.Values {
				// `Name("value")` has its type there.
				if call, isCall := value.(*ast.CallExpr); isCall && len(call.Args) == 1 {
					if named, isNamed := call.Fun.(*ast.Ident); isNamed {
						name, value = named.Name, call.Args[0]
					}
				}
				if literal, is := value.(*ast.BasicLit); is && literal.Kind == token.STRING {
					text, err := strconv.Unquote(literal.Value)
					if err != nil {
						return err
					}
					c[[2]string{pkg, name}] = append(c[[2]string{pkg, name}], text)
				}
			}
		}
	}
	return nil
}

// The values that a field of a struct may have, as far as they have names. Of strings without a type this is every such name of
// the package, and only if they are few.
func (c constants) of(owner reflect.Type, field field) []string {
	if field.goType.Kind() != reflect.String {
		return nil
	}
	if field.goType.PkgPath() != "" {
		return c[[2]string{field.goType.PkgPath(), field.goType.Name()}]
	}
	if untyped := c[[2]string{owner.PkgPath(), ""}]; len(untyped) < 40 {
		return untyped
	}
	return nil
}
