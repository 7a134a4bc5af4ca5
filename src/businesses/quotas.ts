import type { RateLimitScope } from '../../schemas/responses/failure.ts'
import type { Config } from '../config/config.ts'
import type { OperationResult } from '../idempotency/request.ts'
import { refuseUsedUp } from '../limits/counter.ts'
import type { LimitSummary } from '../limits/limit.ts'
import type { Deps } from '../platform/deps.ts'
import { Refusal } from '../platform/errors.ts'
import { startOfUtcDay, utcDayNumber } from '../platform/time.ts'
import { type BusinessLimits, unsetLimits } from './business.ts'
import type { Caller } from './caller.ts'

interface QuotaInfo extends LimitSummary {
  setBy: string
  scope: RateLimitScope
  limit(config: Config, limits: BusinessLimits): number | null
  message(limit: number): string
}

const ofBusiness = (name: Exclude<keyof BusinessLimits, 'perSecond' | 'liveCodes'>) => ({
  setBy: name.replaceAll(/[A-Z]/g, '_$&').toUpperCase(),
  metric: 'business_quota_used_ratio',
  limit: (config: Config, own: BusinessLimits) => own[name] ?? config[name],
})

const storage = (keys: string, what: string, name: Parameters<typeof ofBusiness>[0]): QuotaInfo => ({
  ...ofBusiness(name),
  what: `What ${keys} keys store per UTC day, in ${what}`,
  gets: '429 `storage`',
  scope: 'storage',
  message: (limit) =>
    `This business's ${keys} keys can store ${limit} ${what} per UTC day. Try again tomorrow (UTC). Until then, you can still cancel, refund and delete.`,
})

const auditLines = (keys: string): QuotaInfo => ({
  what: 'Audit lines per UTC day, counted separately for live and test keys',
  gets: '429 `audit`',
  setBy: 'AUDIT_LINES_PER_DAY',
  scope: 'audit',
  limit: (config) => config.auditLinesPerDay,
  message: (limit) =>
    `A business's ${keys} keys can make ${limit} endpoint changes, delivery retries and event replays per UTC day. Try again tomorrow (UTC).`,
})

/** All quotas are per UTC day. */
export const quotas = {
  liveDocuments: storage('live', 'documents', 'liveDocumentsPerDay'),
  liveBytes: storage('live', 'bytes', 'liveBytesPerDay'),
  sandboxBytes: storage('test', 'bytes', 'sandboxBytesPerDay'),
  sandboxCreates: {
    ...ofBusiness('sandboxIntentsPerDay'),
    what: 'Intents, orders and products that test keys create per UTC day',
    gets: '429 `sandbox`',
    scope: 'sandbox',
    message: (limit) =>
      `This business's test keys can create ${limit} intents, orders and products per UTC day. Try again tomorrow (UTC).`,
  },
  liveAuditLines: auditLines('live'),
  sandboxAuditLines: auditLines('test'),
} as const satisfies Record<string, QuotaInfo>

export type QuotaName = keyof typeof quotas
type Owner = Pick<Caller, 'businessId' | 'sandbox' | 'limits'>
type Environment = Omit<Owner, 'limits'>
type CountDeps = Pick<Deps, 'counters' | 'config'>
export type QuotaDeps = CountDeps & Pick<Deps, 'now'>
type Amounts = readonly (readonly [name: QuotaName, amount: number])[]

export const quotaLimit = ({ config }: Pick<Deps, 'config'>, name: QuotaName, limits: BusinessLimits) =>
  quotas[name].limit(config, limits) || null

/** Releases unused amounts, unless the outcome is unknown. */
async function withinQuotas<T>(
  deps: QuotaDeps,
  caller: Owner,
  act: (reserve: (amounts: Amounts) => Promise<void>) => Promise<T>,
  isUsed: (result: T) => boolean,
): Promise<T> {
  const spent = new Map<QuotaName, number>()
  const day = utcDayNumber(deps.now())
  let needed: Amounts = []
  const giveBack = (used: Amounts): void => {
    if (utcDayNumber(deps.now()) !== day) return
    for (const [name, amount] of used) spent.set(name, (spent.get(name) ?? 0) - amount)
    for (const [name, amount] of spent) count(deps, caller, [[name, -amount]])
  }
  try {
    const result = await act(async (amounts) => {
      needed = amounts
      for (const [name, amount] of amounts) {
        const more = amount - (spent.get(name) ?? 0)
        if (more <= 0) continue
        await spend(deps, caller, name, more)
        spent.set(name, amount)
      }
    })
    giveBack(isUsed(result) ? needed : [])
    return result
  } catch (error) {
    const isKnown = error instanceof Refusal && (error.statusCode < 500 || error.extras.changedNothing)
    if (isKnown) giveBack([])
    throw error
  }
}

async function spend(deps: QuotaDeps, { businessId, limits }: Owner, name: QuotaName, amount: number) {
  const limit = quotaLimit(deps, name, limits)
  if (limit === null || (await deps.counters.spend({ name, owner: businessId, limit }, amount))) return
  const { scope, message } = quotas[name]
  const now = deps.now()
  throw refuseUsedUp(message(limit), { scope, limit }, { freeAt: startOfUtcDay(utcDayNumber(now) + 1), now })
}

function count(
  deps: CountDeps,
  { businessId, limits = unsetLimits }: Pick<Owner, 'businessId'> & Partial<Owner>,
  amounts: Amounts,
): void {
  for (const [name, amount] of amounts)
    if (amount !== 0 && quotaLimit(deps, name, limits) !== null)
      deps.counters.count({ name, owner: businessId }, amount)
}

/** `creates` are intents, orders and products. */
type StorageAmounts = { creates?: number; others?: number; bytes: number }

const bytesQuota = ({ sandbox }: Environment): QuotaName => (sandbox ? 'sandboxBytes' : 'liveBytes')

const storageAmounts = (owner: Environment, { creates = 0, others = 0, bytes }: StorageAmounts): Amounts => [
  owner.sandbox ? ['sandboxCreates', creates] : ['liveDocuments', creates + others],
  [bytesQuota(owner), bytes],
]

export type ReserveStorage = (stored: StorageAmounts) => Promise<void>

/** `reserve` throws RATE_LIMITED once the quota is used up. */
export const withStorageQuota = (
  deps: QuotaDeps,
  caller: Owner,
  act: (reserve: ReserveStorage) => Promise<OperationResult>,
): Promise<OperationResult> =>
  withinQuotas(
    deps,
    caller,
    (reserve) => act((stored) => reserve(storageAmounts(caller, stored))),
    hasNewEffect,
  )

/** Enough for an ordinary product or intent. */
const smallRowBytes = 4096

/** Without this, a key could store 700 GB a day by changing a large product. */
export async function checkLargeRow(deps: QuotaDeps, caller: Owner, bytes: number): Promise<void> {
  if (bytes > smallRowBytes) await spend(deps, caller, bytesQuota(caller), 1)
}

/** False if an earlier request with the same key has already done the work. */
export const hasNewEffect = (result: OperationResult): boolean =>
  (result.kind === 'effect' && !result.isRepeat) || (result.kind === 'stored' && result.repeats === null)

/** Never refuses, because the documents are already stored. */
export const countStorage = (deps: CountDeps, owner: Environment, stored: StorageAmounts): void =>
  count(deps, owner, storageAmounts(owner, stored))

const auditLineOf = ({ sandbox }: Environment): Amounts => [
  [sandbox ? 'sandboxAuditLines' : 'liveAuditLines', 1],
]

/** Audit lines have a quota because they're kept forever. */
export const withAuditQuota = <T>(
  deps: QuotaDeps,
  caller: Owner,
  act: () => Promise<T>,
  addsLine: (result: T) => boolean,
): Promise<T> => withinQuotas(deps, caller, (reserve) => reserve(auditLineOf(caller)).then(act), addsLine)

export const countAuditLine = (deps: CountDeps, owner: Environment): void =>
  count(deps, owner, auditLineOf(owner))
