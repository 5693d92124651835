import type { Fault } from './fake-tracker.ts';
import type { World } from './world.ts';

class Crash extends Error {}

/** PLACES are where a process dies: before the step; with it under way, nobody waiting for its answer; once it is answered. */
export const PLACES = ['before', 'within', 'after'] as const;
export type Place = (typeof PLACES)[number];

/** Doom is how a process ends, and what goes wrong beside that. */
export interface Doom {
  /** The call that takes the step at which it dies, and where. */
  readonly call: string;
  readonly place: Place;
  /** It writes to the tracker, so that it can be under way. */
  readonly isWrite: boolean;
  /** From this call on, the first one to the tracker goes wrong. */
  readonly breaks: string;
  readonly fault: Fault;
  /** So many of either call pass before; none unless given. */
  readonly passed?: number;
  /** Told of each call before it begins and after it ended. */
  readonly heard?: (name: string, when: 'before' | 'after') => void;
}

/** Armed is what has happened. */
export interface Armed {
  died: boolean;
  failed: boolean;
}

/** arm has the process of a world die once, and one call of it go wrong. */
export function arm(world: World, { call, place, isWrite, breaks, fault, passed = 0, heard }: Doom): Armed {
  const fake = world.fake();
  const ran: Armed = { died: false, failed: false };
  const calls = new Map<string, number>();
  let reached = false;
  let dying = false;
  const die = (): never => {
    ran.died = true;
    dying = true;
    throw new Crash('the process died');
  };
  world.hook = (name, when) => {
    if (dying) throw new Crash('the process is dead');
    heard?.(name, when);
    if (ran.died) return;
    const seen = calls.get(name) ?? 0;
    if (when === 'after') calls.set(name, seen + 1);
    if (name === breaks && when === 'before' && seen >= passed) reached = true;
    if (name !== call || seen < passed) return;
    if (when === 'before' && place === 'before') die();
    if (when === 'after' && (place === 'after' || !isWrite)) die();
  };
  fake.dies = (operation) => {
    if (place !== 'within' || operation !== call || ran.died || (calls.get(call) ?? 0) < passed) return false;
    ran.died = true;
    dying = true;
    return true;
  };
  fake.fault = () => {
    if (!reached || ran.failed) return null;
    ran.failed = true;
    return fault;
  };
  world.revive = () => {
    dying = false;
  };
  return ran;
}

/** alive lets a process act; where it dies, another takes its place. */
export async function alive(world: World, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    world.revive();
    await world.start();
  }
}
