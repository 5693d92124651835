import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { RouteAnswer } from './route.ts';

/** JSON_TYPE is the media type of an answer unless it says another. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * send gives an answer to the client. `json` goes out byte for byte; a stream goes out as fast as the client reads it, and
 * is closed when the client leaves. To a HEAD goes what a GET would answer, without its body.
 */
export function send(reply: FastifyReply, answer: RouteAnswer): FastifyReply {
  const { body, json, stream, headers = {}, type } = answer;
  reply.code(answer.status ?? (body === undefined && json === undefined && stream === undefined ? 204 : 200));
  for (const [name, value] of Object.entries(headers))
    reply.header(name.toLowerCase(), typeof value === 'string' ? value : [...value]);
  const isHead = reply.request.method === 'HEAD';
  if (stream !== undefined) {
    reply.type(type ?? 'application/octet-stream');
    if (!isHead) return reply.send(stream);
    stream.destroy();
    return reply.send('');
  }
  const bytes = toBytes(body, json, type);
  if (bytes === null) return reply.send();
  reply.type(type ?? JSON_TYPE).header('content-length', bytes.length);
  if (isHead) return reply.send('');
  return reply.send(bytes.length > PIECE ? Readable.from(pieces(bytes), { objectMode: false }) : bytes);
}

/** Bytes that are handed to a connection at once: with TLS they are encrypted there and then. */
const PIECE = 262_144;

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE) yield bytes.subarray(from, from + PIECE);
}

/** toBytes writes the body of an answer that is not a stream; null where it has none. */
export function toBytes(body: unknown, json: string | undefined, type: string | undefined): Buffer | null {
  if (json !== undefined) return Buffer.from(json, 'utf8');
  if (body === undefined) return null;
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (type !== undefined && typeof body === 'string') return Buffer.from(body, 'utf8');
  return Buffer.from(JSON.stringify(body), 'utf8');
}
