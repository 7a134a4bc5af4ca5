import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Request } from 'express'
import { stringify } from 'safe-stable-stringify'
import { byCaller, type Caller } from '../../businesses/caller.ts'
import { checkLargeRow, countStorage } from '../../businesses/quotas.ts'
import * as idempotency from '../../idempotency/request.ts'
import { measureBson } from '../../mongo/collection.ts'
import type { Deps } from '../../platform/deps.ts'
import { type ErrorCode, Refusal, refuse } from '../../platform/errors.ts'
import { type CausingRequest, runInSpan } from '../../tracing/tracing.ts'
import { type ApiResponse, failureResponse, successResponse } from '../responses/envelope.ts'
import type { Deadline } from '../server/timeouts.ts'
import type { WriteRoute } from './route.ts'

const maxKeyLength = 255
/** A committed response may take this long to become visible. */
const lookAgainMs = 20

/** Digests are short, because every intent keeps some of them forever. */
const keyLength = 32
const paramsLength = 22

export interface IdempotentWrite {
  route: Omit<WriteRoute, 'run'>
  /** Decoded, so that differently encoded paths count as the same request. */
  params: Record<string, string>
  key: string
  /** A retry with a different input still gets the first response. */
  input: unknown
  status: number
  /** Never stored, because the client will retry with a readable body. */
  unread: Refusal | undefined
  cause: CausingRequest
  run(request: idempotency.WriteRequest): Promise<idempotency.OperationResult>
}

export function readIdempotencyKey(req: Request): string {
  const values = req.headersDistinct['x-idempotency-key'] ?? []
  if (values.length > 1) throw refuse('IDEMPOTENCY_KEY_INVALID')
  const key = headerText(values[0] ?? '').trim()
  if (key === '') throw refuse('IDEMPOTENCY_KEY_REQUIRED')
  if (Array.from(key).length > maxKeyLength) throw refuse('IDEMPOTENCY_KEY_INVALID')
  return key
}

const asUtf8 = new TextDecoder('utf-8', { fatal: true })

/** Node.js decodes headers as Latin-1, but clients send UTF-8. */
function headerText(latin1: string): string {
  try {
    return asUtf8.decode(Buffer.from(latin1, 'latin1'))
  } catch {
    return latin1
  }
}

/** A repeated write returns the same bytes ("Idempotency", architecture.md). */
export async function runWriteOnce(
  deps: Deps,
  caller: Caller,
  deadline: Deadline,
  write: IdempotentWrite,
): Promise<ApiResponse> {
  const { route, params, cause, unread } = write
  const paramsHash = digest(stringify(write.input) ?? '', paramsLength)
  const arrivedAt = deps.now()
  const since = idempotency.freshKeysSince(arrivedAt)
  const path = JSON.stringify([route.path, params])
  const key = digest(JSON.stringify([caller.keyId, route.method, path, write.key]), keyLength)

  const store = async (row: idempotency.StoredResponse) => {
    if (row.refusal) await checkLargeRow(deps, caller, measureBson(row))
    const isShared = route.findEffect !== undefined
    const there = await deadline.run((deadlineAt) =>
      idempotency.storeResponse(deps, row, { since, isShared, deadlineAt }),
    )
    if (there === null) countStorage(deps, caller, { bytes: measureBson(row) })
    return there
  }
  const find = () =>
    deadline.run((deadlineAt) => idempotency.findStoredResponse(deps, key, since, deadlineAt))
  const findEffect = async (deadlineAt: number) =>
    (await route.findEffect?.(deps, caller, params, request(deadlineAt))) ?? null
  const repeat = (row: idempotency.StoredResponse): idempotency.OperationResult => {
    return { kind: 'stored', response: idempotency.decryptResponse(deps, row), repeats: row }
  }

  /** A concurrent request's effect wins over a stored error. */
  async function lookUp(deadlineAt: number): Promise<idempotency.OperationResult | null> {
    const row = await idempotency.findStoredResponse(deps, key, since, deadlineAt)
    if (row === null) return null
    return (row.refusal ? await findEffect(deadlineAt) : null) ?? repeat(row)
  }
  const looking = lookUp(deadline.endsAt())
  looking.catch(() => undefined)
  let storedBytes = 0

  const request = (deadlineAt: number): idempotency.WriteRequest => ({
    key,
    by: byCaller(caller),
    paramsHash,
    arrivedAt,
    deadlineAt,
    cause,
    earlier: () => looking,
    build(data) {
      const response = successResponse(write.status, data)
      const row = idempotency.encryptResponse(deps, key, response, {
        paramsHash,
        at: deps.now(),
        refusal: false,
      })
      storedBytes = measureBson(row)
      return { response, row }
    },
  })

  async function afterError(error: unknown): Promise<idempotency.OperationResult | ApiResponse> {
    const own =
      error instanceof Refusal && error !== unread && isFinal(error)
        ? failureResponse(error, cause.requestId)
        : null
    try {
      const earlier = await deadline.run(() => looking)
      if (earlier !== null) return earlier
      const there =
        own &&
        (await store(
          idempotency.encryptResponse(deps, key, own, { paramsHash, at: deps.now(), refusal: true }),
        ))
      const done = await deadline.run(findEffect)
      if (done !== null) return done
      const row = there ?? (own === null ? await findLater(error) : null)
      if (row !== null) return repeat(row)
      if (own !== null) return own
    } catch (second) {
      // A retryable first error tells the client more than `second`.
      if (own !== null) throw second
    }
    throw error
  }

  /** Waits until a majority of servers has the concurrent request's row. */
  async function findLater(error: unknown): Promise<idempotency.StoredResponse | null> {
    const isTwin = error instanceof Refusal && error.code === 'IDEMPOTENCY_REQUEST_IN_PROGRESS'
    for (;;) {
      const row = await find()
      if (row !== null || !isTwin) return row
      await deadline.run(() => pause(lookAgainMs))
    }
  }

  async function conclude(result: idempotency.OperationResult): Promise<ApiResponse> {
    if (result.kind === 'stored') {
      const { response, repeats } = result
      if (repeats === null) {
        countStorage(deps, caller, { bytes: storedBytes })
        return { ...response, code: null, headers: {} }
      }
      await deps.capacity.paceWork(caller.businessId, response.body.length)
      return repeated(response, repeats.paramsHash !== paramsHash)
    }
    const { kind, data: begun } = result
    const data =
      typeof begun === 'function' ? await (begun as idempotency.ThirdPartyStep)(deadline.run) : begun
    if (data instanceof Refusal && !isFinal(data)) throw data
    const response =
      data instanceof Refusal ? failureResponse(data, cause.requestId) : successResponse(write.status, data)
    const about = kind === 'effect' ? result : { at: deps.now(), paramsHash, isRepeat: false }
    const isKnown = route.storesNoRow && !(about.isRepeat && (await find())?.refusal === true)
    const { at, isRepeat } = about
    // A request that changed nothing must not replace another's response.
    const row = idempotency.encryptResponse(deps, key, response, {
      at,
      paramsHash: about.paramsHash,
      refusal: kind === 'none',
    })
    const there = isKnown ? null : await store(row)
    if (there !== null && (isRepeat || kind === 'none')) return conclude(repeat(there))
    if (there !== null) return { ...response, ...idempotency.decryptResponse(deps, there) }
    return isRepeat ? repeated(response, about.paramsHash !== paramsHash) : response
  }

  return runInSpan(deps, 'operation', cause.traceparent, async () => {
    const run = () =>
      deadline.run(
        async (deadlineAt) => (route.looksItself ? null : await looking) ?? write.run(request(deadlineAt)),
      )
    const result = await run().catch(afterError)
    return 'kind' in result ? conclude(result) : result
  })
}

/** The last one means that a person's session has ended since the page began. */
const repeatable: readonly ErrorCode[] = [
  'RATE_LIMITED',
  'IDEMPOTENCY_REQUEST_IN_PROGRESS',
  'API_ACCESS_NOT_ACTIVE',
]

/** If an error isn't final, the client may send the request again. */
const isFinal = ({ statusCode, code }: Refusal): boolean => statusCode < 500 && !repeatable.includes(code)

function repeated({ status, body }: idempotency.FinalResponse, otherParams: boolean): ApiResponse {
  const code = status >= 400 ? (JSON.parse(body.toString()).error.code as ErrorCode) : null
  const mismatch = otherParams ? { 'Idempotent-Params-Mismatch': 'true' } : {}
  return { status, code, body, headers: { 'Idempotent-Replayed': 'true', ...mismatch } }
}

const digest = (text: string, length: number): string => hash('sha256', text, 'base64url').slice(0, length)
