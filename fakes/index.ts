/**
 * Six issue trackers that speak the protocols of GitHub, GitLab and Jira on loopback, an inbox for what mail, chats and webhooks are sent, and a licence service: for the tests, for `npm run fakes`
 * and for the demo. They hold state, refuse what the vendors refuse in the vendors' words, and fail on demand.
 */
export type { Active, ActiveKind } from './active.ts';
export { activeIn } from './active-in.ts';
export { adfProblem } from './adf.ts';
export { FakeClock } from './clock.ts';
export { exampleChannel } from './example.ts';
export { FakeError } from './fake-error.ts';
export {
  FAULTS,
  type Fault,
  type FaultName,
  type Faults,
  type Moment,
  type Stage,
  type When,
} from './faults.ts';
export { INBOX_FAULTS, startInbox, type Inbox, type InboxFault } from './inbox.ts';
export { startFakeLicence, type FakeLicence, type FakeLicenceOptions } from './licence.ts';
export { NO_LIMITS, VENDOR_LIMITS, type Limits } from './limits.ts';
export type { Seen } from './server.ts';
export { startFake, DEFAULT_PROJECTS, type Fake, type FakeOptions, type ProjectOptions } from './start.ts';
export type { FakeToken, TokenName } from './tokens.ts';
export { openTrap, type Trap } from './trap.ts';
export { CALL_ACTS, WRITES, type CallAct, type WireRequest } from './wire.ts';
export {
  JIRA_STATUSES,
  FAKE_KINDS,
  type Access,
  type FakeComment,
  type FakeIssue,
  type FakeProject,
  type FakeUser,
  type FakeKind,
} from './state.ts';
export type { World } from './world.ts';
