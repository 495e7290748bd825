package engine

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// The RPC protocol is a stream of TraceProcessorRpc messages each way, each
// preceded by the tag and length it would have as field 1 of an enclosing
// message. Perfetto defines it in
// protos/perfetto/trace_processor/trace_processor.proto.
const (
	streamMessage protowire.Number = 1

	rpcRequest        protowire.Number = 2
	rpcResponse       protowire.Number = 3
	rpcFatalError     protowire.Number = 5
	rpcAppendData     protowire.Number = 101
	rpcQueryArgs      protowire.Number = 103
	rpcResetArgs      protowire.Number = 107
	rpcPackageArgs    protowire.Number = 108
	rpcSummaryArgs    protowire.Number = 110
	rpcAppendResult   protowire.Number = 201
	rpcQueryResult    protowire.Number = 203
	rpcPackageResult  protowire.Number = 211
	rpcFinalizeResult protowire.Number = 212
	rpcSummaryResult  protowire.Number = 214

	resetAnalyze     protowire.Number = 3 // analyze_trace_proto_content
	resetDescriptors protowire.Number = 7 // extra_parsing_descriptors

	methodAppend   = 1
	methodFinalize = 2
	methodQuery    = 3
	methodReset    = 11
	methodPackage  = 13
	methodSummary  = 15
)

// maxReply is the maximum size of a message in bytes, against wrong lengths. The
// engine sends results in messages of some 128 KiB, or of one row if that is larger.
const maxReply = 1 << 30

// errProtocol marks answers that do not follow the protocol.
var errProtocol = errors.New("malformed RPC answer")

// request returns a message with arguments in the field number, and with none if that is 0.
func request(method uint64, number protowire.Number, args []byte) []byte {
	var message []byte
	message = protowire.AppendTag(message, rpcRequest, protowire.VarintType)
	message = protowire.AppendVarint(message, method)
	if number > 0 {
		message = appendBytes(message, number, args)
	}
	return appendBytes(nil, streamMessage, message)
}

func queryRequest(sql string) []byte {
	return request(methodQuery, rpcQueryArgs, appendBytes(nil, 1, []byte(sql)))
}

// summaryRequest asks for all metrics of a specification, and for the metadata of a query
// unless its id is empty.
func summaryRequest(spec, metadata string) []byte {
	var computation []byte
	if metadata != "" {
		computation = appendBytes(nil, 2, []byte(metadata))
	}
	computation = protowire.AppendTag(computation, 3, protowire.VarintType)
	computation = protowire.AppendVarint(computation, 1) // run_all_metrics
	args := appendBytes(nil, 2, []byte(spec))
	args = appendBytes(args, 3, computation)
	args = protowire.AppendTag(args, 4, protowire.VarintType)
	args = protowire.AppendVarint(args, 0) // output_format: binary
	return request(methodSummary, rpcSummaryArgs, args)
}

// packageRequest makes the modules of a folder known, written as for Engine.Open.
func packageRequest(directory string) ([]byte, error) {
	directory, name, named := strings.Cut(directory, "@")
	if !named {
		name = filepath.Base(directory)
	}
	args := appendBytes(nil, 1, []byte(name))
	err := fs.WalkDir(os.DirFS(directory), ".", func(file string, _ fs.DirEntry, err error) error {
		module, isModule := strings.CutSuffix(file, ".sql")
		if err != nil || !isModule {
			return err
		}
		sql, err := os.ReadFile(filepath.Join(directory, file))
		m := appendBytes(nil, 1, []byte(name+"."+strings.ReplaceAll(module, "/", ".")))
		args = appendBytes(args, 2, appendBytes(m, 2, sql))
		return err
	})
	return request(methodPackage, rpcPackageArgs, args), err
}

// answer returns the error in the result of a request that changes what is loaded: the only text in it.
func answer(reply []byte) (err error) {
	malformed := eachField(reply, func(_ protowire.Number, _ uint64, value []byte) {
		if len(value) > 0 {
			err = errors.New(string(value))
		}
	})
	return errors.Join(malformed, err)
}

func appendBytes(message []byte, number protowire.Number, value []byte) []byte {
	message = protowire.AppendTag(message, number, protowire.BytesType)
	return protowire.AppendBytes(message, value)
}

// readReply reads one message and returns the result in it.
func readReply(r *bufio.Reader) ([]byte, error) {
	tag, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	if tag != protowire.EncodeTag(streamMessage, protowire.BytesType) {
		return nil, fmt.Errorf("%w: starts with tag %d", errProtocol, tag)
	}
	size, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	if size > maxReply {
		return nil, fmt.Errorf("%w: of %d bytes", errProtocol, size)
	}
	message := make([]byte, size)
	if _, err := io.ReadFull(r, message); err != nil {
		return nil, err
	}

	var result, fatal []byte
	err = eachField(message, func(number protowire.Number, answered uint64, value []byte) {
		switch number {
		case rpcResponse:
			if answered == methodReset { // has no result
				result = []byte{}
			}
		case rpcFatalError:
			fatal = value
		case rpcAppendResult, rpcQueryResult, rpcPackageResult, rpcFinalizeResult, rpcSummaryResult:
			result = value
		}
	})
	switch {
	case err != nil:
		return nil, err
	case fatal != nil:
		return nil, fmt.Errorf("%w: %s", errProtocol, fatal)
	case result == nil:
		return nil, fmt.Errorf("%w: without a result", errProtocol)
	}
	return result, nil
}

// eachField calls visit for every field of a message, with the value of a
// varint field or the bytes of a length-delimited one.
func eachField(message []byte, visit func(number protowire.Number, varint uint64, value []byte)) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return fmt.Errorf("%w: %w", errProtocol, protowire.ParseError(n))
		}
		message = message[n:]
		var varint uint64
		var value []byte
		switch kind {
		case protowire.VarintType:
			varint, n = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			value, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return fmt.Errorf("%w: %w", errProtocol, protowire.ParseError(n))
		}
		message = message[n:]
		visit(number, varint, value)
	}
	return nil
}

// queryResult gathers the QueryResult messages that answer a query.
type queryResult struct {
	table    Table
	message  string // the engine's error, empty on success
	outputs  uint64 // statements that return rows
	complete bool
}

func (q *queryResult) add(reply []byte) error {
	var batches [][]byte
	err := eachField(reply, func(number protowire.Number, varint uint64, value []byte) {
		switch number {
		case 1:
			q.table.Columns = append(q.table.Columns, string(value))
		case 2:
			q.message = string(value)
		case 3:
			batches = append(batches, value)
		case 5:
			q.outputs = varint
		}
	})
	for _, batch := range batches {
		if err == nil {
			err = q.addBatch(batch)
		}
	}
	return err
}

// addBatch adds the rows of a CellsBatch: the types of all cells, row by row,
// and the values of each type in a field of their own.
func (q *queryResult) addBatch(batch []byte) error {
	var types, integers, floats, strings []byte
	var blobs [][]byte
	err := eachField(batch, func(number protowire.Number, varint uint64, value []byte) {
		switch number {
		case 1:
			types = value
		case 2:
			integers = value
		case 3:
			floats = value
		case 4:
			blobs = append(blobs, value)
		case 5:
			strings = value
		case 6:
			q.complete = varint != 0
		}
	})
	if err != nil {
		return err
	}

	var row []any
	for _, kind := range types {
		var cell any
		ok := true
		switch kind {
		case 1: // NULL
		case 2:
			value, n := protowire.ConsumeVarint(integers)
			if ok = n > 0; ok {
				cell, integers = int64(value), integers[n:]
			}
		case 3:
			value, n := protowire.ConsumeFixed64(floats)
			if ok = n > 0; ok {
				cell, floats = math.Float64frombits(value), floats[n:]
			}
		case 4:
			var value []byte
			if value, strings, ok = bytes.Cut(strings, []byte{0}); ok {
				cell = string(value)
			}
		case 5:
			if ok = len(blobs) > 0; ok {
				cell, blobs = bytes.Clone(blobs[0]), blobs[1:]
			}
		default:
			ok = false
		}
		if !ok {
			return fmt.Errorf("%w: no value for a cell of type %d", errProtocol, kind)
		}
		if row = append(row, cell); len(row) == len(q.table.Columns) {
			q.table.Rows = append(q.table.Rows, row)
			row = nil
		}
	}
	if row != nil {
		return fmt.Errorf("%w: incomplete row", errProtocol)
	}
	return nil
}
