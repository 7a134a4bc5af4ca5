import type { Deps } from '../deps.ts'
import { newId } from '../security/ids.ts'
import type { SealedField } from '../security/seal.ts'
import { type Claim, claims, lifetimeMs, removalMs, responseField } from './claim.ts'
import type { Recall, ResponseData } from './recall.ts'

/** The first response of a request: sealed, with the field it was sealed for, or the computed data of a create. */
export type FirstResponse =
  | { kind: 'stored'; sealedResponse: string; field: SealedField }
  | { kind: 'computed'; data: ResponseData }

export type Claimed =
  | { state: 'held'; effectId: string; token: string }
  | { state: 'finished'; paramsHash: string; first: FirstResponse }
  | { state: 'running' }

/** A request that competes for its claim. */
export interface ClaimRequest {
  id: string
  paramsHash: string
  /** Finds the first response of a create; null for other operations. */
  recall: Recall | null
  /** How long its holder's lease lasts. */
  leaseMs: number
  /** Decides whether the claim has expired, however long the request waits. */
  arrivedAt: Date
}

/** Makes one attempt to insert the claim, to take it over, or to find its response. */
export async function attemptClaim(deps: Deps, request: ClaimRequest, deadlineAt: number): Promise<Claimed> {
  const fresh = freshClaim(deps.now(), request)
  const insertion = await deps.batchers.insertClaim({ _id: request.id, ...fresh }, deadlineAt)
  if (insertion.inserted) return held(fresh)
  const found = await deps.batchers.findClaim(request.id, deadlineAt)
  // The claim has been removed in the meantime. The next attempt inserts a new one.
  if (found === null) return { state: 'running' }
  if (found.token === fresh.token) return held(found)
  return compete(deps, request, found)
}

/**
 * Like `attemptClaim`, for a request that has seen the claim before. While the first request is running, this function
 * only reads, because many requests may be waiting.
 */
export async function recheckClaim(deps: Deps, request: ClaimRequest, deadlineAt: number): Promise<Claimed> {
  const found = await deps.batchers.findClaim(request.id, deadlineAt)
  return found === null ? attemptClaim(deps, request, deadlineAt) : compete(deps, request, found)
}

/** Takes the claim over if it has expired. Otherwise finds its response. */
async function compete(deps: Deps, request: ClaimRequest, found: Claim): Promise<Claimed> {
  const now = deps.now()
  if (isExpired(found, request, now)) return takeOver(deps, found, freshClaim(now, request))
  return inherit(deps, request, found, now)
}

/**
 * Like `attemptClaim`, for a request that has run under `effectId` and lost its claim. Returns null if the claim is
 * gone or belongs to another request, because a request never starts a second effect.
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

/** Whether the key may start a new request. It may not while the last holder's lease is still running. */
const isExpired = ({ expiresAt, leaseEndsAt }: Claim, { arrivedAt }: ClaimRequest, now: Date): boolean =>
  leaseEndsAt <= now && expiresAt <= arrivedAt

/** Finds the response of the claim's request, or takes the claim over if its lease has ended. Keeps the effect id. */
async function inherit(deps: Deps, request: ClaimRequest, found: Claim, now: Date): Promise<Claimed> {
  const first = await findFirst(deps, found, request.recall)
  if (first !== null) return { state: 'finished', first, paramsHash: found.paramsHash }
  if (found.leaseEndsAt > now) return { state: 'running' }
  // From now on the response belongs to this request's parameters.
  const { token, leaseEndsAt, paramsHash } = freshClaim(now, request)
  return takeOver(deps, found, { token, leaseEndsAt, paramsHash })
}

/** Returns the response of the claim's request, or null while there is none. */
const findFirst = async (
  deps: Deps,
  { _id, effectId, sealedResponse }: Claim,
  recall: Recall | null,
): Promise<FirstResponse | null> =>
  sealedResponse === undefined
    ? recallFirst(deps, recall, effectId)
    : { kind: 'stored', sealedResponse, field: responseField(claims.name, _id) }

/** Returns the response of the create with this effect id, or null if nothing was created. */
export async function recallFirst(
  deps: Deps,
  recall: Recall | null,
  effectId: string,
): Promise<FirstResponse | null> {
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
 * Changes the holder, unless another request did so first. A new effect id starts a new request and removes the old
 * response. Otherwise the claim must not have a response yet.
 */
async function takeOver(
  deps: Pick<Deps, 'Claim'>,
  { _id, token }: Claim,
  change: Partial<Claim>,
): Promise<Claimed> {
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
 * Stores the sealed response in the claim. Returns false if the claim is gone or has another holder. `deadlineAt`: see
 * mongo/batching/batcher.ts.
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
      // Only the holder of this token writes a response, so its presence proves the write. The value may be too long to
      // query by.
      proof: { token, sealedResponse: { $exists: true } },
    },
    deadlineAt,
  )

/**
 * Ends the lease, so that the next attempt can run immediately. Never deletes the claim, because a write with its
 * effect id may still be running.
 */
export async function giveUp(
  deps: Pick<Deps, 'Claim' | 'now'>,
  { id, token }: { id: string; token: string },
): Promise<void> {
  await deps.Claim.updateOne({ _id: id, token }, { $set: { leaseEndsAt: deps.now() } })
}
