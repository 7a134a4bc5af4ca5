import type { Collection } from '../collection.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import type { SealedField } from '../secrets.ts'

/** How long an answer is kept and a key means the same request (SPEC 5.4). */
export const lifetimeMs = 24 * 3_600_000

/**
 * The claim of one request: API key, method, path and idempotency key. Whoever holds `token` runs it; `effectId`
 * stays when the claim changes hands, so that the next holder finds what the last one did.
 */
export interface Claim {
  _id: string
  effectId: string
  token: string
  leaseUntil: Date
  paramsHash: string
  /** The sealed first answer; a create has it in its own document instead. */
  answer?: string
  /** Written before a duplicate that had to wait is answered: with this journalled write, what it read is durable too. */
  replayedAt?: Date
  expiresAt: Date
}

export const claims: Collection = {
  name: 'idempotencykeys',
  fields: {
    _id: String,
    effectId: String,
    token: String,
    leaseUntil: Date,
    paramsHash: String,
    answer: String,
    replayedAt: Date,
    expiresAt: Date,
  },
  indexes: [{ name: 'expired', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
}

/** Where a create stores its sealed first response: in the field `answer` of the document that it made. */
export interface Recall {
  /** The name of the document's collection. */
  collection: string
  /** Returns the sealed response by effect id, or null if nothing was created. */
  find(deps: Deps, effectId: string): Promise<string | null>
}

/** The field that stores a sealed response: of the claim, or of the document that a create made. */
export const answerField = (collection: string, id: string): SealedField => ({
  collection,
  id,
  field: 'answer',
})

export type Claimed =
  | { state: 'mine'; effectId: string; token: string }
  | { state: 'answered'; answer: string; field: SealedField; paramsHash: string }
  | { state: 'running' }

/** One request that wants to run: for how long its holder is believed to, and how a create's answer is found. */
export interface ClaimRequest {
  id: string
  paramsHash: string
  recall: Recall | null
  leaseMs: number
}

/**
 * Tries once to get the claim, inherit it, or find its answer, all as of one moment: else a clock that leaps meanwhile could end the last life
 * of a claim and have the next one begin before.
 */
export async function tryClaim(deps: Deps, request: ClaimRequest, until: number): Promise<Claimed> {
  const now = deps.now()
  const fresh = freshClaim(now, request)
  const insertion = await deps.lanes.insertClaim({ _id: request.id, ...fresh }, until)
  if (insertion.inserted) return mine(fresh)
  const found = await deps.lanes.findClaim(request.id, until)
  // Gone since: its time was up. Whoever looks next inserts anew.
  if (found === null) return { state: 'running' }
  if (found.token === fresh.token) return mine(found)
  if (found.expiresAt <= now) return takeOver(deps, { _id: found._id, effectId: found.effectId }, fresh)
  const kept = await findAnswer(deps, found, request.recall)
  if (kept !== null) return { state: 'answered', ...kept, paramsHash: found.paramsHash }
  if (found.leaseUntil > now) return { state: 'running' }
  // What will be answered now is what this caller asked.
  const { token, leaseUntil, paramsHash } = fresh
  return takeOver(deps, { _id: found._id, token: found.token }, { token, leaseUntil, paramsHash })
}

/** The sealed response of a claim, with the field that it was sealed for. Null while there is none. */
async function findAnswer(
  deps: Deps,
  { _id, effectId, answer }: Claim,
  recall: Recall | null,
): Promise<{ answer: string; field: SealedField } | null> {
  if (answer !== undefined) return { answer, field: answerField(claims.name, _id) }
  const recalled = (await recall?.find(deps, effectId)) ?? null
  return recall === null || recalled === null
    ? null
    : { answer: recalled, field: answerField(recall.collection, effectId) }
}

function freshClaim(now: Date, request: ClaimRequest): Omit<Claim, '_id'> {
  return {
    effectId: newId(),
    token: newId(),
    leaseUntil: new Date(now.getTime() + request.leaseMs),
    paramsHash: request.paramsHash,
    expiresAt: new Date(now.getTime() + lifetimeMs),
  }
}

/** Changes hands only if nobody was quicker; an expired claim begins a new life, without the old answer. */
async function takeOver(
  deps: Pick<Deps, 'Claim'>,
  guard: { _id: string; token?: string; effectId?: string },
  change: Partial<Claim>,
): Promise<Claimed> {
  const forget = change.effectId === undefined ? {} : { $unset: { answer: 1, replayedAt: 1 } }
  const claim = await deps.Claim.findOneAndUpdate(
    guard,
    { $set: change, ...forget },
    { returnDocument: 'after' },
  ).lean<Claim | null>()
  return claim === null ? { state: 'running' } : mine(claim)
}

const mine = ({ effectId, token }: Pick<Claim, 'effectId' | 'token'>): Claimed => ({
  state: 'mine',
  effectId,
  token,
})

/** Keeps the sealed answer. False when the claim changed hands meanwhile: then the other's answer counts. `until`: see group-commit/lane.ts. */
export const keepAnswer = (
  deps: Pick<Deps, 'lanes'>,
  { id, token }: { id: string; token: string },
  answer: string,
  until: number,
): Promise<boolean> =>
  deps.lanes.updateClaim(
    {
      filter: { _id: id, token },
      update: { $set: { answer } },
      // Under this token nobody writes another one; itself it may be too long to be asked for.
      proof: { token, answer: { $exists: true } },
    },
    until,
  )

/** Lets the next try run at once. A claim is never deleted: its effect id may stand for a write still under way. */
export async function giveUp(deps: Pick<Deps, 'Claim'>, held: { id: string; token: string }): Promise<void> {
  await deps.Claim.updateOne({ _id: held.id, token: held.token }, { $set: { leaseUntil: new Date(0) } })
}

/** Writes down that a duplicate which had to wait is answered now. */
export async function noteReplay(deps: Pick<Deps, 'Claim' | 'now'>, id: string): Promise<void> {
  await deps.Claim.updateOne({ _id: id }, { $set: { replayedAt: deps.now() } })
}
