import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Effect, maxEffects } from '../../idempotency/effect.ts'
import type { Endpoint } from './endpoint.ts'
import { findChanged, noSuchEndpoint, ownEndpoint } from './find.ts'
import { presentEndpoint } from './present.ts'
import { newSecret, secretField } from './signing-secrets.ts'

/** How long a replaced secret is still used for signing, alongside the new one. */
const overlapMs = 24 * 3_600_000

/** The maximum number of replaced secrets that are kept. Each adds a signature to every attempt. */
const maxPrevious = 5

type RotateDeps = Pick<Deps, 'Endpoint' | 'secrets' | 'now'>

/**
 * Gives the endpoint a new secret. For 24 hours the old secret is used for signing too. Returns the endpoint with the
 * new `secret`, which a retry of the same request finds by its effect id. Throws ENDPOINT_NOT_FOUND.
 */
export async function rotateSecret(
  deps: RotateDeps,
  caller: Caller,
  id: string,
  effect: Effect,
): Promise<Record<string, unknown>> {
  const replaced = await replaceSecret(deps, caller, id, effect.id)
  const endpoint = replaced ?? (await findChanged(deps, caller, id, effect.id))
  if (endpoint === null) throw noSuchEndpoint()
  const secret = deps.secrets.unseal(sealedSecret(endpoint, effect.id), secretField(endpoint._id))
  return { ...presentEndpoint(endpoint), secret }
}

/**
 * Uses one guarded update pipeline, so that if two rotations are concurrent, the later one replaces the earlier one's
 * secret.
 */
function replaceSecret(
  deps: RotateDeps,
  caller: Caller,
  id: string,
  effectId: string,
): Promise<Endpoint | null> {
  const now = deps.now()
  const replaced = {
    secret: '$secret',
    madeBy: '$secretMadeBy',
    validUntil: new Date(now.getTime() + overlapMs),
  }
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
        },
      },
    ],
    { returnDocument: 'after', updatePipeline: true },
  ).lean<Endpoint | null>()
}

/**
 * Returns the secret that this request made, even after later rotations. Returns the current secret if the request's
 * secret is no longer kept.
 */
function sealedSecret(endpoint: Endpoint, effectId: string): string {
  const made = endpoint.previousSecrets.find(({ madeBy }) => madeBy === effectId)
  return made?.secret ?? endpoint.secret
}
