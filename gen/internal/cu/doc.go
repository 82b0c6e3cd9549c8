// Package cu takes CUDA C++ source, gives what it declares, and knows neither layout nor Go: the
// kernels that a file defines, the types of their parameters, the variables in device memory, the
// classes, enumerations and constants that these use, and cudagen's directives.
//
// It knows syntax and names, and of the meaning of directives only instantiate, which makes kernels.
// It skips unknown syntax that no kernel depends on, and reports other unknown syntax with its
// position. It never guesses.
//
// Start with ParseFile. Package lex makes tokens. A unit knows what is declared. A resolver is a unit seen from one
// scope: it looks names up, reads types and evaluates template arguments. An evaluator computes expressions, an
// execution runs constexpr functions. A parser reads declarations. A launchFinder finds which instances of kernels
// functions launch.
//
// The files lie in layers, of which each uses only those before it:
//
//   - results and limits: file, keywords, work
//   - tokens and types: cursor, types
//   - comments: listing
//   - what is declared: scope, template, function, operand, dependence, unit
//   - a unit in one scope: resolver, pack, matcher
//   - what names, types, template arguments and expressions mean, which need each other in C++: name, library, traits,
//     specifiers, declarator, attribute, enum, argument, partial, instantiate, deduce, expression, identifier, operator,
//     conversion, operatorfunction, initializer, sizeof, call, overload, validity, constraint, statement
//   - heads of templates: templatehead
//   - the grammar of declarations: grammar, grammar_specifiers, grammar_declarator
//   - names in directives: directiveexpression
//   - a kernel: kernel
//   - its instances: instance
//   - all kernels of a file: kerneltable
//   - which instance a launch makes: kerneldeduction
//   - where launches stand: launches
//   - declarations: parse, namespace, variable, class, functiondeclaration, templatedeclaration, kerneldeclaration,
//     instantiation
//   - the bodies of functions: walker
//   - what is launched in them: launchfinder
//   - a whole file: cu
package cu
