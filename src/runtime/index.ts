/**
 * What running containers do: events of the detector read, joined to pods and images, decided by rules and runtime policies, and replayed.
 * All of it is pure but what is called a service.
 * It uses `image`, `policy` and `leadership`.
 */
export { DecideEvents, type DecideEventsDeps } from './decide-events.service.ts';
export type { DecisionStore, EventDecision, KnownImage } from './decide-ports.ts';
export { RuntimeDecider, THROTTLE_MS, type Decided, type RuntimeDecision } from './decide.ts';
export {
  parseRuntimeFile,
  sentences,
  type RuntimeFile,
  type RuntimeProblem,
  type WrittenRuntimePolicy,
} from './document.ts';
export { actorOf, EFFECTS, stopperOf, type RuntimeEffect } from './effect.ts';
export { parseEvent, toFields, type DetectorEvent, type EventKind, type UnreadableEvent } from './event.ts';
export { readEventLines, toRecorded, type EventLines } from './event-lines.ts';
export { fieldReader, type FieldReader } from './field-reader.ts';
export { explainEvent, type Explanation } from './explain.ts';
export {
  guardStop,
  NEVER_STOPPED,
  STOP_PERIOD,
  WORKLOAD_PERIOD,
  WORKLOAD_STOPS,
  type StopAnswer,
  type StopQuestion,
} from './guard-stop.ts';
export { findNoise, type Noise, type NoiseReport } from './noise.ts';
export { denyDraft, draftEffect, type DenyDraft } from './deny-draft.ts';
export { PodStops, type PodStopsDeps, type StopRules } from './pod-stops.service.ts';
export type {
  BegunStop,
  LivePod,
  LivePods,
  ObjectOwner,
  Removal,
  StopAttempt,
  StopCounts,
  StopEnd,
  StopEvent,
  StopLog,
  StopNotice,
  StopNotices,
  WithheldDraft,
} from './stop-ports.ts';
export { joinEvent, type Joined, type KnownPod, type PodsNow } from './join.ts';
export { parseLossless } from './lossless.ts';
export {
  LAST_VERDICTS,
  openMatcher,
  readLastVerdict,
  type LastVerdict,
  type Matcher,
  type Subject,
} from './match.ts';
export { PodIndex } from './pod-index.ts';
export {
  parseRuntimePolicyValue,
  RUNTIME_POLICIES,
  type RevisedRuntimePolicy,
  type RuntimePolicyValue,
} from './policy-value.ts';
export type {
  EventFilter,
  PodStopper,
  ReceivedEvent,
  RuleEntry,
  RuleWriter,
  RuntimeEvents,
  RuntimeIntake,
  RuntimePolicySource,
  RuntimeRuleStore,
  StoredEvent,
  StoredRule,
  WantedStop,
} from './ports.ts';
export { EventQueue, QUEUE_LIMITS, type EventQueueDeps, type QueueLimits } from './queue.service.ts';
export { isAtLeast, parsePriority, PRIORITIES, type Priority } from './priority.ts';
export { runtimePolicyJsonSchema } from './json-schema.ts';
export {
  normalRule,
  openRuntimeRules,
  readRule,
  type ReplacedRules,
  type RuleAuthor,
  type RuleList,
  type RulePlace,
  type RuntimeRules,
  type WrittenRule,
} from './rules.service.ts';
export {
  ACTIONS,
  MAX_RULES,
  runtimeMatch,
  runtimePolicyDocument,
  runtimePolicySpec,
  runtimeRule,
  runtimeRulesDocument,
  type RuntimeMatch,
  type RuntimePolicy,
  type RuntimeRule,
} from './schema.ts';
export {
  RuntimeReplay,
  type RecordedEvent,
  type ReplayLimits,
  type RuntimeDraft,
  type RuntimeSample,
  type RuntimeWhatIf,
  type WorkloadTally,
} from './whatif.ts';
export { replayStored, type RuntimeHistory, type StoredReplay } from './stored-whatif.service.ts';
