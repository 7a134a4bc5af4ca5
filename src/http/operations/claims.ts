import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
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

/**
 * How long a duplicate request waits for the first request's response, and how often it checks whether the response is
 * available.
 */
const maxWaitMs = 10_000
const checkEveryMs = 100
/**
 * Nearly every request finishes within this time. Duplicates that have waited longer check less often, and each
 * business may have at most `maxLongWaits` of them.
 */
const longWaitMs = 1_000
const longWaitCheckEveryMs = 500
const maxLongWaits = 20
/**
 * How long a request's lease on its claim lasts: the 8 s that the request may wait for MongoDB, plus a margin of 2 s. A
 * duplicate also waits for up to 10 s (`maxWaitMs`), so it can take over the claim once this lease has expired.
 */
const claimLeaseMs = 10_000
/**
 * If an operation has a third-party step, its lease lasts this much longer than the step may take, to allow for the
 * work before and after the step.
 */
const thirdPartyGraceMs = 5000
/** The length of the status in a stored response, which consists of the three-digit status followed by the body. */
const statusLength = 3

/** A write operation. Requests with the same API key, method, path and idempotency key count as one write. */
export interface Write {
  key: string
  method: string
  path: string
  /**
   * The input. A duplicate with different input receives the stored response and a header that reports the mismatch.
   */
  params: unknown
  status: number
  /**
   * The error to return if the body is unreadable, otherwise null. This error response is not stored (step 11 in the
   * order of checks, docs/maintainers/decisions.md).
   */
  unread: Refusal | null
  recall: Recall | null
  isNeverLimited: boolean
  /** The maximum duration of the third-party step that `run` resolves to. Null if `run` resolves to data instead. */
  thirdPartyMs: number | null
  cause: Cause
  run(effect: Effect): Promise<unknown>
}

/** The request has run, but its claim no longer exists or now belongs to a different request. */
interface Lost {
  state: 'lost'
  /** The response that this request produced itself. */
  own: ApiResponse
}

/**
 * Runs a write only once, even if its request is sent several times. The steps are claim, effect and response
 * (docs/merchants/retries.md). A duplicate waits for the response of the request that is running. A retry after a crash
 * finds the effect that has already been recorded and returns its result. Once a request has run under one effect id,
 * it never runs under a different one.
 */
export async function runClaimed(deps: Deps, caller: Caller, deadline: Deadline, write: Write): Promise<ApiResponse> {
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
      // Only a stored response has to wait for `readPace`, because a response that is computed from a document is never
      // large.
      if (first.kind === 'stored') await deps.readPace.pass(caller.businessId, first.sealedResponse.length)
      return replay(deps, write, first, claimed.paramsHash !== paramsHash)
    }
    if (claimed.state === 'held') {
      const { effectId } = claimed
      const held = { id, ...claimed }
      const { response: own, isKept } = await withinSandboxResponses(deps, caller, write, () =>
        runHolding(deps, caller, deadline, write, held),
      ).catch((error: unknown) => {
        giveUp(deps, held).catch(() => undefined)
        throw error
      })
      if (isKept) return own
      check = async (deadlineAt) => (await reclaim(deps, request, effectId, deadlineAt)) ?? { state: 'lost', own }
    } else if (!waited) check = (deadlineAt) => recheckClaim(deps, request, deadlineAt)
    await waitToCheck(deps, caller, performance.now() - beganAtMs)
  }
}

const inProgress = (): Refusal => refuse('IDEMPOTENCY_REQUEST_IN_PROGRESS', { retryAfterSeconds: 2 })

/**
 * Waits before the next check. Throws IDEMPOTENCY_REQUEST_IN_PROGRESS if the duplicate has waited too long, or if too
 * many of the business's duplicates are already waiting.
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
 * Runs the operation. If the request has lost its claim in the meantime, `isKept` is false and the caller must read the
 * claim again.
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
  // If the operation builds a response in order to store it, that same response is sent, so that the stored bytes and
  // the sent bytes are identical.
  let createdResponse: ApiResponse | null = null
  const seal = (data: unknown) => {
    if (write.recall?.kind !== 'stored') throw new Error('A route that seals its response must recall a stored one.')
    createdResponse = success(write.status, data)
    return sealed(createdResponse, responseField(write.recall.collection, held.effectId))
  }
  let response: ApiResponse
  try {
    const data = await inSpan(deps, 'operation', write.cause.traceparent, () =>
      operate(deadline, write, { id: held.effectId, seal }),
    )
    if (data === doneBefore) return { response: await recallEarlier(deps, deadline, write, held), isKept: true }
    response = createdResponse ?? success(write.status, data)
    // No response is stored with the claim, because the created document contains the response or everything needed to
    // compute it.
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
 * id that both attempts share, so the claim is not needed.
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

/** Whether an error is the request's final response. After any other error, the client may retry the request. */
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
