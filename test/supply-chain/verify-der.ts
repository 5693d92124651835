/** Writers of the little DER that a certificate needs, so that tests can make ones that no library would. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

export const seq = (...contents: readonly Uint8Array[]): Buffer => der(0x30, ...contents);
export const octets = (content: Uint8Array): Buffer => der(0x04, content);
export const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text, 'utf8'));
export const bits = (content: Uint8Array): Buffer => der(0x03, Buffer.of(0), content);
export const yes = (): Buffer => der(0x01, Buffer.of(0xff));

export function integer(value: number): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 1 ? `0${hex}` : hex, 'hex');
  return der(0x02, (bytes[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
}

export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(0x06, Buffer.from(bytes));
}

/** time gives a GeneralizedTime. */
export const time = (at: number): Buffer =>
  der(0x18, Buffer.from(`${new Date(at).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`));

/** name gives a distinguished name with a common name alone. */
export const name = (common: string): Buffer => seq(der(0x31, seq(oid('2.5.4.3'), utf8(common))));

export const extension = (id: string, critical: boolean, value: Uint8Array): Buffer =>
  seq(oid(id), ...(critical ? [yes()] : []), octets(value));
