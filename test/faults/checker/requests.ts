import { groupsOf } from '../../invariants/groups.ts'
import type { Call, What } from '../evidence/evidence.ts'
import { errorOf, isReplay } from './responses.ts'
import { lateMs, type Times } from './times.ts'

/** All calls of one write: the same API key, method, path and idempotency key within 24 hours (SPEC 5.4). */
export interface Request {
  what: What
  businessId: string
  sandbox: boolean
  path: string
  idempotencyKey: string
  calls: Call[]
  began: number
  ended: number
  /** The first call whose response is stored and not overtaken. Null if the outcome is unknown. */
  settled: Call | null
  /** The key was in use for more than 24 hours, so the write may have run once more. */
  isAcrossDays: boolean
}

const dayMs = 24 * 3_600_000

export function requestsOf(calls: Call[], { aheadAt }: Pick<Times, 'aheadAt'>): Request[] {
  const writes = calls.filter(({ idempotencyKey, business }) => idempotencyKey !== null && business !== null)
  const slots = groupsOf(writes, ({ keyId, method, path, idempotencyKey }) =>
    [keyId, method, path.split('?', 1)[0], idempotencyKey].join(' '),
  )
  const serviceTimeAfter = ({ ended, status, clockAheadMs }: Call): number =>
    status === null ? ended + lateMs + aheadAt(ended + lateMs).to : ended + clockAheadMs[1]
  return [...slots.values()].flatMap((all) => {
    const beganAt = shownAt(all[0] as Call)
    const isAcrossDays = all.some((call) => serviceTimeAfter(call) - beganAt >= dayMs)
    return livesOf(all).map((life) => requestOf(life, isAcrossDays))
  })
}

const shownAt = ({ began, clockAheadMs }: Call): number => began + clockAheadMs[0]

function livesOf(calls: Call[]): Call[][] {
  const lives: Call[][] = []
  for (const call of calls) {
    const first = lives.at(-1)?.[0]
    if (first === undefined || shownAt(call) - shownAt(first) >= dayMs) lives.push([call])
    else lives.at(-1)?.push(call)
  }
  return lives
}

function requestOf(calls: Call[], isAcrossDays: boolean): Request {
  const first = calls[0] as Call
  const kept = calls.filter(isSettled).toSorted((one, other) => one.ended - other.ended)
  const settled = kept.find((call) => !isOvertaken(call, calls)) ?? null
  const latest = Math.max(...calls.map(({ ended }) => ended)) + lateMs
  return {
    what: first.what,
    businessId: first.business ?? '',
    sandbox: first.sandbox ?? false,
    path: first.path.split('?', 1)[0] ?? '',
    idempotencyKey: first.idempotencyKey ?? '',
    calls,
    began: first.began,
    ended: isAcrossDays || settled === null ? latest : settled.ended,
    isAcrossDays,
    settled,
  }
}

/** These come before the key is claimed, or without a body, so they aren't stored. */
const notKept = new Set(
  `INVALID_API_KEY SECRET_KEY_REQUIRED SANDBOX_ONLY IDEMPOTENCY_REQUEST_IN_PROGRESS
  RATE_LIMITED INVALID_JSON REQUEST_TIMEOUT`.split(/\s+/),
)

export const isSettled = (call: Call): boolean =>
  call.status !== null && call.status < 500 && (call.status < 300 || !notKept.has(errorOf(call)?.code ?? ''))
const outcomes = ['REFUND_FAILED', 'PAYMENT_FAILED']
const isEffect = (call: Call): boolean =>
  isSettled(call) && ((call.status ?? 500) < 300 || outcomes.includes(errorOf(call)?.code ?? ''))

/** Refused while a concurrent duplicate was running, which then took effect. Later calls get that call's response. */
export function isOvertaken(call: Call, calls: Call[]): boolean {
  const endOf = ({ status, ended }: Call): number => (status === null ? ended + lateMs : ended)
  const isBeside = (other: Call) => other !== call && other.began < call.ended && endOf(other) > call.began
  if (isEffect(call) || !calls.some(isBeside)) return false
  const later = calls.filter((other) => isEffect(other) && other.ended > call.ended)
  return later.some((other) => isReplay(other) || isBeside(other))
}

export const isDone = ({ settled }: Request): boolean => (settled?.status ?? 500) < 300

export const isUnknown = ({ settled, calls, isAcrossDays }: Request): boolean =>
  isAcrossDays ||
  (settled === null &&
    calls.some((call) => (call.status ?? 500) >= 500 || errorOf(call)?.code.endsWith('_IN_PROGRESS')))

/** How often the write may have run without a response: once per lifetime of its key, and at most once per call. */
export function maxExtraRuns(request: Request): number {
  if (!isUnknown(request)) return 0
  if (!request.isAcrossDays) return 1
  return Math.min(2, request.calls.length) - (isDone(request) ? 1 : 0)
}
