import { createHash } from 'node:crypto'
import { auditLine, type By } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import { createPace } from '../retention/pace.ts'
import { newId } from '../security/ids.ts'
import { compareFile } from './compare-file.ts'
import type { Difference } from './differences.ts'
import type { FileFormat, RowFaults } from './read-file.ts'
import { type Counts, differenceCount, maxStored, type Reconciliation } from './reconciliation.ts'

export interface ReconcileInput {
  /** The UTC day, such as `2026-11-25`. */
  day: string
  /** The wallet whose payments are compared, or null for all live wallets. */
  wallet: string | null
  fileName: string
  bytes: AsyncIterable<Uint8Array>
  format: FileFormat
}

/** A finished run. It can contain more differences than are stored. */
export interface Reconciled {
  id: string
  sha256: string
  counts: Counts
  differences: Difference[]
}

/**
 * Compares a provider's file with the live payments and refunds that this service recorded on one UTC day. Stores the
 * run with its audit line. If rows are faulty, returns them instead and stores nothing. Throws FileFault if the file as
 * a whole cannot be read.
 */
export async function reconcile(
  deps: Pick<Models, 'Business' | 'Intent' | 'Reconciliation' | 'AuditEvent'> & { now(): Date },
  { day, wallet, fileName, bytes, format }: ReconcileInput,
  by: By,
): Promise<Reconciled | RowFaults> {
  const hash = createHash('sha256')
  const pace = createPace(new AbortController().signal, async () => undefined)
  const compared = await compareFile({ ...deps, pace }, { day, wallet }, hashed(bytes, hash.update.bind(hash)), format)
  if ('listed' in compared) return compared
  const { counts, differences } = compared
  const sha256 = hash.digest('hex')
  const [id, at] = [newId(), deps.now()]
  const after = { day, file: fileName, sha256, matched: counts.matched, differences: differenceCount(counts) }
  const about = { act: 'reconciliation.run', subject: id, businessId: null } as const
  const run: Reconciliation = {
    _id: id,
    day,
    wallet,
    fileName,
    sha256,
    at,
    actor: by.actor,
    counts,
    differences: differences.slice(0, maxStored),
    unaudited: [auditLine({ at, ...by, ...about, after })],
  }
  await nativeCollection(deps.Reconciliation).insertOne(run)
  await publishAudit(deps, deps.Reconciliation, [run])
  return { id, sha256, counts, differences }
}

async function* hashed(
  bytes: AsyncIterable<Uint8Array>,
  update: (piece: Uint8Array) => unknown,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of bytes) {
    update(piece)
    yield piece
  }
}
