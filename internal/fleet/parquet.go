//go:build !js

package fleet

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"reflect"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"ohframe/internal/diag"
)

// record converts between rows of a file and variables.
type record struct {
	schema *parquet.Schema
	cells  []cell
	values reflect.Value // a struct with a field for each cell
}

func newRecord(name string, cells []cell) *record {
	var fields []reflect.StructField
	for i, c := range cells {
		tag := `parquet:"` + c.tag + `"`
		if c.tag == "cause,list" || c.tag == "hang_cause,list" {
			tag += ` parquet-element:",dict"`
		}
		fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: reflect.TypeOf(c.to).Elem(), Tag: reflect.StructTag(tag)})
	}
	values := reflect.New(reflect.StructOf(fields))
	return &record{parquet.NewSchema(name, parquet.SchemaOf(values.Interface())), cells, values.Elem()}
}

// store returns the variables as a row. Text must be UTF-8 in a file.
func (r *record) store(row parquet.Row) parquet.Row {
	for i, c := range r.cells {
		r.values.Field(i).Set(reflect.ValueOf(c.to).Elem())
		switch field := r.values.Field(i).Addr().Interface().(type) {
		case *string:
			*field = validText(*field)
		case **string:
			if *field != nil {
				*field = new(validText(**field))
			}
		case *[]string:
			*field = slices.Clone(*field)
			for k := range *field {
				(*field)[k] = validText((*field)[k])
			}
		}
	}
	return r.schema.Deconstruct(row[:0], r.values.Interface())
}

// load sets the variables to a row.
func (r *record) load(row parquet.Row) error {
	r.values.SetZero()
	if err := r.schema.Reconstruct(r.values.Addr().Interface(), row); err != nil {
		return err
	}
	for i, c := range r.cells {
		reflect.ValueOf(c.to).Elem().Set(r.values.Field(i))
	}
	return nil
}

// recordOf returns a record of the parts in a folder.
func recordOf(folder string, dims []string) *record {
	var cells []cell
	switch folder {
	case framesFolder:
		cells = new(frameRow).cells(dims)
	case failuresFolder:
		cells = new(Failure).cells(dims)
	case eventsFolder:
		cells = new(EventRow).cells(dims)
	case resultsFolder:
		cells = new(storedRow).cells(dims, true)
	default:
		cells = new(Row).cells(everything(table(slices.Index(tableFolders[:], folder)), dims))
	}
	return newRecord(folder, cells)
}

// checkDictionaries compares the values that rows refer to with their checksums, as the library does with other pages.
func checkDictionaries(f *partFile) error {
	for _, group := range f.Metadata().RowGroups {
		for _, column := range group.Columns {
			at := column.MetaData.DictionaryPageOffset
			if at == 0 {
				continue
			}
			r := bufio.NewReader(io.NewSectionReader(f.part, at, column.MetaData.TotalCompressedSize))
			var header format.PageHeader
			err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(r)).Decode(&header)
			sum := crc32.NewIEEE()
			if err == nil {
				_, err = io.CopyN(sum, r, int64(header.CompressedPageSize))
			}
			if err == nil && sum.Sum32() != uint32(header.CRC) {
				err = errors.New("wrong checksum")
			}
			if err != nil {
				return &diag.Error{What: fmt.Sprintf("%s: column %s: damaged: %v", f.name, column.MetaData.PathInSchema[0], err), Hint: writeAgain, Err: err}
			}
		}
	}
	return nil
}

// newWriter returns a writer of a file with the given columns.
func newWriter(w io.Writer, schema *parquet.Schema, options ...parquet.WriterOption) *parquet.GenericWriter[any] {
	options = append([]parquet.WriterOption{
		schema,
		parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowsPerGroup),
		// The library's default has its version, which would change the bytes.
		parquet.CreatedBy("ohframe", schemaVersion, ""),
	}, options...)
	return parquet.NewGenericWriter[any](w, options...)
}
