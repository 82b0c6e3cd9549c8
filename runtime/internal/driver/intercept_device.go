package driver

func (i interceptor) DeviceGetByPCIBusId(id string) (Device, Result) {
	if r := i.check(DeviceGetByPCIBusId); r != Success {
		return 0, r
	}
	return i.next.DeviceGetByPCIBusId(id)
}

func (i interceptor) DeviceGetPCIBusId(dev Device) (string, Result) {
	if r := i.check(DeviceGetPCIBusId); r != Success {
		return "", r
	}
	return i.next.DeviceGetPCIBusId(dev)
}

func (i interceptor) DeviceCanAccessPeer(dev, peer Device) (bool, Result) {
	if r := i.check(DeviceCanAccessPeer); r != Success {
		return false, r
	}
	return i.next.DeviceCanAccessPeer(dev, peer)
}

func (i interceptor) CtxEnablePeerAccess(peer Context, flags uint32) Result {
	if r := i.check(CtxEnablePeerAccess); r != Success {
		return r
	}
	return i.next.CtxEnablePeerAccess(peer, flags)
}

func (i interceptor) CtxDisablePeerAccess(peer Context) Result {
	if r := i.check(CtxDisablePeerAccess); r != Success {
		return r
	}
	return i.next.CtxDisablePeerAccess(peer)
}
