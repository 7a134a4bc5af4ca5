import { createHash } from 'node:crypto'
import type { By } from '../audit/audit-event.ts'
import { type AuditedDeps, audited } from '../audit/audited.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import { createPace } from '../retention/pace.ts'
import { newId } from '../security/ids.ts'
import { compareFile } from './compare-file.ts'
import type { FileFormat, RowFaults } from './read-file.ts'
import { differenceCount, maxStored, type Reconciliation } from './reconciliation.ts'

export interface ReconcileInput extends Pick<Reconciliation, 'day' | 'wallet' | 'fileName'> {
  bytes: AsyncIterable<Uint8Array>
  format: FileFormat
}

/** A finished run. It can contain more differences than are stored. */
export interface Reconciled extends Pick<Reconciliation, 'sha256' | 'counts' | 'differences'> {
  id: string
}

/**
 * Compares a provider's file with the live payments and refunds that this service recorded on one UTC day. Stores the
 * run with its audit line. If rows are faulty, returns them instead and stores nothing. Throws FileFault if the file as
 * a whole cannot be read.
 */
export async function reconcile(
  deps: Pick<Models, 'Business' | 'Intent' | 'Reconciliation'> & AuditedDeps,
  { day, wallet, fileName, bytes, format }: ReconcileInput,
  by: By,
): Promise<Reconciled | RowFaults> {
  const hash = createHash('sha256')
  const hashed = async function* () {
    for await (const piece of bytes) {
      hash.update(piece)
      yield piece
    }
  }
  const pace = createPace(new AbortController().signal, async () => undefined)
  const compared = await compareFile({ ...deps, pace }, { day, wallet }, hashed(), format)
  if ('listed' in compared) return compared
  const { counts, differences } = compared
  const sha256 = hash.digest('hex')
  const run = { day, wallet, fileName, sha256, counts, differences: differences.slice(0, maxStored) }
  const after = { day, file: fileName, sha256, matched: counts.matched, differences: differenceCount(counts) }
  return audited(deps, { documents: [], by }, async ({ session, at, add }) => {
    const id = newId()
    await nativeCollection(deps.Reconciliation).insertOne({ _id: id, ...run, at, actor: by.actor }, { session })
    await add({ act: 'reconciliation.run', subject: id, businessId: null, after })
    return { id, sha256, counts, differences }
  })
}
