import type { mongo } from 'mongoose'
import { createByIdBatcher, insertsOf } from '../mongo/batchers.ts'
import { isConflict, isDuplicate, nativeCollection } from '../mongo/collection.ts'
import type { Deps, Models } from '../platform/deps.ts'
import { Refusal, refuse, unavailable } from '../platform/errors.ts'
import type { By } from '../security/actor.ts'
import type { Cause } from '../tracing/tracing.ts'
import { freshSince, lifetimeMs, type Mark, responseField, type StoredResponse } from './response.ts'

/** Requests with the same API key, method, path and idempotency key share `key`. */
export interface WriteRequest {
  key: string
  by: By
  paramsHash: string
  arrivedAt: Date
  /** On the clock of `performance.now()`. */
  deadlineAt: number
  cause: Cause
  /**
   * Resolves to the result of an earlier request with this key, or to null. Only for routes with `looksItself`
   * (http/operations/route.ts), and only before any write.
   */
  earlier(): Promise<Result | null>
  /** The response of a success, and the row that stores it. */
  build(data: unknown): { response: FinalResponse; row: StoredResponse }
}

/** `work` waits for MongoDB, for at most the time that the request has left (http/server/timeouts.ts). */
export type WithinDeadline = <T>(work: (deadlineAt: number) => Promise<T>) => Promise<T>

/** Waits for a third party, such as a wallet. Only `withinDeadline` counts towards the request's deadline. */
export type ThirdPartyStep = (withinDeadline: WithinDeadline) => Promise<unknown>

/**
 * What a write operation returns.
 * - `effect`: a document says that the request with this key has changed it. `data` is the response's data, an error
 * that the effect itself is, such as PAYMENT_FAILED, or the step that resolves to one of these.
 * - `none`: nothing was changed.
 * - `stored`: the response is in `responses` already.
 */
export type Result =
  | ({ kind: 'effect'; data: unknown; isRepeat: boolean } & Pick<Mark, 'at' | 'paramsHash'>)
  | { kind: 'none'; data: unknown }
  | { kind: 'stored'; response: FinalResponse; repeats: { paramsHash: string } | null }

export const newMark = ({ key, paramsHash }: Pick<WriteRequest, 'key' | 'paramsHash'>, at: Date): Mark => ({
  key,
  paramsHash,
  at,
})

export const effectOf = ({ at, paramsHash }: Mark, data: unknown, isRepeat: boolean): Result => ({
  kind: 'effect',
  data,
  isRepeat,
  at,
  paramsHash,
})

export interface FinalResponse {
  status: number
  body: Buffer
}

/** A stored response is a three-digit status followed by the body. */
const statusLength = 3

export const rowOf = (
  { secrets }: Pick<Deps, 'secrets'>,
  key: string,
  { status, body }: FinalResponse,
  about: Pick<StoredResponse, 'refusal' | 'paramsHash' | 'at'>,
): StoredResponse => ({
  _id: key,
  response: secrets.encrypt(Buffer.concat([Buffer.from(String(status)), body]), responseField(key)),
  ...about,
  expiresAt: new Date(about.at.getTime() + lifetimeMs),
})

/** Throws SERVICE_UNAVAILABLE if the SECRET_KEY is lost, because nothing may run again. */
export function readRow(
  { secrets, log }: Pick<Deps, 'secrets' | 'log'>,
  { _id, response }: StoredResponse,
): FinalResponse {
  try {
    const plain = secrets.decryptBytes(response, responseField(_id))
    return { status: Number(plain.toString('latin1', 0, statusLength)), body: plain.subarray(statusLength) }
  } catch (err) {
    log.error({ err }, 'response.unreadable')
    throw unavailable()
  }
}

export const openResponseBatchers = ({ StoredResponse }: Pick<Models, 'StoredResponse'>) => ({
  findResponse: createByIdBatcher(StoredResponse),
  insertResponse: insertsOf(StoredResponse),
})

type Rows = Pick<Deps, 'StoredResponse' | 'batchers'>

export async function findRow(
  { batchers }: Rows,
  key: string,
  since: Date,
  deadlineAt: number,
): Promise<StoredResponse | null> {
  const row = await batchers.findResponse(key, deadlineAt)
  return row !== null && row.at > since ? row : null
}

/**
 * Stores a row unless there is a fresh one, which is returned instead. An effect's row replaces that of a refusal.
 * `isShared` sends the row together with others, which a transaction that locks it would hold up.
 */
export async function storeRow(
  deps: Rows,
  row: StoredResponse,
  { since, isShared, deadlineAt }: { since: Date; isShared: boolean; deadlineAt: number },
): Promise<StoredResponse | null> {
  const rows = nativeCollection(deps.StoredResponse)
  const insert = async (): Promise<boolean> => {
    if (isShared) return (await deps.batchers.insertResponse(row, deadlineAt)).inserted
    try {
      await rows.insertOne(row)
      return true
    } catch (error) {
      if (isDuplicate(error)) return false
      throw error
    }
  }
  const outdated = row.refusal
    ? { at: { $lte: since } }
    : { $or: [{ at: { $lte: since } }, { refusal: true }] }
  while (performance.now() < deadlineAt) {
    if (await insert()) return null
    const { _id, ...fields } = row
    if ((await rows.replaceOne({ _id, ...outdated }, fields)).modifiedCount > 0) return null
    // A majority may not have the row yet, or it has just been removed.
    const found = await findRow(deps, _id, since, deadlineAt)
    if (found !== null && (row.refusal || !found.refusal)) return found
  }
  throw unavailable()
}

export const inProgress = (): Refusal => refuse('IDEMPOTENCY_REQUEST_IN_PROGRESS', { retryAfterSeconds: 2 })

/**
 * Runs a write of several documents with `inTransaction`, and stores its response in the same transaction. Throws
 * IDEMPOTENCY_REQUEST_IN_PROGRESS if a twin still holds the row at the deadline.
 */
export async function storeWithin<Act extends { session: mongo.ClientSession }>(
  deps: Pick<Deps, 'StoredResponse'>,
  request: WriteRequest,
  inTransaction: (work: (act: Act) => Promise<FinalResponse>) => Promise<FinalResponse>,
  work: (act: Act) => Promise<unknown>,
): Promise<Result> {
  const { key, arrivedAt } = request
  const [rows, since] = [nativeCollection(deps.StoredResponse), freshSince(arrivedAt)]
  const outdated = { _id: key, at: { $lte: since } }
  let isTwin = false
  const store = async (session: mongo.ClientSession, { _id, ...fields }: StoredResponse): Promise<void> => {
    try {
      await rows.replaceOne(outdated, fields, { upsert: true, session })
    } catch (error) {
      isTwin = isDuplicate(error) || isConflict(error)
      throw error
    }
  }
  /** What refuses the request may be the effect of a twin, which a majority may not show yet. */
  const refused = async (error: unknown, session: mongo.ClientSession): Promise<never> => {
    const effect = { _id: key, at: { $gt: since } }
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
    throw isTwin ? inProgress() : error
  }
}
