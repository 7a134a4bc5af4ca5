import type { Deps } from '../deps.ts'
import { createLiveCodeQuota } from './live-codes.ts'
import type { Quota } from './quota.ts'
import { createSandboxQuota } from './sandbox-day.ts'

/** The quotas of each business, over all processes. */
export interface Quotas {
  liveCodes: Quota
  sandboxDay: Quota
}

export const openQuotas = (deps: Pick<Deps, 'Intent' | 'now'>, elapsedMs: () => number): Quotas => ({
  liveCodes: createLiveCodeQuota(deps, elapsedMs),
  sandboxDay: createSandboxQuota(deps, elapsedMs),
})
