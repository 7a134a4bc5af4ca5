import { quotas } from '../../src/businesses/quotas.ts'
import { lookupBudgets, paymentBudget } from '../../src/checkout/limits.ts'
import { connectionLimits, maxConnections } from '../../src/http/server/network-share.ts'
import { codesLimit } from '../../src/intents/live-codes.ts'
import { pinBudgets } from '../../src/intents/payments/refused-pins.ts'
import { capacityLimits } from '../../src/limits/capacity.ts'
import type { Limit, LimitedResource } from '../../src/limits/limit.ts'
import { requestMeters, requestRates } from '../../src/limits/rate.ts'
import { replayLimit } from '../../src/replays/start.ts'
import type { NetworkBudget } from '../../src/security/network-limit.ts'
import { hashLimits } from '../../src/security/slow-hash.ts'
import { codeBudget, nameBudget, signInBudget } from '../../src/staff/sign-in-limit.ts'
import { phoneSearches } from '../../src/staff-pages/search/finders.ts'
import { providerLimits } from '../../src/wallets/live/provider.ts'
import { attemptLimits } from '../../src/webhooks/attempts/slots.ts'
import { code, tableOf } from '../markdown.ts'

export const limitTable = (): string =>
  tableOf(
    ['Limit', 'Default', 'Beyond it', 'Metric'],
    [
      ...[
        attemptLimits(none),
        capacityLimits(none),
        hashLimits(none),
        providerLimits,
        connectionLimits(maxConnections),
      ].flatMap((share) =>
        Object.entries<LimitedResource>(share).map(([name, resource]) =>
          row(resource, sharesOf(resource), name),
        ),
      ),
      ...[...Object.values(requestRates), ...Object.values(requestMeters)].map((rate) =>
        row(rate, `${rate.limit} per ${rate.owner}`),
      ),
      ...once(quotas).map((quota) => row(quota, `${quota.setBy} per business`)),
      ...[codesLimit, replayLimit].map((each) => row(each, each.limit)),
      ...once({ ...lookupBudgets, ...pinBudgets, paymentBudget, signInBudget }).map((each) =>
        row(each, failuresOf(each)),
      ),
      ...[nameBudget, codeBudget, phoneSearches].map((each) =>
        row(each, `${each.max} per ${each.owner} in ${each.seconds / 60} min`),
      ),
    ],
  )

const none = (): number => 0

/** The same limit of several owners is one row. */
const once = <Kind extends Limit>(limits: Record<string, Kind>): Kind[] => [
  ...new Map(Object.values(limits).map((each) => [each.what, each])).values(),
]

const failuresOf = ({ perNetwork, seconds }: NetworkBudget): string =>
  `${perNetwork} per network in ${seconds / 60} min`

/** Without a metric of its own, a share is a value of the label `limit` of `capacity_used`. */
const row = ({ what, gets, metric }: Limit, limit: string, name = ''): string[] => [
  what,
  limit,
  gets,
  metric ?? (name && code(name)),
]

const sharesOf = ({ total, parts, unit }: LimitedResource): string =>
  [
    ...(total === undefined ? [] : [`${amount(total, unit)} per process`]),
    ...parts.map((part) => `${'range' in part ? part.range : amount(part.max, unit)} per ${part.owner}`),
  ].join('; ')

const amount = (value: number, unit: LimitedResource['unit']): string =>
  unit === 'bytes' ? `${value / 1024 / 1024} MiB` : value.toLocaleString('en').replaceAll(',', ' ')
