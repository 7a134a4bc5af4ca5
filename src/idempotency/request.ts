import type { mongo } from 'mongoose'
import { createByIdBatcher, createInserter } from '../mongo/batchers.ts'
import { isDuplicateKey, isWriteConflict, nullIfDuplicate, rawCollection } from '../mongo/collection.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import { date, flag, part, secret, text, type ValueOfField } from '../mongo/fields.ts'
import type { Deps, Models } from '../platform/deps.ts'
import { Refusal, refuse, unavailable } from '../platform/errors.ts'
import type { Author } from '../security/actor.ts'
import type { EncryptedField } from '../security/encrypt.ts'
import type { CausingRequest } from '../tracing/tracing.ts'

/** SPEC 5.4 */
export const idempotencyKeyMs = 24 * 3_600_000

/** A created intent needs no row, because its response can be recomputed. */
export const responseCollection = declareCollection({
  name: 'responses',
  kept: 'until it expires, an hour after it can last be requested',
  fields: {
    _id: text,
    response: secret(text),
    /** A concurrent request with the same key may replace a refusal. */
    refusal: flag,
    paramsHash: text,
    at: date,
    expiresAt: date,
  },
  // A request that arrived in time may read its row late.
  indexes: [{ name: 'expired', key: { expiresAt: 1 }, expireAfterSeconds: 3600 }],
})
export type StoredResponse = Stored<typeof responseCollection>

export const encryptedResponse = (id: string): EncryptedField => ({
  collection: responseCollection.name,
  id,
  field: 'response',
})

export const unexpiredFilter = (now: Date) => ({ expiresAt: { $gt: now } })

/** A document keeps a request mark for each request that changed it. */
export const requestMarkFields = part({ key: text, paramsHash: text, at: date })
type RequestMark = ValueOfField<typeof requestMarkFields>

/** A key that was last used at or before this time is free again. */
export const freshKeysSince = (arrivedAt: Date): Date => new Date(arrivedAt.getTime() - idempotencyKeyMs)

export const isFreshMark = ({ at }: Pick<RequestMark, 'at'>, arrivedAt: Date): boolean =>
  at > freshKeysSince(arrivedAt)

export interface WriteRequest {
  /** Digest of API key, method, path and idempotency key. */
  key: string
  by: Author
  paramsHash: string
  arrivedAt: Date
  deadlineAt: number
  cause: CausingRequest
  /** Finds the result of an earlier request with this key. */
  earlier(): Promise<OperationResult | null>
  build(data: unknown): { response: FinalResponse; row: StoredResponse }
}

export type WithinDeadline = <T>(work: (deadlineAt: number) => Promise<T>) => Promise<T>

/** Only work inside `withinDeadline` counts towards the request's deadline. */
export type ThirdPartyStep = (withinDeadline: WithinDeadline) => Promise<unknown>

/**
 * An `effect` has left a request mark in the document. Its `data` may be an
 * error, such as PAYMENT_FAILED, or a step that waits for a wallet.
 */
export type OperationResult =
  | ({ kind: 'effect'; data: unknown; isRepeat: boolean } & Pick<RequestMark, 'at' | 'paramsHash'>)
  | { kind: 'none'; data: unknown }
  | { kind: 'stored'; response: FinalResponse; repeats: { paramsHash: string } | null }

type RequestDigests = Pick<WriteRequest, 'key' | 'paramsHash'>

export const createRequestMark = ({ key, paramsHash }: RequestDigests, at: Date): RequestMark => ({
  key,
  paramsHash,
  at,
})

export const effectResult = (
  { at, paramsHash }: RequestMark,
  data: unknown,
  isRepeat: boolean,
): OperationResult => ({ kind: 'effect', data, isRepeat, at, paramsHash })

export interface FinalResponse {
  status: number
  body: Buffer
}

const statusLength = 3

export const encryptResponse = (
  { secrets }: Pick<Deps, 'secrets'>,
  key: string,
  { status, body }: FinalResponse,
  about: Pick<StoredResponse, 'refusal' | 'paramsHash' | 'at'>,
): StoredResponse => ({
  _id: key,
  response: secrets.encrypt(Buffer.concat([Buffer.from(String(status)), body]), encryptedResponse(key)),
  ...about,
  expiresAt: new Date(about.at.getTime() + idempotencyKeyMs),
})

/** Throws if SECRET_KEY was lost: running again could repeat the effect. */
export function decryptResponse(
  { secrets, log }: Pick<Deps, 'secrets' | 'log'>,
  { _id, response }: StoredResponse,
): FinalResponse {
  try {
    const plain = secrets.decryptBytes(response, encryptedResponse(_id))
    return { status: Number(plain.toString('latin1', 0, statusLength)), body: plain.subarray(statusLength) }
  } catch (err) {
    log.error({ err }, 'response.unreadable')
    throw unavailable()
  }
}

export const openResponseBatchers = ({ StoredResponse }: Pick<Models, 'StoredResponse'>) => ({
  findResponse: createByIdBatcher(StoredResponse),
  insertResponse: createInserter(StoredResponse),
})

type Rows = Pick<Deps, 'StoredResponse' | 'batchers'>

export async function findStoredResponse(
  { batchers }: Rows,
  key: string,
  since: Date,
  deadlineAt: number,
): Promise<StoredResponse | null> {
  const row = await batchers.findResponse(key, deadlineAt)
  return row !== null && row.at > since ? row : null
}

/** Null unless another valid row came first. An effect replaces a refusal. */
export async function storeResponse(
  deps: Rows,
  row: StoredResponse,
  { since, isShared, deadlineAt }: { since: Date; isShared: boolean; deadlineAt: number },
): Promise<StoredResponse | null> {
  const rows = rawCollection(deps.StoredResponse)
  const insert = async (): Promise<boolean> =>
    isShared
      ? (await deps.batchers.insertResponse(row, deadlineAt)).inserted
      : (await rows.insertOne(row).catch(nullIfDuplicate)) !== null
  const outdated = row.refusal
    ? { at: { $lte: since } }
    : { $or: [{ at: { $lte: since } }, { refusal: true }] }
  while (performance.now() < deadlineAt) {
    if (await insert()) return null
    const { _id, ...fields } = row
    if ((await rows.replaceOne({ _id, ...outdated }, fields)).modifiedCount > 0) return null
    // Null if the row hasn't reached a majority yet or has just been removed.
    const found = await findStoredResponse(deps, _id, since, deadlineAt)
    if (found !== null && (row.refusal || !found.refusal)) return found
  }
  throw unavailable()
}

export const refuseInProgress = (): Refusal =>
  refuse('IDEMPOTENCY_REQUEST_IN_PROGRESS', { retryAfterSeconds: 2 })

/** Throws if a concurrent request still locks the row at the deadline. */
export async function storeInTransaction<Act extends { session: mongo.ClientSession }>(
  deps: Pick<Deps, 'StoredResponse'>,
  request: WriteRequest,
  inTransaction: (work: (act: Act) => Promise<FinalResponse>) => Promise<FinalResponse>,
  work: (act: Act) => Promise<unknown>,
): Promise<OperationResult> {
  const rows = rawCollection(deps.StoredResponse)
  const since = freshKeysSince(request.arrivedAt)
  let isTwin = false
  const store = async (session: mongo.ClientSession, { _id, ...fields }: StoredResponse): Promise<void> => {
    try {
      await rows.replaceOne({ _id, at: { $lte: since } }, fields, { upsert: true, session })
    } catch (error) {
      isTwin = isDuplicateKey(error) || isWriteConflict(error)
      throw error
    }
  }
  /** The cause may be an effect that hasn't reached a majority yet. */
  const refused = async (error: unknown, session: mongo.ClientSession): Promise<never> => {
    const effect = { _id: request.key, at: { $gt: since } }
    if (error instanceof Refusal) isTwin = (await rows.findOne(effect, { session })) !== null
    throw error
  }
  try {
    const response = await inTransaction(async (act) => {
      isTwin = false
      const built = request.build(await work(act).catch((error: unknown) => refused(error, act.session)))
      await store(act.session, built.row)
      return built.response
    })
    return { kind: 'stored', response, repeats: null }
  } catch (error) {
    throw isTwin ? refuseInProgress() : error
  }
}
