import { html } from 'ghtml'
import type { Business } from '../../businesses/business.ts'
import type { Deps } from '../../deps.ts'
import type { QuotaUsage, Usages } from '../../quotas/usage.ts'
import { groupDigits } from './words.ts'

/** Returns a business's limits and quotas as HTML, with the current usage. */
export function quotaFacts({ config }: Pick<Deps, 'config'>, { limits }: Business, usages: Usages): string {
  const perSecond = config.rateLimitPerSecond && (limits.perSecond ?? config.rateLimitPerSecond)
  const rate = perSecond === null ? 'no limit' : `${groupDigits(perSecond)} requests per second for each key`
  return html`<dt>Rate</dt><dd>${rate}${ofItsOwn(limits.perSecond)}</dd>
    <dt>Live payment codes</dt><dd>${left(usages.liveCodes)}${ofItsOwn(limits.liveCodes)}</dd>
    <dt>Created in the sandbox today</dt><dd>${left(usages.sandboxToday)}${ofItsOwn(limits.sandboxIntentsPerDay)}</dd>
    <dt>Stored sandbox responses today</dt><dd>${left(usages.sandboxResponsesToday)}</dd>`
}

function left({ used, limit, left: rest }: QuotaUsage): string {
  const known = used === null ? 'more than can be counted' : groupDigits(used)
  if (limit === null) return `${known} used, no limit`
  return `${known} of ${groupDigits(limit)} used${rest === null ? '' : `, ${groupDigits(rest)} left`}`
}

const ofItsOwn = (limit: number | null): string => (limit === null ? '' : ' (set for this business)')
