import type { Business } from '../businesses/business.ts'
import type { Deps } from '../deps.ts'
import { isTooSlow } from '../mongo/collection.ts'
import { countLiveCodes, liveCodeLimit } from './live-codes.ts'
import type { Counted } from './quota.ts'
import { countSandboxDay, sandboxLimit } from './sandbox-day.ts'
import { countSandboxResponses, sandboxResponseLimit } from './sandbox-responses.ts'

/**
 * How much of a quota a business has used, and how much is left. `limit` is null if there is no limit. `used` is null
 * if counting takes too long.
 */
export interface QuotaUsage {
  used: number | null
  limit: number | null
  left: number | null
}

export interface Usages {
  liveCodes: QuotaUsage
  sandboxToday: QuotaUsage
  sandboxResponsesToday: QuotaUsage
}

/** Counts the current usage of each of a business's quotas. */
export async function usagesOf(
  deps: Pick<Deps, 'Intent' | 'StoredResponse' | 'config' | 'now'>,
  business: Business,
): Promise<Usages> {
  const [codes, today, responses] = await Promise.all([
    used(countLiveCodes(deps, [business._id])),
    used(countSandboxDay(deps, [business._id])),
    used(countSandboxResponses(deps, [business._id])),
  ])
  return {
    liveCodes: usage(codes, liveCodeLimit(deps, business)),
    sandboxToday: usage(today, sandboxLimit(deps, business)),
    sandboxResponsesToday: usage(responses, sandboxResponseLimit(deps, business)),
  }
}

const usage = (count: number | null, limit: number | null): QuotaUsage => ({
  used: count,
  limit,
  left: count === null || limit === null ? null : Math.max(0, limit - count),
})

async function used(counting: Promise<Counted[]>): Promise<number | null> {
  try {
    const [counted] = await counting
    return counted?.used ?? 0
  } catch (error) {
    if (isTooSlow(error)) return null
    throw error
  }
}
