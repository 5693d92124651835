import { setTimeout as sleep } from 'node:timers/promises';
import { isIpoError } from '../../base/index.ts';

/** How long what an earlier life held is waited for, and how often it is tried. Milliseconds. */
const PATIENCE = 10_000;
const EVERY = 20;

/** patiently tries an act again while another process has what it needs: a lock, a port. Then throws what was said last. */
export async function patiently<T>(act: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      const isHeld = isIpoError(error) && (error.code === 'unavailable' || error.code === 'port_taken');
      if (!isHeld || performance.now() >= end) throw error;
    }
    await sleep(EVERY);
  }
}
