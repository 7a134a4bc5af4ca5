import type { Deps } from '../deps.ts'
import { newId } from '../security/ids.ts'
import type { SealedField } from '../security/seal.ts'
import { type Claim, claims, lifetimeMs, removalMs, responseField } from './claim.ts'
import type { Recall, ResponseData } from './recall.ts'

/**
 * The first response to a request: either the sealed response, together with the field that it was sealed for, or the
 * data computed from the created document.
 */
export type FirstResponse =
  | { kind: 'stored'; sealedResponse: string; field: SealedField }
  | { kind: 'computed'; data: ResponseData }

export type Claimed =
  | { state: 'held'; effectId: string; token: string }
  | { state: 'finished'; paramsHash: string; first: FirstResponse }
  | { state: 'running' }

export interface ClaimRequest {
  id: string
  paramsHash: string
  /** Finds the first response to a create request. Null for operations that create nothing. */
  recall: Recall | null
  /** How long the lease lasts if this request obtains the claim. */
  leaseMs: number
  /**
   * When the request arrived. The claim counts as expired only if it had expired by this time, however long the request
   * has been waiting since.
   */
  arrivedAt: Date
}

/** Makes one attempt to insert the claim, to take over the existing claim or to find its response. */
export async function attemptClaim(deps: Deps, request: ClaimRequest, deadlineAt: number): Promise<Claimed> {
  const fresh = freshClaim(deps.now(), request)
  const insertion = await deps.batchers.insertClaim({ _id: request.id, ...fresh }, deadlineAt)
  if (insertion.inserted) return held(fresh)
  const found = await deps.batchers.findClaim(request.id, deadlineAt)
  // The claim was removed after the insert failed, so the next attempt will insert a new claim.
  if (found === null) return { state: 'running' }
  if (found.token === fresh.token) return held(found)
  return compete(deps, request, found)
}

/**
 * Like `attemptClaim`, but for a request that has already found the claim in use. This function does not write anything
 * while the first request is running, because many duplicates may be waiting for that request.
 */
export async function recheckClaim(deps: Deps, request: ClaimRequest, deadlineAt: number): Promise<Claimed> {
  const found = await deps.batchers.findClaim(request.id, deadlineAt)
  return found === null ? attemptClaim(deps, request, deadlineAt) : compete(deps, request, found)
}

/**
 * If the claim has expired, takes over the claim for a new request. Otherwise, treats the request as a duplicate of the
 * first request.
 */
async function compete(deps: Deps, request: ClaimRequest, found: Claim): Promise<Claimed> {
  const now = deps.now()
  if (isExpired(found, request, now)) return takeOver(deps, found, freshClaim(now, request))
  return inherit(deps, request, found, now)
}

/**
 * Like `attemptClaim`, but for a request that ran under `effectId` and then lost its claim. Returns null if the claim
 * is gone or has a new effect id, because one request must never cause a second effect.
 */
export async function reclaim(
  deps: Deps,
  request: ClaimRequest,
  effectId: string,
  deadlineAt: number,
): Promise<Claimed | null> {
  const found = await deps.batchers.findClaim(request.id, deadlineAt)
  return found?.effectId === effectId ? inherit(deps, request, found, deps.now()) : null
}

/**
 * Whether the claim has expired. The idempotency key of an expired claim may be used for a new request. As long as a
 * holder's lease is running, the claim counts as valid, even after `expiresAt`.
 */
const isExpired = ({ expiresAt, leaseEndsAt }: Claim, { arrivedAt }: ClaimRequest, now: Date): boolean =>
  leaseEndsAt <= now && expiresAt <= arrivedAt

/**
 * Finds the first response. If there is none and the claim's lease has ended, takes over the claim without changing its
 * effect id.
 */
async function inherit(deps: Deps, request: ClaimRequest, found: Claim, now: Date): Promise<Claimed> {
  const first = await findFirst(deps, found, request.recall)
  if (first !== null) return { state: 'finished', first, paramsHash: found.paramsHash }
  if (found.leaseEndsAt > now) return { state: 'running' }
  // From now on, this request runs in place of the earlier request, so the parameters of duplicates are compared with
  // this request's parameters.
  const { token, leaseEndsAt, paramsHash } = freshClaim(now, request)
  return takeOver(deps, found, { token, leaseEndsAt, paramsHash })
}

/** Returns the first response to the claim's request, or null if there is no response yet. */
const findFirst = async (
  deps: Deps,
  { _id, effectId, sealedResponse }: Claim,
  recall: Recall | null,
): Promise<FirstResponse | null> =>
  sealedResponse === undefined
    ? recallFirst(deps, recall, effectId)
    : { kind: 'stored', sealedResponse, field: responseField(claims.name, _id) }

/** Returns the first response to the create request with this effect id, or null if nothing has been created. */
export async function recallFirst(deps: Deps, recall: Recall | null, effectId: string): Promise<FirstResponse | null> {
  if (recall?.kind === 'computed') {
    const data = await recall.find(deps, effectId)
    return data === null ? null : { kind: 'computed', data }
  }
  const sealedResponse = (await recall?.find(deps, effectId)) ?? null
  return recall === null || sealedResponse === null
    ? null
    : { kind: 'stored', sealedResponse, field: responseField(recall.collection, effectId) }
}

function freshClaim(now: Date, request: ClaimRequest): Omit<Claim, '_id'> {
  const expiresAt = now.getTime() + lifetimeMs
  return {
    effectId: newId(),
    token: newId(),
    leaseEndsAt: new Date(now.getTime() + request.leaseMs),
    paramsHash: request.paramsHash,
    expiresAt: new Date(expiresAt),
    removeAt: new Date(expiresAt + removalMs),
  }
}

/**
 * Changes the holder of the claim, unless another request has already changed it. If `change` contains a new effect id,
 * a new request begins and the old response is removed. Otherwise the claim is taken over only if it has no response
 * yet.
 */
async function takeOver(deps: Pick<Deps, 'Claim'>, { _id, token }: Claim, change: Partial<Claim>): Promise<Claimed> {
  const isNew = change.effectId !== undefined
  const claim = await deps.Claim.findOneAndUpdate(
    { _id, token, ...(isNew ? {} : { sealedResponse: { $exists: false } }) },
    { $set: change, ...(isNew ? { $unset: { sealedResponse: 1, replayedAt: 1 } } : {}) },
    { returnDocument: 'after' },
  ).lean<Claim | null>()
  return claim === null ? { state: 'running' } : held(claim)
}

const held = ({ effectId, token }: Pick<Claim, 'effectId' | 'token'>): Claimed => ({
  state: 'held',
  effectId,
  token,
})

/**
 * Stores the sealed response in the claim. Returns false if the claim is gone or has a different holder. `deadlineAt`
 * is described in mongo/batching/batcher.ts.
 */
export const keepResponse = (
  deps: Pick<Deps, 'batchers'>,
  { id, token }: { id: string; token: string },
  response: Pick<Claim, 'sealedResponse' | 'sandboxOf'>,
  deadlineAt: number,
): Promise<boolean> =>
  deps.batchers.updateClaim(
    {
      filter: { _id: id, token },
      update: { $set: response },
      // Only the holder of this token writes a response, so a response under this token proves that the write
      // succeeded. The response itself may be too long to use in a query.
      proof: { token, sealedResponse: { $exists: true } },
    },
    deadlineAt,
  )

/**
 * Ends the lease, so that the next attempt can run immediately. The claim must not be deleted, because a write with its
 * effect id may still be running.
 */
export async function giveUp(
  deps: Pick<Deps, 'Claim' | 'now'>,
  { id, token }: { id: string; token: string },
): Promise<void> {
  await deps.Claim.updateOne({ _id: id, token }, { $set: { leaseEndsAt: deps.now() } })
}
