import { useProgramsOf } from '../src/app/programs/worker-entry.ts';

/**
 * useBuiltPrograms lets services under test start their threads and processes from what `test/setup.ts` built, since loading a thread's sources
 * takes a second of processor time, and hundreds are started. A file that runs by itself uses the sources.
 */
export function useBuiltPrograms(): void {
  const built = process.env['IPO_TEST_PROGRAMS'];
  if (built !== undefined) useProgramsOf(built);
}
