import type { Call, What } from '../../evidence/evidence.ts'
import { refusalOf } from './answers.ts'
import { groupsOf } from './groups.ts'
import type { Times } from './times.ts'

/** All tries of one write: API key, method, path and idempotency key make it one, for 24 hours (SPEC 5.4). */
export interface Request {
  what: What
  business: string
  sandbox: boolean
  path: string
  idempotencyKey: string
  /** In the order in which they began. */
  tries: Call[]
  /** The first that came back with an answer that stays; null: nobody knows what became of it. */
  settled: Call | null
  /** The key lived past its day: as new, it may have run again, and nobody can tell which try ran in which life. */
  isAcrossDays: boolean
}

const dayMs = 24 * 3_600_000
/** A write that was given up by its client may still act so much later: the timeouts of a request, and of MongoDB. */
export const lateMs = 30_000

/** The writes of merchants, each with all its tries. */
export function requestsOf(calls: Call[], { aheadAt }: Pick<Times, 'aheadAt'>): Request[] {
  const writes = calls.filter(({ idempotencyKey, business }) => idempotencyKey !== null && business !== null)
  const bySlot = groupsOf(writes, (call) =>
    JSON.stringify([
      call.keyId ?? [call.business, call.sandbox],
      call.method,
      pathOf(call),
      call.idempotencyKey,
    ]),
  )
  const shownAfter = ({ ended, status, clockAheadMs }: Call): number =>
    status === null ? ended + lateMs + aheadAt(ended + lateMs).to : ended + clockAheadMs[1]
  return [...bySlot.values()].flatMap((tries) => {
    const first = tries[0]
    const isAcrossDays = tries.some(
      (call) => first !== undefined && shownAfter(call) - shownAt(first) >= dayMs,
    )
    return livesOf(tries).map((life) => asRequest(life, isAcrossDays))
  })
}

const pathOf = ({ path }: Call): string => path.split('?', 1)[0] ?? path

/** A key is as new after a day of the service's clock. */
function livesOf(tries: Call[]): Call[][] {
  const lives: Call[][] = []
  for (const call of tries) {
    const first = lives.at(-1)?.[0]
    const isNew = first === undefined || shownAt(call) - shownAt(first) >= dayMs
    if (isNew) lives.push([call])
    else lives.at(-1)?.push(call)
  }
  return lives
}

const shownAt = ({ began, clockAheadMs }: Call): number => began + clockAheadMs[0]

function asRequest(tries: Call[], isAcrossDays: boolean): Request {
  const first = tries[0] as Call
  return {
    what: first.what,
    business: first.business ?? '',
    sandbox: first.sandbox ?? false,
    path: pathOf(first),
    idempotencyKey: first.idempotencyKey ?? '',
    tries,
    isAcrossDays,
    settled: tries.toSorted((one, other) => one.ended - other.ended).find(isSettled) ?? null,
  }
}

/** Decided before the idempotency key is looked at, or a body that could not be read: nothing is kept of these. */
const beforeKeys = new Set([
  'MISSING_CREDENTIALS',
  'INVALID_AUTH_HEADER',
  'INVALID_API_KEY',
  'API_ACCESS_NOT_ACTIVE',
  'LIVE_ACCESS_NOT_APPROVED',
  'SECRET_KEY_REQUIRED',
  'SCOPE_REQUIRED',
  'IP_NOT_ALLOWED',
  'SANDBOX_ONLY',
  'IDEMPOTENCY_KEY_REQUIRED',
  'IDEMPOTENCY_KEY_INVALID',
  'IDEMPOTENCY_REQUEST_IN_PROGRESS',
  'RATE_LIMITED',
  'INVALID_JSON',
  'UNSUPPORTED_MEDIA_TYPE',
  'PAYLOAD_TOO_LARGE',
  'REQUEST_TIMEOUT',
])

/** Whether the answer is one that stays: every 2xx, and 4xx about fields, the resource or its state. */
export function isSettled(call: Call): boolean {
  const { status } = call
  if (status === null || status >= 500) return false
  return status < 300 || !beforeKeys.has(refusalOf(call)?.code ?? '')
}

/** A write that was done as far as its merchant knows. */
export const isDone = ({ settled }: Request): boolean =>
  settled?.status !== undefined && (settled.status ?? 500) < 300

/** A write that may have been done or not, or once more than was answered; its calls may act even after they were given up. */
export const isUnknown = ({ settled, tries, isAcrossDays }: Request): boolean =>
  isAcrossDays ||
  (settled === null && tries.some(({ status, answer }) => status === null || mayHaveActed(status, answer)))

/** How often a write may have been done beyond what was answered: once in each of two lives of its key, and by each try once. */
export function mostBeyond(request: Request): number {
  if (!isUnknown(request)) return 0
  if (!request.isAcrossDays) return 1
  return Math.min(2, request.tries.length) - (isDone(request) ? 1 : 0)
}

/** A 5xx, or a 409 that says somebody is at it, leaves it open. */
const mayHaveActed = (status: number, answer: unknown): boolean =>
  status >= 500 || refusalOf({ answer })?.code === 'IDEMPOTENCY_REQUEST_IN_PROGRESS'
