import { type Business, type BusinessLimits, ratesAt } from '../businesses/business.ts'
import { countKeys, type KeyTotals, lookUpBusiness } from '../businesses/list-businesses.ts'
import { type QuotaName, quotaLimit } from '../businesses/quotas.ts'
import { transitions } from '../intents/lifecycle.ts'
import { countCodesInUse, liveCodeLimitOf } from '../intents/live-codes.ts'
import { getLedgerBalance } from '../ledger/statement.ts'
import { readUsedToday } from '../limits/counter.ts'
import type { Deps } from '../platform/deps.ts'
import type { CommissionRates } from '../wallets/commission.ts'
import { countDeliveries, type DeliveryTotals, maxBacklogCount } from '../webhooks/deliveries/backlog.ts'
import { type EndpointDetails, listEndpointDetails } from '../webhooks/endpoints/endpoint-facts.ts'

export interface BusinessFacts extends Omit<Business, '_id'>, BusinessQuotaUsage, KeyTotals {
  id: string
  /** In basis points. */
  commissionRates: CommissionRates
  endpoints: EndpointDetails[]
  /** Includes deliveries to deleted endpoints. */
  deliveries: DeliveryTotals
  /** Counts of PENDING payment intents, each up to `maxBacklogCount`. */
  pendingPayments: { live: number; test: number }
  /** What the service owes the business, in centimes. */
  balance: { live: number; test: number }
}

type Counted = 'Intent' | 'Endpoint' | 'Delivery' | 'Counter'

export async function lookUpBusinessFacts(
  deps: Pick<Deps, Counted | 'Business' | 'ApiKey' | 'LedgerEntry' | 'secrets' | 'config' | 'now'>,
  id: string,
): Promise<BusinessFacts | null> {
  const found = await lookUpBusiness(deps, id)
  if (found === null) return null
  const pending = (sandbox: boolean) =>
    deps.Intent.countDocuments(
      { businessId: id, sandbox, status: { $in: transitions.expire.from } },
      { limit: maxBacklogCount, hint: 'byStatus' },
    )
  const [usages, keys, endpoints, deliveries, pendingPayments, balance] = await Promise.all([
    readQuotaUsage(deps, found),
    countKeys(deps, id),
    listEndpointDetails(deps, id),
    countDeliveries(deps, { businessId: id }),
    inBothModes(pending),
    inBothModes((sandbox) => getLedgerBalance(deps, { businessId: id, sandbox })),
  ])
  const { _id, ...business } = found
  const commissionRates = ratesAt(business.commission, deps.config.commissionRates, deps.now())
  const counts = { ...usages, ...keys, endpoints, deliveries, pendingPayments }
  return { id, ...business, commissionRates, ...counts, balance }
}

async function inBothModes(read: (sandbox: boolean) => Promise<number>) {
  const [live, test] = await Promise.all([read(false), read(true)])
  return { live, test }
}

/** `used` is null if there is no limit, or if counting takes too long. */
export interface QuotaUsage {
  used: number | null
  limit: number | null
  left: number | null
}

type DailyQuota = [usage: string, name: QuotaName, limit: keyof BusinessLimits, label: string]
/** `usage` is the name of the figure in the output of `business show`. */
export const dailyQuotas = [
  ['sandboxToday', 'sandboxCreates', 'sandboxIntentsPerDay', 'Created in the sandbox today'],
  ['liveDocumentsToday', 'liveDocuments', 'liveDocumentsPerDay', 'Live documents stored today'],
  ['liveBytesToday', 'liveBytes', 'liveBytesPerDay', 'Live bytes stored today'],
  ['sandboxBytesToday', 'sandboxBytes', 'sandboxBytesPerDay', 'Sandbox bytes stored today'],
] as const satisfies DailyQuota[]

export type BusinessQuotaUsage = Record<'liveCodes' | (typeof dailyQuotas)[number][0], QuotaUsage>

export async function readQuotaUsage(
  deps: Pick<Deps, 'Intent' | 'Counter' | 'config' | 'now'>,
  business: Business,
): Promise<BusinessQuotaUsage> {
  const owned = dailyQuotas.map(([, name]) => ({ name, owner: business._id }))
  const [codes, used] = await Promise.all([countCodesInUse(deps, business._id), readUsedToday(deps, owned)])
  const usages = dailyQuotas.map(([shown, name], index) => {
    const limit = quotaLimit(deps, name, business.limits)
    return [shown, usage(limit && (used[index] ?? 0), limit)]
  })
  return { liveCodes: usage(codes, liveCodeLimitOf(deps, business)), ...Object.fromEntries(usages) }
}

const usage = (used: number | null, limit: number | null) => ({
  used,
  limit,
  left: used === null || limit === null ? null : Math.max(0, limit - used),
})
