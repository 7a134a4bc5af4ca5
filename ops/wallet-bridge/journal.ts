import { DatabaseSync } from 'node:sqlite'

/**
 * - `received`: stored, and not sent to the wallet.
 * - `sending`: the wallet may have it.
 * - `waiting`: the wallet has it, and doesn't know the outcome yet.
 */
export type OpenState = 'received' | 'sending' | 'waiting'
export type FinalState = 'succeeded' | 'declined' | 'failed' | 'refused'
export type Settler = 'wallet' | 'bridge' | 'operator'

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
  /** Null while the payment is open. */
  settledBy: Settler | null
}

const schema = `CREATE TABLE IF NOT EXISTS payments (
  key TEXT PRIMARY KEY, operation TEXT NOT NULL UNIQUE, payer TEXT NOT NULL, request TEXT NOT NULL,
  amount INTEGER NOT NULL, fee INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT,
  receivedAt INTEGER NOT NULL, changedAt INTEGER NOT NULL, settledBy TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS byPayer ON payments (payer, receivedAt)`

/** By far more than the 30 days of the wallet provider's API. */
const keptForMs = 400 * 24 * 3_600_000

export type Journal = ReturnType<typeof openJournal>

/** Each write is on the disk before it returns, and survives a power failure. */
export function openJournal(path: string) {
  const database = new DatabaseSync(path, { timeout: 5_000 })
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${schema};
    DELETE FROM payments WHERE settledBy IS NOT NULL AND changedAt < ${Date.now() - keptForMs}`)
  const add = database.prepare(`INSERT INTO payments VALUES
    (:key, :operation, :payer, :request, :amount, :fee, 'received', NULL, :at, :at, NULL)`)
  const find = database.prepare('SELECT * FROM payments WHERE key = ?')
  const open = database.prepare('SELECT * FROM payments WHERE settledBy IS NULL ORDER BY receivedAt')
  const decided = database.prepare(`SELECT * FROM payments WHERE settledBy = 'operator' AND changedAt > ?`)
  const advance = database.prepare(
    'UPDATE payments SET state = :state, changedAt = :at WHERE key = :key AND settledBy IS NULL',
  )
  const settle = database.prepare(`UPDATE payments
    SET state = :state, reason = :reason, changedAt = :at, settledBy = :by
    WHERE key = :key AND settledBy IS NULL`)
  const pins = database.prepare(`SELECT count(*) FILTER (WHERE reason = 'wrong_pin') AS wrong,
    count(*) FILTER (WHERE settledBy IS NULL AND state != 'received') AS unknown FROM payments
    WHERE payer = :payer AND receivedAt > :since AND receivedAt >
      (SELECT coalesce(max(receivedAt), 0) FROM payments WHERE payer = :payer AND state = 'succeeded')`)
  return {
    add: (entry: Pick<Entry, 'key' | 'operation' | 'payer' | 'request' | 'amount' | 'fee'>): void =>
      void add.run({ ...entry, at: Date.now() }),
    find: (key: string): Entry | null => (find.get(key) as unknown as Entry | undefined) ?? null,
    open: (): Entry[] => open.all() as unknown as Entry[],
    decidedSince: (since: number): Entry[] => decided.all(since) as unknown as Entry[],
    /** Both return false if the payment was already settled. */
    advance: (key: string, state: OpenState): boolean =>
      advance.run({ key, state, at: Date.now() }).changes === 1,
    settle: (key: string, state: FinalState, reason: string | null, by: Settler): boolean =>
      settle.run({ key, state, reason, by, at: Date.now() }).changes === 1,
    /** Since the payer's last success. `unknown`: sent, and may still turn out as wrong. */
    countPins: (payer: string, since: number) =>
      pins.get({ payer, since }) as { wrong: number; unknown: number },
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
