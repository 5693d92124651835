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
export {
  DELIVERY_STATES,
  type Begun,
  type Delivery,
  type DeliveryContent,
  type DeliveryCounts,
  type DeliveryFilter,
  type DeliveryList,
  type DeliveryState,
  type DeliveryStore,
  type Due,
  type Ended,
  type FindChannel,
  type Messenger,
  type Messengers,
  type Mute,
  type MuteStore,
  type TellerChannel,
} from './ports.ts';
export { MESSAGE_EVERY, TRIES_END } from './schedule.ts';
export { SendError, type SendFault } from './send-error.ts';
export { newMessageId, Sender, type SenderDeps } from './sender.service.ts';
export { sampleContent, sampleMessage, withEventGuide } from './event-guide.ts';
export { EVENT_PAYLOADS, type EventPayload } from './payloads.ts';
