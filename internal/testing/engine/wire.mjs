// Protocol buffers on the wire, just enough for the trace processor's RPC.
//
// A field is [number, value]; a number is written as a varint, text and bytes
// with their length in front.
const VARINT = 0, FIXED64 = 1, BYTES = 2;

function varint(n) {
  const bytes = [];
  for (; n > 0x7f; n >>>= 7) bytes.push((n & 0x7f) | 0x80);
  return Buffer.from([...bytes, n]);
}

export function encode(...fields) {
  return Buffer.concat(fields.flatMap(([number, value]) => {
    if (typeof value === 'number') return [varint(number << 3 | VARINT), varint(value)];
    const bytes = Buffer.from(value);
    return [varint(number << 3 | BYTES), varint(bytes.length), bytes];
  }));
}

// Yields the varints packed in bytes, as signed 64-bit integers.
export function* varints(bytes) {
  for (let at = 0; at < bytes.length;) {
    let value = 0n, shift = 0n, byte;
    do {
      byte = bytes[at++];
      value |= BigInt(byte & 0x7f) << shift;
      shift += 7n;
    } while (byte & 0x80);
    yield BigInt.asIntN(64, value);
  }
}

// Returns a message's fields: a map from field number to the list of its
// values, which are the bytes of the field whatever its type.
export function decode(bytes) {
  const fields = new Map();
  let at = 0;
  const take = (length) => bytes.subarray(at, at += length);
  const takeVarint = () => {
    let end = at;
    while (bytes[end] & 0x80) end++;
    return take(end + 1 - at);
  };
  const number = () => Number(varints(takeVarint()).next().value);
  while (at < bytes.length) {
    const key = number();
    let value;
    switch (key & 7) {
      case VARINT: value = takeVarint(); break;
      case FIXED64: value = take(8); break;
      case BYTES: value = take(number()); break;
      default: throw new Error(`protocol buffer with wire type ${key & 7}`);
    }
    const values = fields.get(key >>> 3);
    if (values) values.push(value); else fields.set(key >>> 3, [value]);
  }
  return fields;
}
