package goname

import "slices"

// A Claim says which Go names something wants: those of one of its forms, the best one first. A
// form has several names where one goes with others: X, SetX.
type Claim struct {
	Forms [][]string

	// Fixed says that a directive, an option or Go itself gives the only form. It is not given up
	// for a claim that is not fixed.
	Fixed bool
}

// Forms returns a claim whose forms have one name each. Forms that are the same count once.
func Forms(names ...string) Claim {
	var c Claim
	for _, name := range slices.Compact(slices.Clone(names)) {
		c.Forms = append(c.Forms, []string{name})
	}
	return c
}

// Fixed returns a fixed claim.
func Fixed(names ...string) Claim { return Claim{Forms: [][]string{names}, Fixed: true} }

// A Clash says that two claims, by their indices, want the same name and have no other one.
type Clash struct {
	Claim, Other int
	Name         string
}

// Settle returns the names that each claim gets: those of the best form with names that nothing
// else claims. Of claims to one name nobody gets it, unless one is fixed. So a name does not pass
// from one thing to another when a third one comes, and no order counts.
//
// A claim that gets none has nil, and is in clashes, which are sorted by their claims.
func Settle(claims []Claim) (names [][]string, clashes []Clash) {
	form := make([]int, len(claims))
	burnt := make(map[string][]int) // names that nobody gets, and who claimed them first
	lost := make(map[int]Clash)
	for {
		lists := claimed(claims, form)
		left := make(map[int]Clash)
		for name, list := range lists {
			fixed := slices.ContainsFunc(list, func(i int) bool { return claims[i].Fixed })
			if len(list) == 1 && (fixed || burnt[name] == nil) {
				continue
			}
			if burnt[name] == nil {
				burnt[name] = list
			}
			for at, i := range list {
				c := Clash{i, burnt[name][0], name}
				if c.Other == i {
					c.Other = burnt[name][1]
				}
				switch {
				case !claims[i].Fixed:
					if old, twice := left[i]; !twice || name < old.Name {
						left[i] = c
					}
				case slices.ContainsFunc(list[:at], func(k int) bool { return claims[k].Fixed }):
					lost[i] = c
				}
			}
		}
		for i, c := range left {
			if form[i]++; form[i] == len(claims[i].Forms) {
				lost[i] = c
			}
		}
		if len(left) == 0 {
			break
		}
	}
	for i := range claims {
		if c, clash := lost[i]; clash {
			names, clashes = append(names, nil), append(clashes, c)
			continue
		}
		names = append(names, claims[i].Forms[form[i]])
	}
	return names, clashes
}

// claimed returns, for each name, the claims to it in their present forms, in their order.
func claimed(claims []Claim, form []int) map[string][]int {
	lists := make(map[string][]int)
	for i, c := range claims {
		if form[i] == len(c.Forms) {
			continue
		}
		for _, name := range c.Forms[form[i]] {
			if list := lists[name]; len(list) == 0 || list[len(list)-1] != i {
				lists[name] = append(list, i)
			}
		}
	}
	return lists
}
