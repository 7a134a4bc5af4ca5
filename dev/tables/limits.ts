import { phoneSearches } from '../../src/admin/search/finders.ts'
import { quotas } from '../../src/businesses/quotas.ts'
import { lookupBudgets, paymentBudget } from '../../src/checkout/limits.ts'
import { connectionLimits, maxConnections } from '../../src/http/server/network-share.ts'
import { codesLimit } from '../../src/intents/live-codes.ts'
import { pinBudgets } from '../../src/intents/payments/refused-pins.ts'
import { capacityLimits } from '../../src/limits/capacity.ts'
import type { Limit, Resource } from '../../src/limits/limit.ts'
import { meters, requestRates } from '../../src/limits/rate.ts'
import type { NetworkBudget } from '../../src/security/network-limit.ts'
import { hashLimits } from '../../src/security/slow-hash.ts'
import { perAccount, perName, signInBudget } from '../../src/staff/sign-in-limit.ts'
import { providerLimits } from '../../src/wallets/live/provider.ts'
import { attemptLimits } from '../../src/webhooks/attempts/slots.ts'
import { replayLimit } from '../../src/webhooks/replays/start.ts'
import { code, tableOf } from '../markdown.ts'

/** Every limit that makes a caller wait, get 429 or lose a connection. */
export const limitTable = (): string =>
  tableOf(
    ['Limit', 'Kind', 'Default', 'Beyond it', 'Set by', 'Metric'],
    [
      ...[
        attemptLimits(none),
        capacityLimits(none),
        hashLimits(none),
        providerLimits,
        connectionLimits(maxConnections),
      ].flatMap((share) =>
        Object.entries<Resource>(share).map(([name, resource]) => row('share', resource, sharesOf(resource), name)),
      ),
      ...[...Object.values(requestRates), ...Object.values(meters)].map((rate) =>
        row('rate', rate, `${rate.limit} per ${rate.owner}`),
      ),
      ...once(quotas).map((quota) => row('counter', quota, `${quota.setBy.split(',')[0]} per business`)),
      ...[codesLimit, replayLimit].map((each) => row('counter', each, each.limit)),
      ...once({ ...lookupBudgets, ...pinBudgets, paymentBudget, signInBudget }).map((each) =>
        row('counter', each, failuresOf(each)),
      ),
      ...[perName, perAccount, phoneSearches].map((each) =>
        row('counter', each, `${each.max} per ${each.owner} in ${each.seconds / 60} min`),
      ),
    ],
  )

const none = (): number => 0

/** The same limit of several owners is one row. */
const once = <Kind extends Limit>(limits: Record<string, Kind>): Kind[] => [
  ...new Map(Object.values(limits).map((each) => [each.what, each])).values(),
]

const failuresOf = ({ perNetwork, seconds }: NetworkBudget): string =>
  `${perNetwork} per network in ${seconds / 60} min; more per larger prefix`

const row = (kind: string, { what, gets, setBy = '', metric }: Limit, limit: string, name?: string): string[] => [
  what,
  kind,
  limit,
  gets,
  setBy,
  metric === undefined && name !== undefined ? code(`capacity_used{limit="${name}"}`) : (metric ?? ''),
]

const sharesOf = ({ total, parts, unit }: Resource): string =>
  [
    ...(total === Number.POSITIVE_INFINITY ? [] : [`${amount(total, unit)} per process`]),
    ...parts.map((part) => `${'range' in part ? part.range : amount(part.max, unit)} per ${part.owner}`),
  ].join('; ')

/** Formats a number like the pages, with a space between thousands. */
const amount = (value: number, unit: Resource['unit']): string =>
  unit === 'bytes' ? `${value / 1024 / 1024} MiB` : value.toLocaleString('en').replaceAll(',', ' ')
