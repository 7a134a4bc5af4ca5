import { auditLine } from '../../audit/audit-event.ts'
import { countRepeat, startOfHour } from '../../audit/share.ts'
import type { Caller } from '../../businesses/caller.ts'
import { countAuditLine } from '../../businesses/quotas.ts'
import type { Deps } from '../../deps.ts'
import { once, type Result, type WriteRequest } from '../../idempotency/request.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { findEndpoint, presentEndpoint } from './find.ts'
import { newSecret, presentSecret, secretField } from './signing-secrets.ts'

/** How long attempts are still signed with a secret after it has been replaced. */
const overlapMs = 24 * 3_600_000

/** The maximum number of replaced secrets that are kept. Each replaced secret adds a signature to every attempt. */
const maxPrevious = 5

type RotateDeps = Parameters<typeof once>[0] & Pick<Deps, 'Endpoint' | 'counters' | 'config' | 'secrets'>

/**
 * Gives the endpoint a new secret. For 24 hours, attempts are signed with the old secret as well. Returns the endpoint
 * with its new secret. Repeats within an hour share one audit line, with the ids of all keys that were used. Throws the
 * same errors as `findEndpoint`.
 */
export async function rotateSecret(
  deps: RotateDeps,
  caller: Caller,
  id: string,
  request: WriteRequest,
): Promise<Result> {
  let addsLine = false
  const result = await once(deps, request, { documents: [id] }, async ({ session, by, at, add }) => {
    const endpoint = await findEndpoint(deps, caller, id, session)
    const secret = newSecret()
    const validUntil = new Date(at.getTime() + overlapMs)
    const set = {
      secret: deps.secrets.seal(secret, secretField(id)),
      previousSecrets: [{ secret: endpoint.secret, validUntil }, ...endpoint.previousSecrets].slice(0, maxPrevious),
      updatedAt: at,
    }
    await nativeCollection(deps.Endpoint).updateOne({ _id: id }, { $set: set }, { session })
    const about = { act: 'endpoint.secret-rotated', subject: id, businessId: caller.businessId } as const
    const last = endpoint.previousSecrets[0]?.validUntil.getTime() ?? 0
    addsLine = last < startOfHour(at).getTime() + overlapMs
    if (addsLine) await add({ ...about, after: { overlapEndsAt: validUntil } })
    else await countRepeat(deps, `rotate-secret ${id}`, auditLine(by, at, about), caller.keyId, session)
    return { ...presentEndpoint(endpoint), ...presentSecret(secret) }
  })
  if (addsLine) countAuditLine(deps, caller)
  return result
}
