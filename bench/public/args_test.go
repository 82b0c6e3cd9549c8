package public_test

// Structs with a field for each parameter of a kernel, for cuda.Bind.
type (
	args1[A any]    struct{ A A }
	args2[A, B any] struct {
		A A
		B B
	}
	args3[A, B, C any] struct {
		A A
		B B
		C C
	}
	args4[A, B, C, D any] struct {
		A A
		B B
		C C
		D D
	}
	args5[A, B, C, D, E any] struct {
		A A
		B B
		C C
		D D
		E E
	}
	args6[A, B, C, D, E, F any] struct {
		A A
		B B
		C C
		D D
		E E
		F F
	}
	args7[A, B, C, D, E, F, G any] struct {
		A A
		B B
		C C
		D D
		E E
		F F
		G G
	}
	args8[A, B, C, D, E, F, G, H any] struct {
		A A
		B B
		C C
		D D
		E E
		F F
		G G
		H H
	}
	args9[A, B, C, D, E, F, G, H, I any] struct {
		A A
		B B
		C C
		D D
		E E
		F F
		G G
		H H
		I I
	}
	args10[A, B, C, D, E, F, G, H, I, J any] struct {
		A A
		B B
		C C
		D D
		E E
		F F
		G G
		H H
		I I
		J J
	}
	args11[A, B, C, D, E, F, G, H, I, J, K any] struct {
		A A
		B B
		C C
		D D
		E E
		F F
		G G
		H H
		I I
		J J
		K K
	}
	args12[A, B, C, D, E, F, G, H, I, J, K, L any] struct {
		A A
		B B
		C C
		D D
		E E
		F F
		G G
		H H
		I I
		J J
		K K
		L L
	}
)

func with1[A any](a A) args1[A] { return args1[A]{a} }

func with2[A, B any](a A, b B) args2[A, B] { return args2[A, B]{a, b} }

func with3[A, B, C any](a A, b B, c C) args3[A, B, C] { return args3[A, B, C]{a, b, c} }

func with4[A, B, C, D any](a A, b B, c C, d D) args4[A, B, C, D] {
	return args4[A, B, C, D]{a, b, c, d}
}

func with5[A, B, C, D, E any](a A, b B, c C, d D, e E) args5[A, B, C, D, E] {
	return args5[A, B, C, D, E]{a, b, c, d, e}
}

func with6[A, B, C, D, E, F any](a A, b B, c C, d D, e E, f F) args6[A, B, C, D, E, F] {
	return args6[A, B, C, D, E, F]{a, b, c, d, e, f}
}

func with7[A, B, C, D, E, F, G any](a A, b B, c C, d D, e E, f F, g G) args7[A, B, C, D, E, F, G] {
	return args7[A, B, C, D, E, F, G]{a, b, c, d, e, f, g}
}

func with8[A, B, C, D, E, F, G, H any](a A, b B, c C, d D, e E, f F, g G, h H) args8[A, B, C, D, E, F, G, H] {
	return args8[A, B, C, D, E, F, G, H]{a, b, c, d, e, f, g, h}
}

func with9[A, B, C, D, E, F, G, H, I any](a A, b B, c C, d D, e E, f F, g G, h H, i I) args9[A, B, C, D, E, F, G, H, I] {
	return args9[A, B, C, D, E, F, G, H, I]{a, b, c, d, e, f, g, h, i}
}

func with10[A, B, C, D, E, F, G, H, I, J any](a A, b B, c C, d D, e E, f F, g G, h H, i I, j J) args10[A, B, C, D, E, F, G, H, I, J] {
	return args10[A, B, C, D, E, F, G, H, I, J]{a, b, c, d, e, f, g, h, i, j}
}

func with11[A, B, C, D, E, F, G, H, I, J, K any](a A, b B, c C, d D, e E, f F, g G, h H, i I, j J, k K) args11[A, B, C, D, E, F, G, H, I, J, K] {
	return args11[A, B, C, D, E, F, G, H, I, J, K]{a, b, c, d, e, f, g, h, i, j, k}
}

func with12[A, B, C, D, E, F, G, H, I, J, K, L any](a A, b B, c C, d D, e E, f F, g G, h H, i I, j J, k K, l L) args12[A, B, C, D, E, F, G, H, I, J, K, L] {
	return args12[A, B, C, D, E, F, G, H, I, J, K, L]{a, b, c, d, e, f, g, h, i, j, k, l}
}
