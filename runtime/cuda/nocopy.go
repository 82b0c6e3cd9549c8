package cuda

// A noCopy makes go vet report copies of a struct that has one as a field. It has no size. The
// field comes first and is not embedded: behind the last field it would take room, and its
// methods would be the struct's.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
