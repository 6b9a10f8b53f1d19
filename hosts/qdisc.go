package hosts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// cards is how the queueing discipline of a network card, which decides when
// its packets leave, is read and changed; tests have their own.
type cards interface {
	// root is the discipline of a card: its kind alone where the kernel chose
	// it, [shapeText] for a token bucket, else kind and handle. It is empty
	// where there is no such card, or one that was never up.
	root(card string) string
	// shape puts a token bucket in the place of the kernel's choice.
	shape(card string, mbps int) error
	// unshape takes a token bucket away; the kernel chooses again.
	unshape(card string) error
}

// kernelCards asks the kernel by rtnetlink. It needs no program on the host,
// and reading needs no privilege, so that an agent in a container can do it.
type kernelCards struct{}

// What linux/rtnetlink.h and linux/pkt_sched.h name.
const (
	rootParent = math.MaxUint32 // TC_H_ROOT
	tcmsgBytes = 20             // struct tcmsg
	attrKind   = 1              // TCA_KIND
	attrRule   = 2              // TCA_OPTIONS
	tbfParms   = 1              // TCA_TBF_PARMS
	tbfRate64  = 4              // TCA_TBF_RATE64
	tbfBurst   = 6              // TCA_TBF_BURST
	ethernet   = 1              // TC_LINKLAYER_ETHERNET
	tokens     = "tbf"
)

// shapeText is a token bucket of so many Mb/s, in words.
func shapeText(mbps int) string { return tokens + " " + strconv.Itoa(mbps) + " Mb/s" }

// shapedTo reads shapeText.
func shapedTo(text string) (mbps int, ok bool) {
	number, ok := strings.CutSuffix(strings.TrimPrefix(text, tokens+" "), " Mb/s")
	mbps, err := strconv.Atoi(number)
	return mbps, ok && err == nil && shapeText(mbps) == text
}

func (kernelCards) root(card string) string {
	at, err := net.InterfaceByName(card)
	if err != nil {
		return ""
	}
	all, err := askKernel(syscall.RTM_GETQDISC, syscall.NLM_F_DUMP, make([]byte, tcmsgBytes))
	if err != nil {
		return ""
	}
	for _, m := range all {
		if len(m) < tcmsgBytes {
			continue
		}
		index, handle, parent := number32(m[4:]), number32(m[8:]), number32(m[12:])
		if int(index) == at.Index && parent == rootParent {
			return rootText(handle, attributes(m[tcmsgBytes:]))
		}
	}
	return ""
}

func rootText(handle uint32, found map[uint16][]byte) string {
	kind := strings.TrimRight(string(found[attrKind]), "\x00")
	rule := attributes(found[attrRule])
	switch parms := rule[tbfParms]; {
	case kind == tokens && len(parms) >= 12:
		rate := uint64(number32(parms[8:])) // bytes/s
		if wide := rule[tbfRate64]; len(wide) >= 8 {
			rate = binary.NativeEndian.Uint64(wide)
		}
		return tokens + " " + strconv.FormatFloat(float64(rate)*8/1e6, 'f', -1, 64) + " Mb/s"
	case handle == 0: // nobody has made it
		return kind
	}
	return fmt.Sprintf("%s %x:", kind, handle>>16)
}

func (kernelCards) shape(card string, mbps int) error {
	rate := uint64(mbps) * 1e6 / 8 // bytes/s
	// A bucket must hold the largest packet that the kernel hands over, 64 KiB,
	// and what goes out between two ticks of a slow clock; the queue holds
	// 50 ms before it drops.
	burst := max(128<<10, rate/250)
	limit := rate/20 + burst
	parms := make([]byte, 36) // struct tc_tbf_qopt
	parms[1] = ethernet
	binary.NativeEndian.PutUint32(parms[8:], uint32(min(rate, math.MaxUint32)))
	binary.NativeEndian.PutUint32(parms[24:], uint32(min(limit, math.MaxUint32)))
	rule := slices.Concat(attribute(tbfParms, parms),
		attribute(tbfRate64, binary.NativeEndian.AppendUint64(nil, rate)),
		attribute(tbfBurst, binary.NativeEndian.AppendUint32(nil, uint32(burst))))
	// Only where nobody has made one: the kernel answers EEXIST otherwise.
	return changeRoot(card, syscall.RTM_NEWQDISC, syscall.NLM_F_CREATE|syscall.NLM_F_EXCL, attribute(attrRule, rule))
}

func (kernelCards) unshape(card string) error {
	return changeRoot(card, syscall.RTM_DELQDISC, 0, nil)
}

// changeRoot makes or removes a token bucket at a card's root.
func changeRoot(card string, kind, flags uint16, rule []byte) error {
	at, err := net.InterfaceByName(card)
	if err != nil {
		return err
	}
	body := make([]byte, tcmsgBytes)
	binary.NativeEndian.PutUint32(body[4:], uint32(at.Index))
	binary.NativeEndian.PutUint32(body[12:], rootParent)
	_, err = askKernel(kind, syscall.NLM_F_ACK|flags, slices.Concat(body, attribute(attrKind, []byte(tokens+"\x00")), rule))
	return err
}

// askKernel sends one request and returns the bodies of the answers, which end
// with a word that all is said, or with an error number.
func askKernel(kind, flags uint16, body []byte) (answers [][]byte, err error) {
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, syscall.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("opening rtnetlink: %w", err)
	}
	defer syscall.Close(fd)
	message := binary.NativeEndian.AppendUint32(nil, uint32(syscall.NLMSG_HDRLEN+len(body)))
	message = binary.NativeEndian.AppendUint16(message, kind)
	message = binary.NativeEndian.AppendUint16(message, syscall.NLM_F_REQUEST|flags)
	message = append(message, make([]byte, 8)...) // the only request of this socket needs no number
	err = errors.Join(
		syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &syscall.Timeval{Sec: 5}),
		syscall.Sendto(fd, append(message, body...), 0, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK}))
	if err != nil {
		return nil, fmt.Errorf("asking rtnetlink: %w", err)
	}
	const most = 64 << 10
	for buffer := make([]byte, most); ; {
		n, _, err := syscall.Recvfrom(fd, buffer, 0)
		if err != nil {
			return nil, fmt.Errorf("hearing rtnetlink: %w", err)
		}
		list, err := syscall.ParseNetlinkMessage(buffer[:n])
		if err != nil {
			return nil, fmt.Errorf("hearing rtnetlink: %w", err)
		}
		for _, m := range list {
			switch m.Header.Type {
			case syscall.NLMSG_DONE:
				return answers, nil
			case syscall.NLMSG_ERROR:
				if number := int32(number32(m.Data)); number != 0 {
					return nil, syscall.Errno(-number)
				}
				return answers, nil
			}
			answers = append(answers, slices.Clone(m.Data))
		}
	}
}

func number32(b []byte) uint32 {
	if len(b) < 4 {
		return 0
	}
	return binary.NativeEndian.Uint32(b)
}

// attribute is a value with its length and kind, filled up to four bytes.
func attribute(kind uint16, value []byte) []byte {
	b := binary.NativeEndian.AppendUint16(nil, uint16(4+len(value)))
	b = append(binary.NativeEndian.AppendUint16(b, kind), value...)
	return append(b, make([]byte, -len(b)&3)...)
}

// attributes reads a row of them; what is cut off is left out.
func attributes(b []byte) map[uint16][]byte {
	found := map[uint16][]byte{}
	for len(b) >= 4 {
		size := int(binary.NativeEndian.Uint16(b))
		if size < 4 || size > len(b) {
			break
		}
		const flags = 0xc000 // nested, byte order
		found[binary.NativeEndian.Uint16(b[2:])&^flags] = b[4:size]
		b = b[min(len(b), (size+3)&^3):]
	}
	return found
}
