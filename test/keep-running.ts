import type { TestContext } from 'node:test';

/** keepRunning keeps the process of a test running that waits for nothing but timers, which do not: what they guard does, where it is real. */
export function keepRunning(t: TestContext): void {
  const held = setInterval(() => {}, 1000);
  t.after(() => clearInterval(held));
}
