import { publishAudit } from '../../audit/publish.ts'
import { sharing, startOfHour } from '../../audit/share.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Effect, maxEffects } from '../../idempotency/effect.ts'
import { endpointLine } from './audit.ts'
import type { Endpoint } from './endpoint.ts'
import { findChanged, notOwn, ownEndpoint } from './find.ts'
import { presentEndpoint } from './present.ts'
import { newSecret, presentSecret, secretField } from './signing-secrets.ts'

/** How long attempts are still signed with a secret after it has been replaced. */
const overlapMs = 24 * 3_600_000

/** The maximum number of replaced secrets that are kept. Each replaced secret adds a signature to every attempt. */
const maxPrevious = 5

type RotateDeps = Pick<Deps, 'Endpoint' | 'AuditEvent' | 'secrets' | 'now'>

/**
 * Gives the endpoint a new secret. For 24 hours, attempts are signed with the old secret as well. Returns the endpoint
 * with its new secret. A retry of the same request uses the effect id to find the same secret, and returns it. Throws
 * the same errors as `findEndpoint`.
 */
export async function rotateSecret(
  deps: RotateDeps,
  caller: Caller,
  id: string,
  effect: Effect,
): Promise<Record<string, unknown>> {
  const replaced = await replaceSecret(deps, caller, id, effect.id)
  if (replaced !== null) await publishAudit(deps, deps.Endpoint, [replaced])
  const endpoint = replaced ?? (await findChanged(deps, caller, id, effect.id))
  if (endpoint === null) throw await notOwn(deps, caller, id)
  const secret = deps.secrets.unseal(sealedSecret(endpoint, effect.id), secretField(endpoint._id))
  return { ...presentEndpoint(endpoint), ...presentSecret(secret) }
}

/**
 * Replaces the secret in one guarded update with a pipeline. If two rotations run concurrently, the second one
 * therefore reads the secret that the first one generated, and keeps it as a replaced secret. Repeats within an hour
 * share one audit line, with the ids of all keys that were used.
 */
function replaceSecret(deps: RotateDeps, caller: Caller, id: string, effectId: string): Promise<Endpoint | null> {
  const now = deps.now()
  const validUntil = new Date(now.getTime() + overlapMs)
  const replaced = { secret: '$secret', madeBy: '$secretMadeBy', validUntil }
  const about = { at: now, act: 'endpoint.secret-rotated', subject: id } as const
  const line = endpointLine(caller, { ...about, after: { overlapEndsAt: validUntil } })
  const sinceHour = new Date(startOfHour(now).getTime() + overlapMs)
  const isRepeat = { $gte: [{ $arrayElemAt: ['$previousSecrets.validUntil', 0] }, sinceHour] }
  return deps.Endpoint.findOneAndUpdate(
    { ...ownEndpoint(caller, id), effects: { $ne: effectId } },
    [
      {
        $set: {
          secret: { $literal: deps.secrets.seal(newSecret(), secretField(id)) },
          secretMadeBy: { $literal: effectId },
          previousSecrets: { $slice: [{ $concatArrays: [[replaced], '$previousSecrets'] }, maxPrevious] },
          effects: { $slice: [{ $concatArrays: ['$effects', [effectId]] }, -maxEffects] },
          updatedAt: now,
          unaudited: sharing(line, isRepeat, caller.keyId),
        },
      },
    ],
    { returnDocument: 'after', updatePipeline: true },
  ).lean<Endpoint | null>()
}

/**
 * Returns the sealed secret that the request with this effect id generated, even if later rotations have replaced it.
 * If that secret is no longer kept, returns the current secret.
 */
function sealedSecret(endpoint: Endpoint, effectId: string): string {
  const made = endpoint.previousSecrets.find(({ madeBy }) => madeBy === effectId)
  return made?.secret ?? endpoint.secret
}
