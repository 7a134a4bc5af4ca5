import { latestCheck } from '../audit/seals/nightly-check.ts'
import type { Deps } from '../deps.ts'
import { pingMongo } from '../mongo/connect.ts'
import type { RetentionRecord } from '../retention/record.ts'
import { allShortCodes } from '../security/ids.ts'
import type { ServiceKey } from '../security/service-keys.ts'
import { standing } from '../webhooks/endpoints/endpoint.ts'
import { dueDeliveries, oldestDue } from './due-deliveries.ts'
import { briefMs, type Figure, figureOf, minuteMs, numberOf, pingOf, queryTimeoutMs } from './figure.ts'
import { fullestBusinesses } from './fullest-businesses.ts'
import { expiryLag, outboxLag } from './lags.ts'
import { shareOfLiveCodes } from './live-codes.ts'
import { openPayments, openRefunds } from './open-outcomes.ts'
import { storedBytes } from './stored-bytes.ts'

/**
 * Returns the figures that a scrape reads from MongoDB. Every query uses an index, and the scrape waits at most
 * `queryTimeoutMs` for each figure. The sample of payment codes reads up to 2 000 documents, the estimate of stored
 * bytes up to 1 000 documents of each kind, the count of failing endpoints up to 1 000 endpoints, and the count of open
 * outcomes up to 1 000 intents from each end of an index. The other queries read only index keys or a single document.
 * All queries except the ping and the counts of live codes use the connections reserved for lists, so that they never
 * hold up a write.
 */
export function figuresOfMongo(all: Deps): Figure[] {
  const deps: Deps = Object.create(all, Object.getOwnPropertyDescriptors(all.lists.models))
  const { gauges } = deps.metrics
  return [
    pingOf(gauges.mongodbUp, gauges.mongodbPing, () => pingMongo(deps.mongo)),
    numberOf(gauges.dueDeliveries, briefMs, () => dueDeliveries(deps)),
    numberOf(gauges.failingEndpoints, minuteMs, () =>
      deps.Endpoint.countDocuments(
        { ...standing, active: true, 'reportedFailure.since': { $type: 'date' } },
        { limit: 1_000, hint: 'reported', maxTimeMS: queryTimeoutMs },
      ),
    ),
    numberOf(gauges.oldestDueDelivery, briefMs, () => oldestDue(deps)),
    numberOf(gauges.replaysRunning, briefMs, () =>
      deps.Replay.countDocuments({ running: true }, { hint: 'due', maxTimeMS: queryTimeoutMs }),
    ),
    numberOf(gauges.outboxLag, briefMs, () => outboxLag(deps)),
    numberOf(gauges.expiryLag, briefMs, () => expiryLag(deps)),
    numberOf(gauges.liveCodesUsed, minuteMs, () => shareOfLiveCodes(deps)),
    numberOf(gauges.shortCodesUsed, minuteMs, async () => {
      const counter = await deps.ServiceKey.findById('shortCodes', { used: 1 })
        .maxTimeMS(queryTimeoutMs)
        .lean<ServiceKey | null>()
      return Math.min(1, (counter?.used ?? 0) / allShortCodes)
    }),
    fullestBusinesses(deps),
    storedBytes(deps),
    numberOf(gauges.lastAuditCheck, minuteMs, async () => {
      const check = await latestCheck(deps)
      return check && check.at.getTime() / 1000
    }),
    numberOf(gauges.lastNightCleaned, minuteMs, async () => {
      const record = await deps.RetentionRecord.findById('nightly')
        .maxTimeMS(queryTimeoutMs)
        .lean<RetentionRecord | null>()
      return record && record.completedFor.getTime() / 1000
    }),
    figureOf([gauges.openOutcomes, gauges.oldestOpenOutcome], briefMs, async () => {
      const [payment, refund] = await Promise.all([openPayments(deps), openRefunds(deps)])
      for (const [kind, open] of Object.entries({ payment, refund })) {
        gauges.openOutcomes.set({ kind }, open.count)
        gauges.oldestOpenOutcome.set({ kind }, open.oldestSeconds)
      }
    }),
  ]
}
