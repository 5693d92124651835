/**
 * What people are told: events gathered into messages, their words, and the sender that tries each message until it is taken or given up.
 * Channels, the store and the adapters of each kind come through ports.
 * It uses `channels` and `text`.
 */
export { composeMessage, type Envelope } from './compose.ts';
export {
  digestsIn,
  MAX_SHOWN,
  toSections,
  type Content,
  type Entry,
  type Happened,
  type KnownPlace,
  type Payload,
  type Section,
} from './content.ts';
export { MAX_TITLE, SEVERITIES, type Message, type Severity } from './message.ts';
export { EVENT_TEXTS } from './texts/index.ts';
