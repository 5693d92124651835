import type { z } from 'zod';
import type { ChannelEvent } from './events.ts';
import type { ChannelRules } from './rules.ts';

/** AnyKind is a kind of channel: what a document of it holds, and what follows from that. `S` are its settings once read. */
export interface AnyKind<K extends string = string, S = object> {
  readonly kind: K;
  /** What it can be told; a subscription to any other event is accepted, and has no effect. */
  readonly events: readonly ChannelEvent[];
  /** The fields of its document beside those of every channel, in the order in which they are shown. */
  fields(rules: ChannelRules): z.ZodRawShape;
  /** What several fields must say together. */
  together?(document: z.ZodObject, rules: ChannelRules): z.ZodType;
  /** Fields that are null where they are not set. */
  readonly unset?: Readonly<Record<string, null>>;
  /** Where a channel leads, in a few words and without a secret. */
  target(settings: S): string;
  readonly setup: KindSetup;
}

/** KindSetup is what a setup of any kind needs. */
export interface KindSetup {
  /** As people write it. */
  readonly name: string;
  /** A document that is valid but for its name: what a channel is checked with while a field of it is asked for. */
  readonly example: Readonly<Record<string, unknown>>;
  /** Options of the command line that not every kind has. */
  readonly options: readonly string[];
}

/** TellerSecret is a field of a kind that only tells which is written and never given back; it is stored as it is. */
export interface TellerSecret<F extends string = string> {
  readonly field: F;
  /** Whether no channel can do without it. */
  readonly required: boolean;
  /** Fields with which it must be entered again, since they say where it goes. */
  readonly boundTo: readonly string[];
}

/** Teller is a kind that only tells. */
export interface Teller<K extends string = string, S = object, F extends string = string> extends AnyKind<
  K,
  S
> {
  /** The first is the one that is asked for where none is named. */
  readonly secrets: readonly TellerSecret<F>[];
  /** Whether a channel with these settings waits for its secret. */
  needsSecret(settings: Readonly<Record<string, unknown>>): boolean;
  readonly setup: TellerSetup;
}

/** TellerSetup is what a setup asks for. */
export interface TellerSetup extends KindSetup {
  /** The question for each secret, by its field; what is entered is not shown. */
  readonly questions: Readonly<Record<string, string>>;
}

/** TrackerSettings are what every tracker channel has. */
export interface TrackerSettings {
  /** In the provider's form, without a slash at its end. */
  readonly apiBaseUrl: string;
  /** Put on every issue that the channel opens. */
  readonly labels: readonly string[];
  /** Issues in any 24 hours, 1 to 500. */
  readonly dailyCap: number;
  /** Whether a first run with more than five candidates files one issue for all of them. */
  readonly firstRunSummary: boolean;
}

/** Routed narrows where issues may go beside the channel's own repository or project. */
export interface Routed {
  /** Globs over the path of a repository or project; none: every one that a label names on the channel's own host. */
  readonly allowedTargets: readonly string[];
}

/** Tracker is a kind that opens and closes issues. Its credential is sealed. */
export interface Tracker<
  K extends string = string,
  S extends TrackerSettings = TrackerSettings,
  C extends string = string,
> extends AnyKind<K, S> {
  /** The fields of which exactly one holds the credential. */
  readonly credentials: readonly C[];
  /** Which of them goes with a document or its settings. */
  credential(settings: object): C;
  /** What is wrong with an address that may be called, by the form of the provider; null for nothing. */
  addressFault(host: string, path: string, hasEmail: boolean): string | null;
  /** The host on which people see the issues of a channel; null where only the tracker knows. */
  webHost(settings: S): string | null;
  /** What the texts of a channel are written for: another form may hold less. */
  textForm(settings: S): string;
  /** Issues are looked for in a list of them, or in an index, which is later. */
  readonly findsBy: 'list' | 'index';
  /** How the label of an image leads to a repository or project; null where it never does. */
  readonly routing: Routing | null;
  readonly setup: TrackerSetup;
}

/** Routing is how the path of a page leads to a repository or project. */
export interface Routing {
  /** Of the steps of a path; null where they name none. */
  toTarget(steps: readonly string[]): string | null;
  /** Whether projects may stand in groups of groups. */
  readonly nested: boolean;
  /** A host where anyone can have a repository. */
  readonly publicHost: string;
}

/** TokenLook is what a credential of some form is. */
export interface TokenLook {
  readonly form: RegExp;
  readonly name: string;
  /** False for one that is made for something else than the API. */
  readonly usable: boolean;
}

/** TrackerSetup is what a setup asks for, and how it reads the answers. */
export interface TrackerSetup extends KindSetup {
  /** The address that is offered first. */
  readonly standardUrl?: string;
  /** Where issues go that nothing else leads: the option that answers, the field of the document, the question. */
  readonly target: { readonly option: 'repo' | 'project'; readonly field: string; readonly text: string };
  /** The question for a credential, by its field. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly looks: readonly TokenLook[];
  /** The address of the API, of an address of a page; `path` is without a slash at its end. */
  toApiUrl(page: URL, path: string): string;
  /** The repository or project, of the path of its page or its name, and the steps of that path. */
  toTarget(path: string, steps: readonly string[]): string;
}
