package driver

func (i interceptor) StreamCreateWithPriority(flags uint32, priority int) (Stream, Result) {
	if r := i.check(StreamCreateWithPriority); r != Success {
		return 0, r
	}
	return i.next.StreamCreateWithPriority(flags, priority)
}

func (i interceptor) CtxGetStreamPriorityRange() (least, greatest int, r Result) {
	if r = i.check(CtxGetStreamPriorityRange); r != Success {
		return 0, 0, r
	}
	return i.next.CtxGetStreamPriorityRange()
}

func (i interceptor) StreamWaitEvent(s Stream, e Event, flags uint32) Result {
	if r := i.check(StreamWaitEvent); r != Success {
		return r
	}
	return i.next.StreamWaitEvent(s, e, flags)
}

func (i interceptor) LaunchHostFunc(s Stream, f func()) Result {
	if r := i.check(LaunchHostFunc); r != Success {
		return r
	}
	return i.next.LaunchHostFunc(s, f)
}

func (i interceptor) EventCreate(flags uint32) (Event, Result) {
	if r := i.check(EventCreate); r != Success {
		return 0, r
	}
	return i.next.EventCreate(flags)
}

func (i interceptor) EventDestroy(e Event) Result {
	if r := i.check(EventDestroy); r != Success {
		return r
	}
	return i.next.EventDestroy(e)
}

func (i interceptor) EventRecord(e Event, s Stream) Result {
	if r := i.check(EventRecord); r != Success {
		return r
	}
	return i.next.EventRecord(e, s)
}

func (i interceptor) EventQuery(e Event) Result {
	if r := i.check(EventQuery); r != Success {
		return r
	}
	return i.next.EventQuery(e)
}

func (i interceptor) EventSynchronize(e Event) Result {
	if r := i.check(EventSynchronize); r != Success {
		return r
	}
	return i.next.EventSynchronize(e)
}

func (i interceptor) EventElapsedTime(start, end Event) (milliseconds float32, r Result) {
	if r = i.check(EventElapsedTime); r != Success {
		return 0, r
	}
	return i.next.EventElapsedTime(start, end)
}
