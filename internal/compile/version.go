package compile

import "sync"

// A version is a compiler's, which is asked for it once.
type version struct {
	mu   sync.Mutex
	text string // empty until it is known
}

// once returns what ask returned when it first succeeded.
func (v *version) once(ask func() (string, error)) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.text != "" {
		return v.text, nil
	}
	text, err := ask()
	if err == nil {
		v.text = text
	}
	return text, err
}
