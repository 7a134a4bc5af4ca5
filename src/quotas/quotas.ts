import type { Deps } from '../deps.ts'
import { createLiveCodeQuota } from './live-codes.ts'
import type { Quotas } from './quota.ts'
import { createSandboxQuota } from './sandbox-day.ts'
import { createSandboxResponseQuota } from './sandbox-responses.ts'

export const openQuotas = (
  deps: Pick<Deps, 'Intent' | 'Claim' | 'now'>,
  elapsedMs: () => number,
): Quotas => ({
  liveCodes: createLiveCodeQuota(deps, elapsedMs),
  sandboxDay: createSandboxQuota(deps, elapsedMs),
  sandboxResponses: createSandboxResponseQuota(deps, elapsedMs),
})
