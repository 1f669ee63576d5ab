package chat

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"net/textproto"
	"strconv"
)

// chunkedBody undoes the chunked transfer coding of RFC 9112, section 7.1. It gives
// out whatever has arrived: net/http's reader waits until a chunk is whole, which
// would give the events of a large chunk the time of its end.
type chunkedBody struct {
	r     *bufio.Reader
	left  int64 // bytes of the chunk to come
	begun bool  // a chunk has been read, and its line end not
	waste int64 // bytes that are not data, beyond what is free
	err   error // io.EOF: the body is over
}

// maxChunkDigits bounds the digits of a chunk's size; the size itself is below 2^63.
const maxChunkDigits = 16

// A sender may waste no more than maxExcess bytes on what is not data, beyond
// freeExcess for each chunk and twice its data: as net/http has it, lest a stream
// without data is read for ever.
const (
	freeExcess = 16
	maxExcess  = 16 << 10
)

var errChunk = errors.New("malformed chunked encoding")

func (b *chunkedBody) Read(p []byte) (int, error) {
	read := 0
	for b.err == nil && read < len(p) {
		if b.left == 0 {
			if read > 0 && !b.headArrived() {
				break
			}
			b.err = b.nextChunk()
			continue
		}
		if read > 0 && b.r.Buffered() == 0 {
			break
		}
		n, err := b.r.Read(p[read:min(int64(len(p)), int64(read)+b.left)])
		read += n
		b.left -= int64(n)
		b.err = cutShort(err)
	}
	if read > 0 && b.err == io.EOF {
		return read, nil // the next read says so
	}
	return read, b.err
}

// cutShort is what the end of the connection is within a body.
func cutShort(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// headArrived reports whether the next chunk's head can be read without waiting.
func (b *chunkedBody) headArrived() bool {
	waiting, _ := b.r.Peek(b.r.Buffered())
	if b.begun {
		if len(waiting) < 2 {
			return false
		}
		waiting = waiting[2:]
	}
	return bytes.IndexByte(waiting, '\n') >= 0
}

// nextChunk reads the end of a chunk and the head of the next; io.EOF after the
// last one.
func (b *chunkedBody) nextChunk() error {
	if b.begun {
		line, err := b.line()
		if err != nil {
			return err
		}
		if len(line) > 0 {
			return errChunk
		}
		b.begun = false
	}
	line, err := b.line()
	if err != nil {
		return err
	}
	size, ok := chunkSize(line)
	b.waste = max(0, b.waste+int64(len(line))+2-freeExcess-2*min(size, maxExcess))
	if !ok || b.waste > maxExcess {
		return errChunk
	}
	b.left, b.begun = size, true
	if size > 0 {
		return nil
	}
	return b.trailer()
}

// trailer reads what follows the last chunk, and gives io.EOF if that is as it
// should be. What it says is of no use.
func (b *chunkedBody) trailer() error {
	for n := 2; ; n++ {
		waiting, err := b.r.Peek(n)
		switch {
		case err == bufio.ErrBufferFull:
			return errChunk
		case err != nil:
			return cutShort(err)
		case n == 2 && string(waiting) == "\r\n":
			b.r.Discard(n)
			return io.EOF
		case bytes.HasSuffix(waiting, []byte("\r\n\r\n")):
			if _, err := textproto.NewReader(b.r).ReadMIMEHeader(); err != nil {
				return errChunk
			}
			return io.EOF
		}
	}
}

// line reads a line without its end, which is a carriage return and a line feed.
// No other carriage return may be in it: who takes that for the end of the line
// would read another body.
func (b *chunkedBody) line() ([]byte, error) {
	line, err := b.r.ReadSlice('\n')
	switch {
	case err == bufio.ErrBufferFull:
		return nil, errChunk
	case err != nil:
		return nil, cutShort(err)
	}
	line, found := bytes.CutSuffix(line, []byte("\r\n"))
	if !found || bytes.IndexByte(line, '\r') >= 0 {
		return nil, errChunk
	}
	return line, nil
}

// chunkSize reads the size in a chunk's head. Extensions are ignored.
func chunkSize(line []byte) (int64, bool) {
	line, _, _ = bytes.Cut(bytes.TrimRight(line, " \t"), []byte(";"))
	if len(line) == 0 || len(line) > maxChunkDigits {
		return 0, false
	}
	size, err := strconv.ParseUint(view(line), 16, 64)
	return int64(size), err == nil && size <= math.MaxInt64
}
