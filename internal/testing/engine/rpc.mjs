// The trace processor's RPC protocol, as far as a command line needs it.
// Perfetto's protos/perfetto/trace_processor/trace_processor.proto defines the
// methods, messages and field numbers.
import {decode, encode, varints} from './wire.mjs';

const METHOD = {append: 1, finish: 2, query: 3, metric: 5, addPackage: 13};
const METRIC_FORMAT = {text: 1, json: 2};
const CELL = {null: 1, integer: 2, float: 3, string: 4, blob: 5};

export class TraceProcessor {
  #engine;

  // engine takes the bytes of a request and returns those of the reply.
  constructor(engine) {
    this.#engine = engine;
  }

  // Loads the next piece of a trace.
  append(bytes) {
    const [reply] = this.#call(METHOD.append, [101, bytes], 201);
    check(reply.get(2));
  }

  // Tells that the trace is complete.
  finish() {
    const [reply] = this.#call(METHOD.finish, [], 212);
    check(reply.get(1));
  }

  // Makes the modules {name, sql} of a SQL package known.
  addPackage(name, modules) {
    const fields = modules.map((module) => [2, encode([1, module.name], [2, module.sql])]);
    const [reply] = this.#call(METHOD.addPackage, [108, encode([1, name], ...fields)], 211);
    check(reply.get(1));
  }

  // Computes metrics and returns their text, in a format of METRIC_FORMAT.
  metric(names, format) {
    const fields = names.map((name) => [1, name]);
    const [reply] = this.#call(METHOD.metric, [105, encode(...fields, [2, METRIC_FORMAT[format]])], 205);
    check(reply.get(2));
    return latin1((reply.get(3) ?? reply.get(4))[0]);
  }

  // Runs one SQL statement and returns its columns' names and its rows. A cell
  // is null, a BigInt, a number, a string or, for a blob, a Buffer. A string
  // has one character for each byte of the text: what a trace holds may not be
  // valid UTF-8, and is to be printed as it is.
  query(sql) {
    const replies = this.#call(METHOD.query, [103, encode([1, sql])], 203);
    for (const reply of replies) check(reply.get(2));
    const columns = (replies[0].get(1) ?? []).map(latin1);
    const rows = [];
    for (const batch of replies.flatMap((reply) => reply.get(3) ?? [])) {
      const cells = decodeCells(decode(batch));
      for (let at = 0; at < cells.length; at += columns.length) rows.push(cells.slice(at, at + columns.length));
    }
    return {columns, rows};
  }

  // Returns the result of each reply: a query has as many as its rows need.
  #call(method, args, result) {
    const request = encode([1, encode([2, method], ...(args.length ? [args] : []))]);
    return decode(this.#engine(request)).get(1).map((bytes) => {
      const reply = decode(bytes);
      check(reply.get(5));
      return decode(reply.get(result)[0]);
    });
  }
}

function check(error) {
  if (error?.[0].length) throw new Error(error[0].toString().trim());
}

function latin1(bytes) {
  return bytes.toString('latin1');
}

function decodeCells(batch) {
  const bytes = (number) => batch.get(number)?.[0] ?? Buffer.alloc(0);
  const integers = varints(bytes(2));
  const floats = bytes(3), blobs = batch.get(4) ?? [], strings = latin1(bytes(5)).split('\0');
  let float = 0, blob = 0, string = 0;
  return Array.from(bytes(1), (type) => {
    switch (type) {
      case CELL.null: return null;
      case CELL.integer: return integers.next().value;
      case CELL.float: return floats.readDoubleLE(8 * float++);
      case CELL.string: return strings[string++];
      case CELL.blob: return blobs[blob++];
      default: throw new Error(`cell of type ${type}`);
    }
  });
}
