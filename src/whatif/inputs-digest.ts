import { createHash } from 'node:crypto';
import { canonicalJson, sha256Hex } from '../base/index.ts';
import { factsDigest, NO_FACTS, type ImageFacts } from '../facts/index.ts';
import type { Policy } from '../policy/index.ts';
import type { RowClass } from './row-class.ts';

/** Text is hashed in pieces of about this many characters: one call for a thousand rows. */
const PIECE = 65_536;

/**
 * InputsDigest hashes what an answer is made from, in the order of the walk: the parameters and the draft, then for
 * each row its class (written out once, with the facts of its digest and the policies it is compared with) and what
 * sets the row apart. Equal digests mean equal answers, whatever file or database the rows came from.
 */
export class InputsDigest {
  readonly #hash = createHash('sha256');
  readonly #facts = new WeakMap<ImageFacts, string>();
  readonly #policies = new Map<Policy, string>();
  #piece = '';

  constructor(parameters: Readonly<Record<string, unknown>>) {
    this.#add(`ipo.whatif/1 ${canonicalJson(parameters)}\n`);
  }

  /** Writes out a class, when its first row is met. */
  addClass({ content, subject }: RowClass, comparedWith: readonly (Policy | null)[]): void {
    const facts = subject === null || subject.facts === NO_FACTS ? null : this.#digestOfFacts(subject.facts);
    const policies = comparedWith.map((policy) => (policy === null ? null : this.#digestOfPolicy(policy)));
    this.#add(`class ${content} ${JSON.stringify([facts, policies])}\n`);
  }

  /**
   * Adds a row of a class that was written out. A pod's name comes with its length, so that no name reads as two; one
   * that UTF-8 cannot hold comes as JSON.
   */
  addRow(index: number, id: number, time: string, pod: string | null): void {
    this.#piece +=
      pod === null || !pod.isWellFormed()
        ? `${index} ${id} ${time} ${JSON.stringify(pod)}\n`
        : `${index} ${id} ${time} ${pod.length} ${pod}\n`;
    if (this.#piece.length > PIECE) this.#flush();
  }

  /** The hex digest. `truncated` is part of it: a row that was left out shows in the answer. */
  finish(truncated: boolean): string {
    this.#add(`truncated ${truncated}\n`);
    this.#flush();
    return this.#hash.digest('hex');
  }

  #digestOfFacts(facts: ImageFacts): string {
    let digest = this.#facts.get(facts);
    if (digest === undefined) this.#facts.set(facts, (digest = factsDigest(facts)));
    return digest;
  }

  #digestOfPolicy(policy: Policy): string {
    let digest = this.#policies.get(policy);
    if (digest === undefined) {
      digest = sha256Hex(canonicalJson({ name: policy.name, spec: policy.spec }));
      this.#policies.set(policy, digest);
    }
    return digest;
  }

  #add(text: string): void {
    this.#piece += text;
    if (this.#piece.length > PIECE) this.#flush();
  }

  #flush(): void {
    this.#hash.update(this.#piece, 'utf8');
    this.#piece = '';
  }
}
