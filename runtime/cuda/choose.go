package cuda

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// choose returns the image that LoadKernels loads.
func (d *Device) choose(images []Image) (Image, error) {
	portable := slices.IndexFunc(images, func(i Image) bool { return i.Targets == nil })
	if !d.IsSimulated() && slices.ContainsFunc(images, func(i Image) bool { return i.Targets != nil }) {
		major, minor, err := d.ComputeCapability()
		if err != nil {
			return Image{}, err
		}
		for _, image := range images {
			if slices.ContainsFunc(image.Targets, func(target string) bool { return runsOn(target, major, minor) }) {
				return image, nil
			}
		}
	}
	if portable >= 0 {
		return images[portable], nil
	}
	var have []string
	for _, image := range images {
		have = append(have, image.Targets...)
	}
	return Image{}, &Error{
		Op: "load kernels", Device: d.String(), Driver: d.version, Err: ErrNotSupported,
		Detail: fmt.Sprintf("the images have code for %s only and no PTX: add compute_XX to -arch and generate again", strings.Join(have, ", ")),
	}
}

// runsOn reports whether machine code for target runs on a GPU of a compute capability.
//
// CUDA C++ Programming Guide, Binary Compatibility, Architecture-Specific and
// Family-Specific Features.
func runsOn(target string, major, minor int) bool {
	digits, ok := strings.CutPrefix(target, "sm_")
	number, err := strconv.Atoi(strings.TrimRight(digits, "af"))
	if !ok || err != nil || number/10 != major {
		return false
	}
	if strings.HasSuffix(digits, "a") {
		return number%10 == minor
	}
	return number%10 <= minor
}
