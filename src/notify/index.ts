/**
 * What people are told: events gathered into messages, their words, and the sender that tries each message until it is taken or given up.
 * Channels, the store and the adapters of each kind come through ports.
 * It uses `channels` and `text`.
 */
export { composeMessage } from './compose.ts';
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
export type { Message, Severity } from './message.ts';
export { EVENT_TEXTS } from './texts/index.ts';
export {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryContent,
  type DeliveryCounts,
  type DeliveryFilter,
  type DeliveryList,
  type DeliveryStore,
  type Ended,
  type Messenger,
  type Messengers,
  type Mute,
  type MuteStore,
  type TellerChannel,
} from './ports.ts';
export { SendError } from './send-error.ts';
export { newMessageId, Sender } from './sender.service.ts';
export { sampleContent, sampleMessage, withEventGuide } from './event-guide.ts';
export { EVENT_PAYLOADS } from './payloads.ts';
