import { openRegistryFacts, type RegistryFacts } from '../../src/app/index.ts';
import type { ImageReference } from '../../src/image/index.ts';
import type { CheckOptions } from './options.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { VERSION } from '../terminal/version.ts';

/** LazyRegistry is opened on first use: most checks need no registry. */
export class LazyRegistry implements RegistryFacts {
  readonly #open: () => Promise<RegistryFacts>;
  #opened: Promise<RegistryFacts> | null = null;

  constructor(
    options: Pick<CheckOptions, 'insecureRegistry' | 'vex' | 'registryCa' | 'trustRoot'>,
    timeout: number,
    env: Terminal['env'],
  ) {
    this.#open = () =>
      openRegistryFacts({
        env,
        timeout,
        userAgent: `ipo/${VERSION}`,
        insecure: options.insecureRegistry ?? [],
        vex: options.vex ?? [],
        caFile: options.registryCa ?? null,
        trustRoot: options.trustRoot ?? null,
      });
  }

  async resolve(reference: ImageReference): ReturnType<RegistryFacts['resolve']> {
    return (await (this.#opened ??= this.#open())).resolve(reference);
  }

  async ask(reference: ImageReference): ReturnType<RegistryFacts['ask']> {
    return (await (this.#opened ??= this.#open())).ask(reference);
  }

  async close(): Promise<void> {
    await (await this.#opened?.catch(() => null))?.close();
  }
}
