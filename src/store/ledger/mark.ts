import { runText } from '../sql/dialect.ts';

type Executor = Parameters<typeof runText>[0];

/**
 * moveMark moves the mark of what follows the ledger, kept under its key in `settings`, from one row to a later one; `from` null makes
 * it. False when it stands elsewhere by now: another replica was quicker.
 */
export async function moveMark(
  transaction: Executor,
  key: string,
  from: number | null,
  upto: number,
): Promise<boolean> {
  const moved =
    from === null
      ? await runText(
          transaction,
          'insert into settings (key, value) values (?, ?) on conflict (key) do nothing returning key',
          [key, String(upto)],
        )
      : await runText(
          transaction,
          'update settings set value = ? where key = ? and value = ? returning key',
          [String(upto), key, String(from)],
        );
  return moved.length > 0;
}
