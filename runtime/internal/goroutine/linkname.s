// This file lets labels.go declare functions of the runtime, which have no bodies here.
