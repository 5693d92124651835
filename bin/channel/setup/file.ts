import type { Secret } from '../../../src/base/index.ts';
import { isTrackerKind, openDocuments, trackerOf, type TrackerKind } from '../../../src/channels/index.ts';
import type { ChannelSetupOptions } from './options.ts';
import type { Document } from '../document.ts';
import type { SetupAnswers } from './place.ts';

/** SetupFile is a channel of a file as the answers of a setup. */
export interface SetupFile {
  readonly kind: TrackerKind;
  readonly answers: SetupAnswers;
  /** The token, where the file contains it. */
  readonly token: Secret | null;
}

/** toSetupFile reads the channel of a tracker's document; flags go before what it says. Throws ChannelError. */
export function toSetupFile(
  document: Document,
  flags: ChannelSetupOptions,
  testLoopback: boolean,
): SetupFile | null {
  const read = openDocuments({ testLoopback, allowedHosts: [] })(document);
  const { kind, name, enabled, subscriptions, settings, credentials } = read;
  if (!isTrackerKind(kind)) return null;
  const text = (field: string): string | undefined => {
    const value = settings[field];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };
  const list = (field: string): readonly string[] => {
    const value = settings[field];
    return Array.isArray(value) ? value.map(String) : [];
  };
  const { target } = trackerOf(kind).setup;
  const answers: Omit<SetupAnswers, 'gateway' | 'firstRunSummary'> = {
    name,
    email: text('email') ?? null,
    label: list('labels'),
    allowedTarget: list('allowedTargets'),
    subscriptions,
    ...defined({
      url: text('apiBaseUrl'),
      [target.option]: text(target.field),
      issueType: text('issueType'),
      doneTransition: text('doneTransitionId'),
      dailyCap: text('dailyCap'),
    }),
    ...(!enabled && { disabled: true as const }),
  };
  const firstRunSummary = flags.firstRunSummary && settings['firstRunSummary'] !== false;
  return {
    kind,
    answers: { ...answers, ...defined(flags), gateway: flags.gateway, firstRunSummary },
    token: credentials[0]?.secret ?? null,
  };
}

function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
