import { quotas } from '../../src/businesses/quotas.ts'
import { lookupBudgets, paymentFailureBudget } from '../../src/checkout/limits.ts'
import { connectionLimits, maxConnections } from '../../src/http/server/network-share.ts'
import { liveCodeLimitRow } from '../../src/intents/live-codes.ts'
import { refusedPinBudgets } from '../../src/intents/payments/refused-pins.ts'
import { capacityLimits } from '../../src/limits/capacity.ts'
import type { LimitedResource, LimitSummary } from '../../src/limits/limit.ts'
import { requestRateLimits, timeMeterLimits } from '../../src/limits/rate.ts'
import { personSignInLimits } from '../../src/people/person.ts'
import { replayLimitRow } from '../../src/replays/start.ts'
import type { NetworkBudget } from '../../src/security/network-limit.ts'
import { slowHashLimits } from '../../src/security/slow-hash.ts'
import { staffSignInLimits } from '../../src/staff/account.ts'
import { phoneSearchLimit } from '../../src/staff-pages/search/finders.ts'
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
        slowHashLimits(none),
        providerLimits,
        connectionLimits(maxConnections),
      ].flatMap((share) =>
        Object.entries<LimitedResource>(share).map(([name, resource]) =>
          row(resource, sharesOf(resource), name),
        ),
      ),
      ...[...Object.values(requestRateLimits), ...Object.values(timeMeterLimits)].map((rate) =>
        row(rate, `${rate.limit} per ${rate.owner}`),
      ),
      ...once(quotas).map((quota) => row(quota, `${quota.setBy} per business`)),
      ...[liveCodeLimitRow, replayLimitRow].map((each) => row(each, each.limit)),
      ...once({
        ...lookupBudgets,
        ...refusedPinBudgets,
        paymentBudget: paymentFailureBudget,
        staff: staffSignInLimits.address,
        people: personSignInLimits.address,
      }).map((each) => row(each, failuresOf(each))),
      ...[
        ...[staffSignInLimits, personSignInLimits].flatMap((limits) => [limits.name, limits.code]),
        phoneSearchLimit,
      ].map((each) => row(each, `${each.max} per ${each.owner} in ${each.seconds / 60} min`)),
    ],
  )

const none = (): number => 0

/** The same limit of several owners is one row. */
const once = <Kind extends LimitSummary>(limits: Record<string, Kind>): Kind[] => [
  ...new Map(Object.values(limits).map((each) => [each.what, each])).values(),
]

const failuresOf = ({ perNetwork, seconds }: NetworkBudget): string =>
  `${perNetwork} per network in ${seconds / 60} min`

/** Without a metric of its own, a share is a value of the label `limit` of `capacity_used`. */
const row = ({ what, gets, metric }: LimitSummary, limit: string, name = ''): string[] => [
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
