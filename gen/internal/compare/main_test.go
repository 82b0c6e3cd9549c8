package compare_test

import (
	"testing"

	"github.com/cudagen/cudagen/gen/internal/gentest"
)

func TestMain(m *testing.M) { gentest.Main(m) }
