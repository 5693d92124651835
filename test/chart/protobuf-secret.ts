/** A field of a protobuf message: its number and its bytes. Numbers within a message are not kept: none of ours is one. */
type Field = readonly [number: number, value: Uint8Array];

const MAGIC = 'k8s\u0000';

/** isProtobuf tells whether a body is Kubernetes' protobuf, as Helm 4 writes the Secrets of its releases. */
export function isProtobuf(body: Uint8Array): boolean {
  return Buffer.from(body.subarray(0, 4)).toString('latin1') === MAGIC;
}

/** readSecret reads a Secret: the fields that a release of Helm has. */
export function readSecret(body: Uint8Array): Record<string, unknown> {
  const raw = first(fields(body.subarray(4)), 2);
  const secret = fields(raw);
  const metadata = fields(first(secret, 1));
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: text(first(metadata, 1)), labels: entries(metadata, 11, text) },
    data: entries(secret, 2, (value) => Buffer.from(value).toString('base64')),
    type: text(first(secret, 3)),
  };
}

function entries(
  message: readonly Field[],
  number: number,
  read: (value: Uint8Array) => string,
): Record<string, string> {
  return Object.fromEntries(
    message
      .filter(([at]) => at === number)
      .map(([, entry]) => fields(entry))
      .map((entry) => [text(first(entry, 1)), read(first(entry, 2))]),
  );
}

function fields(bytes: Uint8Array): readonly Field[] {
  const found: Field[] = [];
  let at = 0;
  while (at < bytes.length) {
    const key = number();
    if ((key & 7) === 0) {
      number();
      continue;
    }
    if ((key & 7) !== 2) throw new Error(`protobuf with a field of type ${key & 7}`);
    const size = number();
    found.push([key >> 3, bytes.subarray(at, at + size)]);
    at += size;
  }
  return found;

  function number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }
}

function first(message: readonly Field[], number: number): Uint8Array {
  return message.find(([at]) => at === number)?.[1] ?? new Uint8Array();
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
