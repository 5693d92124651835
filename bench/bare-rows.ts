import Database from 'better-sqlite3';

/** BareRow is what a bare program keeps of a review. */
export interface BareRow {
  readonly at: number;
  readonly uid: string;
  readonly namespace: string;
  readonly pod: string;
  readonly image: string;
  readonly allowed: boolean;
}

/**
 * BareRows is the floor of what keeps reviews: better-sqlite3 with one narrow table, WAL and `synchronous=FULL`, rows as they come, each
 * call of `append` one durable transaction.
 */
export class BareRows {
  readonly #insert: Database.Statement;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;

  constructor(file: string) {
    const database = new Database(file);
    database.pragma('journal_mode = wal');
    database.pragma('synchronous = full');
    database.exec(
      `create table if not exists reviews (id integer primary key, at integer not null, uid text not null,
         namespace text not null, pod text not null, image text not null, allowed integer not null) strict`,
    );
    this.#insert = database.prepare(
      'insert into reviews (at, uid, namespace, pod, image, allowed) values (?, ?, ?, ?, ?, ?)',
    );
    this.#begin = database.prepare('begin immediate');
    this.#commit = database.prepare('commit');
  }

  append(rows: readonly BareRow[]): void {
    this.#begin.run();
    for (const { at, uid, namespace, pod, image, allowed } of rows)
      this.#insert.run(at, uid, namespace, pod, image, allowed ? 1 : 0);
    this.#commit.run();
  }
}
