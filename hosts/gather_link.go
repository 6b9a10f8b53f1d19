package hosts

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
)

// linkFacts looks for the link address without recording it.
func linkFacts(src Source) (*LinkFacts, error) {
	if !src.Link.IsValid() {
		return nil, nil
	}
	list := src.Interfaces
	if list == nil {
		list = interfaceAddresses
	}
	byName, err := list()
	if err != nil {
		return nil, fmt.Errorf("listing addresses: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if slices.Contains(byName[name], src.Link.Unmap()) {
			return &LinkFacts{Found: true, Interface: name}, nil
		}
	}
	return &LinkFacts{}, nil
}

func interfaceAddresses() (map[string][]netip.Addr, error) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	byName := map[string][]netip.Addr{}
	for _, i := range interfaces {
		addresses, err := i.Addrs()
		if err != nil {
			return nil, err
		}
		for _, a := range addresses {
			if p, err := netip.ParsePrefix(a.String()); err == nil {
				byName[i.Name] = append(byName[i.Name], p.Addr().Unmap().WithZone(""))
			}
		}
	}
	return byName, nil
}
