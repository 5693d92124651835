import { DAY_MS } from '../base/index.ts';

/** MESSAGE_ID is the form of the id of a message that a channel is sent: `msg_` and 26 letters or digits. */
export const MESSAGE_ID = /^msg_[a-z2-7]{26}$/;

/** MAX_MUTE is how long a channel can be muted, in milliseconds. */
export const MAX_MUTE = 30 * DAY_MS;
