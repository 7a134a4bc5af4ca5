import { DatabaseSync } from 'node:sqlite'

/**
 * - `received`: stored, and not sent to the wallet.
 * - `sending`: the wallet may have it.
 * - `waiting`: the wallet has it, and doesn't know the outcome yet.
 */
export type OpenState = 'received' | 'sending' | 'waiting'
export type FinalState = 'succeeded' | 'declined' | 'failed' | 'refused'

export interface Entry {
  key: string
  operation: string
  /** A keyed hash, so that the journal holds no phone number. */
  payer: string
  /** A keyed hash of the request without its PIN. */
  request: string
  amount: number
  fee: number
  state: OpenState | FinalState
  reason: string | null
  receivedAt: number
  /** When the state last changed. */
  changedAt: number
  /** Who settled it: the wallet or an operator. Null while it is open. */
  settledBy: string | null
}

const schema = `CREATE TABLE IF NOT EXISTS payments (
  key TEXT PRIMARY KEY, operation TEXT NOT NULL UNIQUE, payer TEXT NOT NULL, request TEXT NOT NULL,
  amount INTEGER NOT NULL, fee INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT,
  receivedAt INTEGER NOT NULL, changedAt INTEGER NOT NULL, settledBy TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS byPayer ON payments (payer, receivedAt);
CREATE INDEX IF NOT EXISTS open ON payments (state) WHERE settledBy IS NULL`

export type Journal = ReturnType<typeof openJournal>

/** Each write is on the disk before it returns, and survives a power failure. */
export function openJournal(path: string) {
  const database = new DatabaseSync(path, { timeout: 5_000 })
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${schema}`)
  const add = database.prepare(`INSERT INTO payments VALUES
    (:key, :operation, :payer, :request, :amount, :fee, 'received', NULL, :at, :at, NULL)`)
  const find = database.prepare('SELECT * FROM payments WHERE key = ?')
  const open = database.prepare('SELECT * FROM payments WHERE settledBy IS NULL ORDER BY receivedAt')
  const advance = database.prepare(
    'UPDATE payments SET state = :state, changedAt = :at WHERE key = :key AND settledBy IS NULL',
  )
  const settle = database.prepare(`UPDATE payments
    SET state = :state, reason = :reason, changedAt = :at, settledBy = :by
    WHERE key = :key AND settledBy IS NULL`)
  const wrongPins = database.prepare(`SELECT count(*) AS wrong FROM payments
    WHERE payer = :payer AND reason = 'wrong_pin' AND receivedAt > :since AND receivedAt >
      (SELECT coalesce(max(receivedAt), 0) FROM payments WHERE payer = :payer AND state = 'succeeded')`)
  return {
    add: (entry: Pick<Entry, 'key' | 'operation' | 'payer' | 'request' | 'amount' | 'fee'>): void =>
      void add.run({ ...entry, at: Date.now() }),
    find: (key: string): Entry | null => (find.get(key) as unknown as Entry | undefined) ?? null,
    open: (): Entry[] => open.all() as unknown as Entry[],
    /** Both return false if the payment was already settled. */
    advance: (key: string, state: OpenState): boolean =>
      advance.run({ key, state, at: Date.now() }).changes === 1,
    settle: (
      key: string,
      state: FinalState,
      reason: string | null,
      by: 'wallet' | 'bridge' | 'operator',
    ): boolean => settle.run({ key, state, reason, by, at: Date.now() }).changes === 1,
    /** Since the payer's last success. */
    countWrongPins: (payer: string, since: number): number =>
      (wrongPins.get({ payer, since }) as { wrong: number }).wrong,
  }
}

/** Only one bridge may use a journal. The system frees the lock when the process ends. */
export function lockJournal(path: string): void {
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    throw new Error(`Another bridge uses ${path}`, { cause: error })
  }
  // Garbage collection would close the database and free the lock.
  held.push(lock)
}

const held: DatabaseSync[] = []
