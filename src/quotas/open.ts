import type { Deps } from '../deps.ts'
import { backgroundRest, createBatcher, noDeadline } from '../mongo/batching/batcher.ts'
import { countAuditLines } from './audit-lines.ts'
import { countLiveCodes } from './live-codes.ts'
import { type Counted, createQuota, type Quota, type Quotas, type Usage } from './quota.ts'
import { countSandboxDay } from './sandbox-day.ts'
import { countSandboxResponses } from './sandbox-responses.ts'

type CountDeps = Pick<Deps, 'Intent' | 'StoredResponse' | 'AuditEvent' | 'now'>

/**
 * The maximum number of counts in a batch. Counting a full quota of 20 000 takes about 20 ms, so a whole batch
 * completes well within `countingMs`.
 */
const maxAtOnce = 20

export function openQuotas(deps: CountDeps, elapsedMs: () => number): Quotas {
  /** Batches concurrent counts into one query. A business that is missing from its result has used nothing. */
  const batched = (countAll: (deps: CountDeps, businessIds: string[]) => Promise<Counted[]>): Quota => {
    const count = createBatcher<string, Usage>(
      maxAtOnce,
      async (businessIds) => {
        const counted = new Map((await countAll(deps, [...new Set(businessIds)])).map((each) => [each._id, each]))
        return businessIds.map((businessId) => counted.get(businessId) ?? { used: 0, freeAt: null })
      },
      backgroundRest,
    )
    return createQuota((businessId) => count(businessId, noDeadline), elapsedMs)
  }
  const auditLines = (sandbox: boolean): Quota =>
    createQuota((businessId) => countAuditLines(deps, businessId, sandbox), elapsedMs)
  return {
    liveCodes: batched(countLiveCodes),
    sandboxDay: batched(countSandboxDay),
    sandboxResponses: batched(countSandboxResponses),
    auditLinesOfLive: auditLines(false),
    auditLinesOfTest: auditLines(true),
  }
}
