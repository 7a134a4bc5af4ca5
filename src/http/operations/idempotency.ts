import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Request } from 'express'
import { stringify } from 'safe-stable-stringify'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type ErrorCode, Refusal, refuse, unavailable } from '../../errors.ts'
import { claims, responseField } from '../../idempotency/claim.ts'
import {
  attemptClaim,
  type Claimed,
  type FirstResponse,
  giveUp,
  keepResponse,
  recallFirst,
  recheckClaim,
  reclaim,
} from '../../idempotency/compete.ts'
import { doneBefore, type Effect, type ThirdPartyStep } from '../../idempotency/effect.ts'
import type { Recall } from '../../idempotency/recall.ts'
import type { Cause } from '../../outbox/event.ts'
import { withinSandboxResponses } from '../../quotas/sandbox-responses.ts'
import type { SealedField } from '../../security/seal.ts'
import { inSpan } from '../../tracing/in-span.ts'
import { type ApiResponse, failure, success } from '../responses/envelope.ts'
import type { Deadline } from '../server/deadline.ts'

/** How long a duplicate waits for the first request's response, and how often it checks for it. */
const maxWaitMs = 10_000
const checkEveryMs = 100
/**
 * Nearly every request finishes within this time. Duplicates that wait longer check less often, and a business may have
 * at most `maxLongWaits` of them.
 */
const longWaitMs = 1_000
const longWaitCheckEveryMs = 500
const maxLongWaits = 20
/**
 * The 8 s that a request may wait for MongoDB, plus 2 s to spare. A duplicate waits just as long, so it can take over a
 * claim whose lease has expired.
 */
const claimLeaseMs = 10_000
/** Added to the maximum duration of the third-party step, to allow for the work before and after it. */
const thirdPartyGraceMs = 5000
const maxKeyLength = 255
/** A stored response consists of its three-digit status followed by its body. */
const statusLength = 3

/** A write operation. Requests with the same API key, method, path and idempotency key count as one write. */
export interface Write {
  key: string
  method: string
  path: string
  /** The input. A duplicate with different input gets the stored response and a header that reports the mismatch. */
  params: unknown
  status: number
  /** The error for an unreadable body, or null. The error response is not stored (order of checks, 11). */
  unread: Refusal | null
  recall: Recall | null
  /** The maximum duration of the third-party step that `run` returns. Null if `run` returns the data itself. */
  thirdPartyMs: number | null
  cause: Cause
  run(effect: Effect): Promise<unknown>
}

/** Returns the idempotency key. Throws if it is missing, blank, too long or sent more than once (SPEC 5.4). */
export function idempotencyKey(req: Request): string {
  const values = req.headersDistinct['x-idempotency-key'] ?? []
  if (values.length > 1) throw refuse('IDEMPOTENCY_KEY_INVALID')
  const key = headerText(values[0] ?? '').trim()
  if (key === '') throw refuse('IDEMPOTENCY_KEY_REQUIRED')
  if (Array.from(key).length > maxKeyLength) throw refuse('IDEMPOTENCY_KEY_INVALID')
  return key
}

const asUtf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Decodes a header that Node read as Latin-1, because most callers send UTF-8. A value that is not valid UTF-8 stays as
 * it is, so that no two keys collide.
 */
function headerText(latin1: string): string {
  try {
    return asUtf8.decode(Buffer.from(latin1, 'latin1'))
  } catch {
    return latin1
  }
}

/** The request has run, but its claim is gone or now belongs to another request. */
interface Lost {
  state: 'lost'
  /** The response from the request's own run. */
  own: ApiResponse
}

/**
 * Runs a write only once, even if its request is sent several times. The steps are claim, effect and response
 * (docs/merchants/retries.md). A duplicate waits for the running request's response. A retry after a crash finds the
 * effect and returns its result. A request that has run under one effect id never runs under another.
 */
export async function runOnce(
  deps: Deps,
  caller: Caller,
  deadline: Deadline,
  write: Write,
): Promise<ApiResponse> {
  const id = digest(JSON.stringify([caller.keyId, write.method, write.path, write.key]))
  const paramsHash = digest(stringify(write.params) ?? '')
  const { recall, thirdPartyMs } = write
  const request = {
    id,
    paramsHash,
    recall,
    leaseMs: thirdPartyMs === null ? claimLeaseMs : thirdPartyMs + thirdPartyGraceMs,
    arrivedAt: deps.now(),
  }
  const beganAtMs = performance.now()
  let check = (deadlineAt: number): Promise<Claimed | Lost> => attemptClaim(deps, request, deadlineAt)
  for (let waited = false; ; waited = true) {
    const claimed = await deadline.run(check)
    if (claimed.state === 'lost') return claimed.own
    if (claimed.state === 'finished') {
      if (waited) await deadline.run((deadlineAt) => deps.batchers.noteReplay(id, deadlineAt))
      const { first } = claimed
      // A computed response is never large enough to be delayed.
      if (first.kind === 'stored') await deps.readPace.pass(caller.businessId, first.sealedResponse.length)
      return replay(deps, write, first, claimed.paramsHash !== paramsHash)
    }
    if (claimed.state === 'held') {
      const { effectId } = claimed
      const held = { id, ...claimed }
      const { response: own, isKept } = await withinSandboxResponses(deps, caller, () =>
        runHolding(deps, caller, deadline, write, held),
      ).catch((error: unknown) => {
        giveUp(deps, held).catch(() => undefined)
        throw error
      })
      if (isKept) return own
      check = async (deadlineAt) =>
        (await reclaim(deps, request, effectId, deadlineAt)) ?? { state: 'lost', own }
    } else if (!waited) check = (deadlineAt) => recheckClaim(deps, request, deadlineAt)
    await waitToCheck(deps, caller, performance.now() - beganAtMs)
  }
}

const inProgress = (): Refusal => refuse('IDEMPOTENCY_REQUEST_IN_PROGRESS', { retryAfterSeconds: 2 })

/**
 * Waits before the next check. Throws IDEMPOTENCY_REQUEST_IN_PROGRESS if the duplicate has waited too long, or if too
 * many duplicates from its business are already waiting.
 */
async function waitToCheck({ longWaits }: Deps, { businessId }: Caller, waitedMs: number): Promise<void> {
  if (waitedMs < longWaitMs) return pause(checkEveryMs)
  const waiting = longWaits.get(businessId) ?? 0
  if (waitedMs > maxWaitMs || waiting >= maxLongWaits) throw inProgress()
  longWaits.set(businessId, waiting + 1)
  await pause(longWaitCheckEveryMs)
  const left = (longWaits.get(businessId) ?? 1) - 1
  if (left > 0) longWaits.set(businessId, left)
  else longWaits.delete(businessId)
}

/**
 * Runs the operation. If the request lost its claim in the meantime, `isKept` is false and the claim must be read
 * again.
 */
async function runHolding(
  deps: Deps,
  { sandbox, businessId }: Caller,
  deadline: Deadline,
  write: Write,
  held: { id: string; token: string; effectId: string },
): Promise<{ response: ApiResponse; isKept: boolean }> {
  const sealed = ({ status, body }: ApiResponse, field: SealedField) =>
    deps.secrets.seal(Buffer.concat([Buffer.from(String(status)), body]), field)
  // A create that seals its response also sends that same response, so the stored and the sent bytes are identical.
  let createdResponse: ApiResponse | null = null
  const seal = (data: unknown) => {
    if (write.recall?.kind !== 'stored')
      throw new Error('A route that seals its response must recall a stored one.')
    createdResponse = success(write.status, data)
    return sealed(createdResponse, responseField(write.recall.collection, held.effectId))
  }
  let response: ApiResponse
  try {
    const data = await inSpan(deps, 'operation', write.cause.traceparent, () =>
      operate(deadline, write, { id: held.effectId, seal }),
    )
    if (data === doneBefore)
      return { response: await recallEarlier(deps, deadline, write, held), isKept: true }
    response = createdResponse ?? success(write.status, data)
    // The document that a create inserts contains its response, or everything needed to compute the response.
    if (write.recall !== null) return { response, isKept: true }
  } catch (error) {
    if (error === write.unread || !isFinal(error)) throw error
    response = failure(error, write.cause.requestId)
  }
  const kept = {
    sealedResponse: sealed(response, responseField(claims.name, held.id)),
    ...(sandbox ? { sandboxOf: businessId } : {}),
  }
  const isKept = await deadline.run((deadlineAt) => keepResponse(deps, held, kept, deadlineAt))
  return { response, isKept }
}

/**
 * Returns the response from an earlier attempt that already created the document. The document is found by the effect
 * id that both attempts share, so the claim need not exist.
 */
async function recallEarlier(
  deps: Deps,
  deadline: Deadline,
  write: Write,
  { id, effectId }: { id: string; effectId: string },
): Promise<ApiResponse> {
  const first = await deadline.run(() => recallFirst(deps, write.recall, effectId))
  if (first === null) throw unavailable()
  await deadline.run((deadlineAt) => deps.batchers.noteReplay(id, deadlineAt))
  return replay(deps, write, first, false)
}

async function operate(
  deadline: Deadline,
  { cause, thirdPartyMs, run }: Write,
  effect: Pick<Effect, 'id' | 'seal'>,
): Promise<unknown> {
  const begun = await deadline.run((deadlineAt) => run({ ...effect, deadlineAt, cause }))
  return thirdPartyMs === null || begun === doneBefore ? begun : (begun as ThirdPartyStep)(deadline.run)
}

/** Whether an error is the request's final response. Any other error invites a retry. */
const isFinal = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.statusCode < 500 && error.code !== 'RATE_LIMITED'

function replay(deps: Deps, { status }: Write, first: FirstResponse, otherParams: boolean): ApiResponse {
  const response = first.kind === 'stored' ? unseal(deps, first) : success(status, first.data)
  const mismatch = otherParams ? { 'Idempotent-Params-Mismatch': 'true' } : {}
  return { ...response, headers: { 'Idempotent-Replayed': 'true', ...mismatch } }
}

function unseal(
  { secrets }: Deps,
  { sealedResponse, field }: Extract<FirstResponse, { kind: 'stored' }>,
): Omit<ApiResponse, 'headers'> {
  const stored = secrets.unsealBytes(sealedResponse, field)
  const [status, body] = [Number(stored.toString('latin1', 0, statusLength)), stored.subarray(statusLength)]
  const code = status >= 400 ? (JSON.parse(body.toString()).error.code as ErrorCode) : null
  return { status, code, body }
}

const digest = (text: string): string => hash('sha256', text, 'base64url')
