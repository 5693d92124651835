/**
 * The one way to a tracker: a call goes to the channel's own host or nowhere, once, bounded in time and size, at the pace that
 * providers ask for, and no fault that comes of it holds a secret.
 * It uses `proxy`.
 */
export { isLoopbackAddress, openAddressCheck, type AddressRules } from './address.ts';
export { readAuthorities } from './authorities.ts';
export { parseBase } from './base-address.ts';
export { AddressRefused, openConnector } from './connect.ts';
export { toFetch } from './fetch.ts';
export { AnswerError, happenedBy } from './outcome.ts';
export { fetchThrough } from './global-fetch.ts';
export { DIRECT, openOutbound, type Outbound } from './outbound.ts';
export { openRedactor, toSaid } from './redact.ts';
export { openTransport, type Transport, type TransportOptions } from './transport.ts';
export { openTunnel, ProxyFault, proxyFaultOf } from './tunnel.ts';
export { toWait } from './waiting.ts';
export { openWriterQueues, type WriterQueue } from './writer-queue.ts';
export { anotherIssue, toDocument, throughLibrary, unreadable } from './library.ts';
export { openOnLine, type Line } from './line.ts';
export { eachOf, TooLong } from './pages.ts';
