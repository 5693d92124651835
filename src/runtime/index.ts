/**
 * What running containers do: events of the detector read, joined to pods and images, decided by rules and runtime policies, and replayed.
 * All of it is pure but what is called a service.
 * It uses `image`, `policy` and `leadership`.
 */
export { DecideEvents } from './decide-events.service.ts';
export type { DecisionStore, EventDecision, KnownImage } from './decide-ports.ts';
export { RuntimeDecider } from './decide.ts';
export { parseRuntimeFile, type RuntimeProblem, type WrittenRuntimePolicy } from './document.ts';
export { actorOf, EFFECTS, stopperOf } from './effect.ts';
export { parseEvent, toFields, type DetectorEvent } from './event.ts';
export { readEventLines, toRecorded } from './event-lines.ts';
export { fieldReader, type FieldReader } from './field-reader.ts';
export { explainEvent, type Explanation } from './explain.ts';
export { guardStop, STOP_PERIOD, WORKLOAD_PERIOD, type StopAnswer, type StopQuestion } from './guard-stop.ts';
export { findNoise, type Noise, type NoiseReport } from './noise.ts';
export { denyDraft, draftEffect, type DenyDraft } from './deny-draft.ts';
export { PodStops, type PodStopsDeps } from './pod-stops.service.ts';
export type {
  BegunStop,
  LivePod,
  LivePods,
  StopAttempt,
  StopCounts,
  StopEvent,
  StopLog,
  StopNotice,
  StopNotices,
  WithheldDraft,
} from './stop-ports.ts';
export { joinEvent, type KnownPod, type PodsNow } from './join.ts';
export { parseLossless } from './lossless.ts';
export { LAST_VERDICTS, openMatcher, readLastVerdict, type LastVerdict, type Subject } from './match.ts';
export { PodIndex } from './pod-index.ts';
export { parseRuntimePolicyValue, RUNTIME_POLICIES, type RevisedRuntimePolicy } from './policy-value.ts';
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
export { EventQueue } from './queue.service.ts';
export { isAtLeast, parsePriority, PRIORITIES, type Priority } from './priority.ts';
export { runtimePolicyJsonSchema } from './json-schema.ts';
export {
  normalRule,
  openRuntimeRules,
  readRule,
  type RuleAuthor,
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
  type RuntimePolicy,
  type RuntimeRule,
} from './schema.ts';
export {
  RuntimeReplay,
  type RecordedEvent,
  type ReplayLimits,
  type RuntimeSample,
  type RuntimeWhatIf,
  type WorkloadTally,
} from './whatif.ts';
export { replayStored, type RuntimeHistory } from './stored-whatif.service.ts';
