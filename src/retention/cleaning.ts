import type { Config } from '../config/config.ts'
import type { Models } from '../platform/deps.ts'
import type { Pacer } from '../work/pace.ts'
import type { CleanUpProgress } from './record.ts'

/** How long support staff can still find a deleted endpoint. */
const deletedKeptMs = 48 * 3_600_000

export type CleanUpDeps = Models & {
  now(): Date
  config: Pick<Config, 'sandboxRetentionMs' | 'liveDeliveryRetentionMs' | 'intentLifetimeMs'>
}

export interface BusinessCleanUp extends Models, ReturnType<typeof findCutoffs> {
  now(): Date
  businessId: string
  progress: CleanUpProgress
  isDry: boolean
  pace: Pacer
  count(kind: CleanedKind, documents: number): void
}

export function findCutoffs({ config, now }: CleanUpDeps) {
  const at = now().getTime()
  const { sandboxRetentionMs, liveDeliveryRetentionMs: keptMs, intentLifetimeMs } = config
  const testsBeforeMs = at - sandboxRetentionMs
  return {
    testsBefore: new Date(testsBeforeMs),
    /** The outcome of a test payment may be unknown for weeks. */
    paidBefore: new Date(testsBeforeMs + intentLifetimeMs),
    /** Older live deliveries lose all but their last attempt. */
    attemptsBefore: keptMs === null ? null : new Date(at - keptMs),
    endpointsBefore: new Date(at - deletedKeptMs),
  }
}

/** The log line and the metric use these names. */
export const cleanedModels = {
  deliveries: 'Delivery',
  events: 'LoggedEvent',
  intents: 'Intent',
  movements: 'WalletMovement',
  entries: 'LedgerEntry',
  orders: 'Order',
  products: 'Product',
  endpoints: 'Endpoint',
  attempts: 'Delivery',
} as const satisfies Record<string, keyof Models>
export type CleanedKind = keyof typeof cleanedModels

export interface CleanUpWatch {
  count(kind: CleanedKind, documents: number): void
  done(): void
}

export type CleanUpCounts = Record<CleanedKind | 'businesses', number>

export function startCounts(also: CleanUpWatch): { counts: CleanUpCounts; watch: CleanUpWatch } {
  const names = ['businesses', ...Object.keys(cleanedModels)]
  const counts = Object.fromEntries(names.map((name) => [name, 0])) as CleanUpCounts
  const watch: CleanUpWatch = {
    count(kind, documents) {
      counts[kind] += documents
      also.count(kind, documents)
    },
    done() {
      counts.businesses += 1
      also.done()
    },
  }
  return { counts, watch }
}
