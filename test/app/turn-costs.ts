import Database from 'better-sqlite3';

/** TurnCost is what the dearest turns of an event loop have cost, each figure that of its own turn. */
export interface TurnCost {
  /** Milliseconds on a processor between two turns. */
  readonly busy: number;
  /** Rows that SQLite gave. */
  readonly rows: number;
  /** Characters that were read or written as JSON. */
  readonly json: number;
  /** Statements that were run. */
  readonly statements: readonly string[];
}

interface Reader {
  readonly source: string;
}

/** TurnCosts watches the event loop of its process: what runs before it has a turn again holds up everybody else. */
export class TurnCosts {
  #busy = 0;
  #most = { rows: 0, json: 0 };
  #turn = { rows: 0, json: 0 };
  #counts = false;
  #statements = new Set<string>();

  constructor() {
    let cpu = process.threadCpuUsage();
    setInterval(() => {
      const used = process.threadCpuUsage();
      this.#busy = Math.max(this.#busy, (used.user + used.system - cpu.user - cpu.system) / 1000);
      cpu = used;
    }, 1);
    this.#watchJson();
    this.#watchStatements();
  }

  begin(): void {
    this.#busy = 0;
    this.#most = { rows: 0, json: 0 };
    this.#statements = new Set();
  }

  end(): TurnCost {
    return { busy: this.#busy, ...this.#most, statements: [...this.#statements] };
  }

  #count(what: 'rows' | 'json', count: number): void {
    this.#turn[what] += count;
    this.#most[what] = Math.max(this.#most[what], this.#turn[what]);
    if (this.#counts) return;
    this.#counts = true;
    setImmediate(() => {
      this.#counts = false;
      this.#turn = { rows: 0, json: 0 };
    });
  }

  #watchJson(): void {
    const { parse, stringify } = JSON;
    JSON.parse = (...given: Parameters<typeof parse>) => {
      this.#count('json', given[0].length);
      return parse(...given) as unknown;
    };
    JSON.stringify = ((...given: Parameters<typeof stringify>) => {
      const text = stringify(...given) as string | undefined;
      this.#count('json', text?.length ?? 0);
      return text;
    }) as typeof stringify;
  }

  #watchStatements(): void {
    const database = new Database(':memory:');
    const proto = Object.getPrototypeOf(database.prepare('select 1')) as Record<
      string,
      (...given: unknown[]) => unknown
    >;
    database.close();
    const note = (statement: string, got: unknown): void => {
      this.#statements.add(statement);
      this.#count('rows', Array.isArray(got) ? got.length : 1);
    };
    for (const name of ['all', 'get', 'run'] as const) {
      const act = proto[name];
      if (act === undefined) throw new Error(`better-sqlite3 has no ${name}`);
      proto[name] = function counted(this: Reader, ...given: unknown[]) {
        const got = act.apply(this, given);
        note(this.source, got);
        return got;
      };
    }
  }
}
