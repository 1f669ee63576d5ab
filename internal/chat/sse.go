package chat

import "bytes"

// maxLine is the longest line, and the longest event, that is read: 16 MiB. A
// longer one breaks the stream; it is never cut in silence.
const maxLine = 16 << 20

// sink takes what a framer finds.
type sink interface {
	// event is one event: its name ("" if none was given) and its data lines,
	// joined by line feeds. Both are valid during the call only.
	event(name, data []byte) *fault
	// stray is a line that is no field of an event. The standard ignores it.
	stray(line []byte)
}

// framer cuts a body into server-sent events as the WHATWG standard says, in
// whatever pieces it arrives. Nothing is copied for an event whose lines arrive
// in one piece.
type framer struct {
	sink sink

	line   []byte // an unfinished line
	skipLF bool   // the last line ended in a carriage return

	name    []byte
	data    []byte // the data lines of the event so far
	hasData bool
	alias   bool   // data lies in the piece being fed
	buf     []byte // where data lies otherwise
}

// feed takes the next piece of the body.
func (f *framer) feed(p []byte) *fault {
	for len(p) > 0 {
		if f.skipLF {
			f.skipLF = false
			if p[0] == '\n' {
				p = p[1:]
				continue
			}
		}
		end := lineEnd(p)
		if end < 0 {
			f.line = append(f.line, p...)
			if len(f.line) > maxLine {
				return lineTooLong()
			}
			break
		}
		line, stays := p[:end], true
		f.skipLF = p[end] == '\r'
		p = p[end+1:]
		if len(f.line) > 0 {
			f.line = append(f.line, line...)
			line, stays = f.line, false
			f.line = f.line[:0]
		}
		if fault := f.take(line, stays); fault != nil {
			return fault
		}
	}
	f.own()
	return nil
}

// end takes the end of the body: a last line without its end, and a last event
// without its blank line.
func (f *framer) end() *fault {
	if len(f.line) > 0 {
		line := f.line
		f.line = nil
		if fault := f.take(line, false); fault != nil {
			return fault
		}
	}
	return f.dispatch()
}

// lineEnd is the index of the first line feed or carriage return, or -1.
func lineEnd(p []byte) int {
	end := bytes.IndexByte(p, '\n')
	head := p
	if end >= 0 {
		head = p[:end]
	}
	if cr := bytes.IndexByte(head, '\r'); cr >= 0 {
		return cr
	}
	return end
}

// take handles one line. stays says that its bytes stay where they are until the
// piece has been fed.
func (f *framer) take(line []byte, stays bool) *fault {
	if len(line) > maxLine {
		return lineTooLong()
	}
	if len(line) == 0 {
		return f.dispatch()
	}
	field, value, _ := bytes.Cut(line, []byte{':'})
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(field) {
	case "data":
		return f.takeData(value, stays)
	case "event":
		f.name = append(f.name[:0], value...)
	case "", "id", "retry": // a comment, and fields for those who reconnect
	default:
		f.sink.stray(line)
	}
	return nil
}

func (f *framer) takeData(value []byte, stays bool) *fault {
	switch {
	case f.hasData:
		f.own()
		f.buf = append(append(f.buf, '\n'), value...)
		f.data = f.buf
	case stays:
		f.data, f.alias = value, true
	default:
		f.buf = append(f.buf[:0], value...)
		f.data = f.buf
	}
	f.hasData = true
	if len(f.data) > maxLine {
		return lineTooLong()
	}
	return nil
}

// own moves the data of the event so far out of the piece being fed.
func (f *framer) own() {
	if f.alias {
		f.buf = append(f.buf[:0], f.data...)
		f.data, f.alias = f.buf, false
	}
}

// dispatch hands over the event that a blank line, or the end, completes. An
// event without data lines is none.
func (f *framer) dispatch() *fault {
	name, data, hasData := f.name, f.data, f.hasData
	f.name, f.data, f.hasData, f.alias = f.name[:0], nil, false, false
	if !hasData {
		return nil
	}
	return f.sink.event(name, data)
}

func lineTooLong() *fault { return broken("line too long: over %d MiB", maxLine>>20) }
