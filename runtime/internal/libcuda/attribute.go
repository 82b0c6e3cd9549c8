package libcuda

import "github.com/cudagen/cudagen/runtime/internal/driver"

// An Attribute is a CUlaunchAttribute: a number that says which, and a union of 64 bytes.
//
// CUDA Driver API, Data types used by CUDA driver, CUlaunchAttribute.
type Attribute struct {
	ID    uint32
	_     [4]byte
	Value [8]uint64
}

// The numbers of CUlaunchAttributeID.
const (
	attributeCooperative  = 2
	attributeCluster      = 4
	attributeProgrammatic = 6
	attributePriority     = 8
)

// An AttributeList is the attributes of one launch: the first Count of List.
type AttributeList struct {
	Count uint32
	List  [4]Attribute
}

// Attributes writes a as the driver wants it.
func Attributes(a driver.LaunchAttributes) (list AttributeList) {
	if a.Cooperative {
		list.add(attributeCooperative, 1, 0)
	}
	if c := a.Cluster; c != (driver.Dim3{}) {
		list.add(attributeCluster, uint64(c.X)|uint64(c.Y)<<32, uint64(c.Z))
	}
	if a.Programmatic {
		list.add(attributeProgrammatic, 1, 0)
	}
	if a.HasPriority {
		list.add(attributePriority, uint64(uint32(a.Priority)), 0)
	}
	return list
}

// add appends an attribute whose value begins with the two words, in the byte order of
// all machines with this driver, the little end first.
func (l *AttributeList) add(id uint32, low, high uint64) {
	l.List[l.Count].ID = id
	l.List[l.Count].Value[0], l.List[l.Count].Value[1] = low, high
	l.Count++
}
